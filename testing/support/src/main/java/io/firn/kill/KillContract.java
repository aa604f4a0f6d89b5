package io.firn.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.kill.Oracle.Violation;
import io.firn.sim.SecondRun;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a JVM that appends, again and again, and compares what reopens with what was acknowledged;
 * in the short form, over in seconds.
 */
public abstract class KillContract {
    private static final int KILLS = SecondRun.share(10, 2);

    /** What the store is to lie on. */
    protected abstract Ground ground();

    @Test
    protected void shouldKeepEveryAckedRecordWhenKilledInMidAppend(@TempDir Path temporary)
            throws Exception {
        long seed = System.nanoTime();
        PrintStream silence =
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Kills kills = new Kills(ground(), temporary, seed, KILLS, silence);
        try {
            kills.run();
        } catch (Violation e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        assertEquals(KILLS, kills.killed(), "seed " + seed);
        assertTrue(kills.ackedRecords() > 0, "seed " + seed);
    }
}
