package io.firn.mutants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks that the list of mutants matches the sources. Use bin/check mutants to run the mutants.
 */
class MutantsTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    @Test
    void shouldMatchTheSources() throws IOException {
        for (Mutant mutant : Mutants.catalogue().mutants()) {
            String source = mutant.readFrom(ROOT);
            assertNotEquals(source, mutant.applyTo(source), mutant.name());
        }
    }

    @Test
    void shouldHaveAMutantForEachRight() throws IOException {
        Path rights = ROOT.resolve("netty-server/src/main/java/io/firn/server/security/Right.java");
        List<String> named = Mutants.catalogue().mutants().stream().map(Mutant::name).toList();
        List<String> without =
                Pattern.compile("^    ([A-Z_]+)\\(ApiKeys", Pattern.MULTILINE)
                        .matcher(Files.readString(rights))
                        .results()
                        .map(each -> "ACL nobody is asked for " + each.group(1))
                        .filter(each -> !named.contains(each))
                        .toList();
        assertEquals(List.of(), without);
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
