package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Injects an error at each call site that a scenario reaches. The scenarios that write many bytes
 * are left to bin/check crashlab --faults.
 */
@FirstRunOnly
class ScenarioTest {
    private static final Logger LOG = Logger.getLogger("io.firn");

    @BeforeAll
    static void prepare() {
        LOG.setLevel(Level.OFF);
        SeededIds.install();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"WHOLE_FILE_SYSTEM", "FOLLOWED_POOL"})
    void shouldKeepAcknowledgedRecordsWhereverAnErrorOccurs(Scenario scenario) {
        List<String> failures = new ArrayList<>();
        Matrix matrix = new Matrix();
        new ScenarioRun(
                        scenario,
                        new FaultInjector(new CallSites()),
                        new HashSet<>(),
                        new Reporter(matrix, () -> {}, failures::add))
                .run();
        assertEquals(List.of(), failures);
        assertTrue(matrix.tries() > 30, matrix.tries() + " faults");
    }
}
