package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.sim.FirstRunOnly;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The report of bin/check crashlab --faults lists every place where Firn calls a medium. */
@FirstRunOnly
class CallSitesTest {
    @Test
    void shouldFindCallSitesOfEveryTypeThatMayFail() {
        Map<String, String> sites = CallSites.inClassFiles();
        Set<String> types =
                sites.values().stream()
                        .map(method -> method.substring(0, method.indexOf('.')))
                        .collect(Collectors.toSet());
        assertEquals(Set.of("FileMedium", "MediumFile", "MediumFile$Mapping", "PmemMemory"), types);
    }
}
