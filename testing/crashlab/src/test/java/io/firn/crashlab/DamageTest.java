package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The short form of bin/check crashlab --damage: some of the bits of the reference log. */
@FirstRunOnly
class DamageTest {
    private static final Logger LOG = Logger.getLogger("io.firn");

    @BeforeAll
    static void prepare() {
        LOG.setLevel(Level.OFF);
        SeededIds.install();
    }

    private static void damage(Media media, ReferenceLog.Form form) {
        List<String> failures = new ArrayList<>();
        Matrix matrix = new Matrix();
        new DamageRun(media, form, new Reporter(matrix, () -> {}, failures::add)).run(0, 1, 121);
        System.out.printf("%s, %s:%n%s", media, form, matrix);
        assertEquals(List.of(), failures);
        assertTrue(matrix.tries() > 1_000, matrix.tries() + " pieces of damage");
    }

    @ParameterizedTest
    @EnumSource(ReferenceLog.Form.class)
    void shouldLoseOnlyDamagedBatchesOfALogInFiles(ReferenceLog.Form form) {
        damage(Media.FILES, form);
    }

    @ParameterizedTest
    @EnumSource(ReferenceLog.Form.class)
    void shouldLoseOnlyDamagedBatchesOfALogInMemory(ReferenceLog.Form form) {
        damage(Media.MEMORY, form);
    }
}
