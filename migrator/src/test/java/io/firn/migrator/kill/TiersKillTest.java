package io.firn.migrator.kill;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.SecondRun;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few rounds of {@code bin/check tiers}. */
class TiersKillTest {
    private static final int ROUNDS = SecondRun.share(6, 3);

    @Test
    void shouldLoseAndDoubleAndLeaveNothingWhenKilledWhileSegmentsMove(@TempDir Path directory)
            throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
            TiersKill kills = new TiersKill(directory, 7, out);
            // A machine that is slow has moved nothing yet: it gets more rounds, and longer ones.
            for (int round = 0; round < ROUNDS || isSlow(kills, round); round++) {
                kills.round(round, 0.7 * (1 + round / ROUNDS));
            }
            assertTrue(kills.colder() > ROUNDS, said::toString);
        }
    }

    private static boolean isSlow(TiersKill kills, int round) {
        return kills.colder() <= ROUNDS && round < 10 * ROUNDS;
    }
}
