package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.SecondRun;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The short form of bin/check crashlab --faults: each operation of a workload fails once; in the
 * second run, one operation of each call site.
 */
class FaultLabTest {
    private static final Logger LOG = Logger.getLogger("io.firn");

    @BeforeAll
    static void prepare() {
        LOG.setLevel(Level.OFF);
        SeededIds.install();
    }

    @Test
    void shouldKeepEveryPromiseWhenAnyOperationOnMemoryFails() {
        fail(Media.MEMORY, 20_778_000);
    }

    @Test
    void shouldKeepEveryPromiseWhenAnyOperationOnFilesFails() {
        fail(Media.FILES, 1);
    }

    private static void fail(Media media, long one) {
        List<String> failures = new ArrayList<>();
        Matrix matrix = new Matrix();
        new FaultRun(
                        Workload.of(Workload.Style.PLAIN, media, one, 20),
                        new FaultInjector(new CallSites()),
                        SecondRun.isThis() ? new HashSet<>() : null,
                        new Reporter(matrix, () -> {}, failures::add))
                .run();
        System.out.printf("%s, seed %d:%n%s", media, one, matrix);
        assertEquals(List.of(), failures);
        assertTrue(matrix.tries() > SecondRun.share(100, 2), matrix.tries() + " faults");
    }
}
