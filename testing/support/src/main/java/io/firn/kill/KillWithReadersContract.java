package io.firn.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.kill.Oracle.Violation;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As {@link KillContract}, with readers in other processes, which are killed as well. */
public abstract class KillWithReadersContract {
    private static final int KILLS = 8;

    /** What the store is to lie on. */
    protected abstract Ground ground();

    @Test
    protected void shouldShowReadersOnlyWhatTheLogHasWhenWriterAndReadersAreKilled(
            @TempDir Path temporary) throws Exception {
        long seed = System.nanoTime();
        PrintStream silence =
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        ReaderKills kills = new ReaderKills(ground(), temporary, seed, KILLS, silence);
        try {
            kills.run();
        } catch (Violation e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        assertEquals(KILLS, kills.killed(), "seed " + seed);
        assertTrue(kills.seen() > 0, "seed " + seed);
    }
}
