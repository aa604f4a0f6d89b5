package io.firn.kill;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The short form of bin/check kill --locks. */
class LockKillsTest {
    private static final int ROUNDS = 3;

    @TempDir private Path directory;

    @Test
    void shouldLoseNoAcknowledgedValueWhenLockFilesAreRemovedUnderAWriter() throws Exception {
        String seen = LockKills.run(directory, ROUNDS, System.nanoTime());
        assertTrue(seen.startsWith(ROUNDS + " rounds"), seen);
    }
}
