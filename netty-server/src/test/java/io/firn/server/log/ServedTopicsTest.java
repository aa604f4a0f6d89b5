package io.firn.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.api.Waiting;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServedTopicsTest {
    @TempDir Path directory;

    /** Otherwise it would have the value before, as if an application had chosen that. */
    @Test
    void shouldCreateATopicWithTheDefaultThatChangesMeanwhile() throws Exception {
        FileMedium medium = FileMedium.real();
        try (LogStore store =
                LogStore.in(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")))
                        .open()) {
            NodeConfig node =
                    NodeConfig.open(medium, directory, ServerConfig.of(Map.of("log.dir", "x")));
            try (ServedTopics topics =
                    new ServedTopics(store, node, medium, directory.resolve("server"))) {
                Thread creator = new Thread(() -> topics.create("orders", 1, Map.of()));
                synchronized (topics) {
                    creator.start();
                    Waiting.await(
                            "the creation has begun",
                            () -> creator.getState() == Thread.State.BLOCKED);
                    node.change(
                            true,
                            set -> {
                                Map<String, String> changed = new TreeMap<>(set);
                                changed.put("log.retention.ms", "5000");
                                return changed;
                            },
                            false);
                }
                creator.join();
                assertEquals(5_000, store.openTopic("orders").options().retentionMs());
                assertTrue(topics.find("orders").settings().isDefault("retention.ms"));
            }
        }
    }
}
