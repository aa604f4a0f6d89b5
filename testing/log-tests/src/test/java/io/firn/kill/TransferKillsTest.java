package io.firn.kill;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The short form of bin/check kill --transfers. */
class TransferKillsTest {
    private static final int KILLS = 8;

    @TempDir private Path directory;

    @Test
    void shouldNeitherLoseNorDoubleATransferWhenTheProcessIsKilled() throws Exception {
        String seen = TransferKills.run(directory, KILLS, System.nanoTime());
        assertTrue(seen.startsWith(KILLS + " kills"), seen);
    }
}
