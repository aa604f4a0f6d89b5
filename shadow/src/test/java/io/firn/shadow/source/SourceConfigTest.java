package io.firn.shadow.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.FirnException;
import java.util.Properties;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.junit.jupiter.api.Test;

/** What a shadow takes of the properties of a consumer, and of which kafka-clients. */
class SourceConfigTest {
    private static Properties properties(String key, String value) {
        Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", "127.0.0.1:1");
        properties.setProperty(key, value);
        return properties;
    }

    @Test
    void shouldFindTheReleaseInTheJarOfTheClients() {
        String found = KafkaRelease.of(ConsumerConfig.class);
        assertTrue(found.matches("[0-9]+\\.[0-9]+\\.[0-9]+.*"), found);
        SourceConfig.checkRelease(found);
    }

    @Test
    void shouldNameTheReleaseLineThatItNeeds() {
        FirnException e =
                assertThrows(FirnException.class, () -> SourceConfig.checkRelease("4.3.1"));
        assertTrue(e.getMessage().contains("needs kafka-clients 4.4.x"), e.getMessage());
        assertTrue(e.getMessage().contains("found 4.3.1"), e.getMessage());
    }

    /** With a time-out, Kafka's client would look names up in a thread, and give up. */
    @Test
    void shouldLookNamesUpByItselfWhateverTheTimeOutOfKafkasClient() {
        SourceConfig config = SourceConfig.of(properties("bootstrap.resolve.timeout.ms", "1"));
        assertEquals(
                0,
                ClientUtils.bootstrapConfiguration(config.consumer(), config.bootstrapServers())
                        .bootstrapResolveTimeoutMs);
        assertEquals(1, config.addresses().size());
    }
}
