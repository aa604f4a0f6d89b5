package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

/** Which answers of a server mean that an argument is wrong. */
class ServerConnectionTest {
    private static KafkaFutureImpl<Void> failed(Exception e) {
        KafkaFutureImpl<Void> future = new KafkaFutureImpl<>();
        future.completeExceptionally(e);
        return future;
    }

    @Test
    void shouldTellWrongCredentialsFromAWrongArgument() {
        var wrongValue = failed(new InvalidConfigurationException("retention.ms"));
        assertThrows(InvalidOptionException.class, () -> ServerConnection.get(wrongValue));

        var wrongPassword = failed(new SaslAuthenticationException("no"));
        KafkaException thrown =
                assertThrows(KafkaException.class, () -> ServerConnection.get(wrongPassword));
        String text = ServerConnection.describe(thrown);
        assertTrue(text.contains("--command-config"), text);
    }
}
