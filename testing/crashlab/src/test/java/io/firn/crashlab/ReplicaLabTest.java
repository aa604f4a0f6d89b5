package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.SecondRun;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The short form of bin/check crashlab --replicas, with other workloads each day. */
class ReplicaLabTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int ACTIONS = 30;

    private final long seed = LocalDate.now().toEpochDay() * 1_000 + (SecondRun.isThis() ? 500 : 0);

    @BeforeAll
    static void prepare() {
        LOG.setLevel(Level.OFF);
        SeededIds.install();
    }

    @ParameterizedTest
    @CsvSource({"FILES, 2000", "MEMORY, 2000", "MOVES, 1500"})
    void shouldKeepEveryPromiseOfAReplicaWhenPowerIsCut(Media media, int imagesOfFirstRun) {
        int images = SecondRun.share(imagesOfFirstRun, 10);
        int[] looked = {0};
        int truncations = 0;
        List<String> failures = new ArrayList<>();
        for (long one = seed; looked[0] < images && failures.isEmpty(); one++) {
            ReplicaRun run =
                    new ReplicaRun(media, one, () -> looked[0] >= images, () -> looked[0]++);
            failures.addAll(run.run(ACTIONS));
            truncations += run.truncations();
        }
        assertEquals(List.of(), failures);
        assertTrue(truncations > 0, "nothing was truncated");
    }
}
