package io.firn.server;

import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests about groups that have members get the answers that an Apache Kafka 4.4.0 broker gave.
 * The broker's answers are recorded; {@code bin/check kafka-tools --groups} asks a broker again.
 */
@FirstRunOnly
class LiveGroupRequestsTest {
    @TempDir Path directory;

    @Test
    void shouldAnswerRequestsAboutGroupsWithMembersAsKafkaDoes() throws Exception {
        try (Running running =
                        new Running(directory, Map.of("group.initial.rebalance.delay.ms", "0"));
                LiveGroupRequests server =
                        new LiveGroupRequests(running.server().bootstrapServers())) {
            server.prepare();
            RecordedAnswers.check("/live-groups.txt", 400, server::answer);
        }
    }
}
