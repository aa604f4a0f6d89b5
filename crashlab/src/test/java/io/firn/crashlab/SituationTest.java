package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An error at each call site that a situation comes to; bin/crashlab --faults has those too that
 * move many bytes.
 */
class SituationTest {
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
    void shouldKeepWhatWasAcknowledgedWhereverAnErrorComes(Situation situation) {
        List<String> failures = new ArrayList<>();
        Matrix matrix = new Matrix();
        new SituationRun(situation, matrix, new CallSites(), new HashSet<>(), () -> {})
                .run(failures::add);
        assertEquals(List.of(), failures);
        assertTrue(matrix.tries() > 30, matrix.tries() + " faults");
    }
}
