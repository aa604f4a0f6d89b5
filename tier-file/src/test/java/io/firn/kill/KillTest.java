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

/** A short {@link KillRun}. */
final class KillTest {
    private static final int FEW_ROUNDS = 10;

    @Test
    void shouldKeepEveryAckedRecordWhenKilledInMidAppend(@TempDir Path temporary) throws Exception {
        long seed = System.nanoTime();
        PrintStream silence =
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        KillRun run = new KillRun(temporary, seed, FEW_ROUNDS, silence);
        try {
            run.run();
        } catch (Violation e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        assertEquals(FEW_ROUNDS, run.killed(), "seed " + seed);
        assertTrue(run.ackedRecords() > 0, "seed " + seed);
    }
}
