package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResultCollection;
import org.junit.jupiter.api.Test;

/** Elements of responses that Kafka's collections take in a short time. */
class ResponseElementsTest {
    @Test
    void shouldHaveHashesThatDifferWhateverTheirFieldsAre() throws Exception {
        for (Class<?> each : ResponseElements.class.getDeclaredClasses()) {
            Set<Integer> hashes = new HashSet<>();
            for (int i = 0; i < 1_000; i++) {
                hashes.add(each.getConstructor().newInstance().hashCode());
            }
            assertTrue(hashes.size() > 900, each + " has " + hashes.size());
        }
    }

    @Test
    void shouldStayInTheirOrderInACollection() {
        var all = new DeletableTopicResultCollection(2);
        for (int i = 0; i < 1_000; i++) {
            all.add(new ResponseElements.DeletedTopic().setName("Aa").setErrorCode((short) i));
        }
        int next = 0;
        for (DeletableTopicResult each : all) {
            assertEquals(next++, each.errorCode());
        }
        assertEquals(1_000, next);
    }
}
