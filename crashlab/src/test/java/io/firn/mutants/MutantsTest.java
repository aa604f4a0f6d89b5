package io.firn.mutants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that the list of mutants matches the sources. Use bin/mutants to run the mutants. */
class MutantsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void shouldMatchTheSources() throws IOException {
        for (Mutant mutant : Mutants.catalogue().mutants()) {
            String source = mutant.readFrom(ROOT);
            assertNotEquals(source, mutant.applyTo(source), mutant.name());
        }
    }

    @Test
    void shouldHaveAMutantOrAReasonForEachCallSite() throws IOException {
        Mutant.Catalogue catalogue = Mutants.catalogue();
        List<Sites.Site> without = new ArrayList<>();
        for (Sites.Site site : Sites.in(ROOT)) {
            if (!Mutants.isCovered(ROOT, site, catalogue.mutants())
                    && Mutants.because(site, catalogue.exempt()) == null) {
                without.add(site);
            }
        }
        assertEquals(List.of(), without);
    }
}
