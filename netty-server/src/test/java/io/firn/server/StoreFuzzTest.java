package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.fuzz.FileMutations.Kind;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few rounds of the fuzzer, with a fixed seed; {@code bin/check fuzz --store} has more. */
@FirstRunOnly
class StoreFuzzTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int ROUNDS = 60;

    @TempDir Path directory;
    private final Level before = LOG.getLevel();

    @BeforeEach
    void silence() {
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void speak() {
        LOG.setLevel(before);
    }

    @Test
    void shouldServeOrRefuseStoresWithChangedFiles() throws Exception {
        assertEquals(List.of(), new StoreFuzz(directory, Kind.OF_CONTENT, 1, 3).run(ROUNDS));
    }

    @Test
    void shouldServeOrRefuseStoresWithWhatIsNoFile() throws Exception {
        Set<Kind> others = Set.of(Kind.DIRECTORY, Kind.LINK, Kind.FIFO, Kind.DEVICE, Kind.SPARSE);
        assertEquals(List.of(), new StoreFuzz(directory, others, 2, 3).run(ROUNDS));
    }
}
