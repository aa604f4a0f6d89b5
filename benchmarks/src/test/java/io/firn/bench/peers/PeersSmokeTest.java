package io.firn.bench.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class PeersSmokeTest {
    @TempDir Path directory;

    @Test
    void shouldMeasureOneCellAndContinueWithAnother() throws Exception {
        assertEquals(0, run("durable-1,firn-durable"));
        assertEquals(0, run("durable-1,mapping-sync"));
        List<String> csv = Files.readAllLines(directory.resolve("out/peers.csv"));
        assertTrue(csv.stream().anyMatch(line -> line.startsWith("durable-1,firn-durable")));
        assertTrue(csv.stream().anyMatch(line -> line.startsWith("durable-1,mapping-sync")));
        assertTrue(Files.readString(directory.resolve("out/peers.html")).contains("mapping-sync"));
        try (Stream<Path> left = Files.list(directory.resolve("logs"))) {
            assertEquals(0, left.count(), "the logs of the runs are deleted");
        }
    }

    @Test
    void shouldRefuseAnUnknownPeer() {
        assertEquals(2, run("no-such-peer"));
    }

    private int run(String only) {
        return PeersBench.execute(
                "--quick",
                "--sizes=64",
                "--only=" + only,
                "--dir=" + directory.resolve("logs"),
                "--out=" + directory.resolve("out"));
    }
}
