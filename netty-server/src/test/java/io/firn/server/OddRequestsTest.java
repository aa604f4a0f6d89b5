package io.firn.server;

import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Administrative requests that are odd get the answers that an Apache Kafka 4.4.0 broker gave. The
 * broker's answers are recorded; {@code bin/check kafka-tools --odd} asks a broker again.
 */
@FirstRunOnly
class OddRequestsTest {
    @TempDir Path directory;

    @Test
    void shouldAnswerOddRequestsAsKafkaDoes() throws Exception {
        try (Running running = new Running(directory, Map.of())) {
            OddRequests server = new OddRequests(running.server().bootstrapServers());
            RecordedAnswers.check("/odd-requests.txt", 300, server::answer);
        }
    }
}
