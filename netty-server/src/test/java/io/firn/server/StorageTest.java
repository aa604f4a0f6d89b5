package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a properties file to tiers. */
class StorageTest {
    @TempDir Path directory;

    private static List<String> tiersOf(Map<String, String> settings) {
        try (LogStore store = Storage.open(ServerConfig.of(settings))) {
            return store.metrics().tiers().stream()
                    .map(tier -> tier.name().substring(0, 4))
                    .toList();
        }
    }

    @Test
    void shouldOpenPafkasMixOfPersistentMemoryAndDisk() {
        Map<String, String> sample =
                Map.of(
                        "log.dirs", directory.resolve("log").toString(),
                        "storage.pmem.path", directory.resolve("pmem").toString(),
                        "storage.pmem.size", "300000000",
                        "storage.hdd.path", directory.resolve("hdd").toString(),
                        "log.pmem.pool.ratio", "0.8",
                        "log.channel.type", "mix",
                        "log.preallocate", "true",
                        "storage.pmem.emulate", "true");
        assertEquals(List.of("pmem", "file"), tiersOf(sample));
        assertEquals(List.of("pmem", "file"), tiersOf(sample));
    }

    @Test
    void shouldOpenAnyNumberOfTiers() {
        String tiers = "file:" + directory.resolve("a") + ",file:" + directory.resolve("b");
        assertEquals(
                List.of("file", "file"),
                tiersOf(Map.of("log.dir", directory.toString(), "storage.tiers", tiers)));
        assertThrows(
                InvalidOptionException.class,
                () -> tiersOf(Map.of("log.dir", directory.toString(), "storage.tiers", "tape:/x")));
    }
}
