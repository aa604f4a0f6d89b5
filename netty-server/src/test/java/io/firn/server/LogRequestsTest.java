package io.firn.server;

import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests about a log and what is committed of it get the answers that an Apache Kafka 4.4.0
 * broker gave. The broker's answers are recorded; {@code bin/check kafka-tools --odd} asks a broker
 * again.
 */
@FirstRunOnly
class LogRequestsTest {
    @TempDir Path directory;

    @Test
    void shouldAnswerLogRequestsAsKafkaDoes() throws Exception {
        try (Running running = new Running(directory, Map.of())) {
            LogRequests server = new LogRequests(running.server().bootstrapServers());
            RecordedAnswers.check("/log-requests.txt", 40, server::answer);
        }
    }
}
