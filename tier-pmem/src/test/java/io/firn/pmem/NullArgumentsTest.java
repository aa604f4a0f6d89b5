package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Who hands in null is told which parameter it was. */
class NullArgumentsTest {
    private static void assertRefused(String parameter, Executable call) {
        NullPointerException e = assertThrows(NullPointerException.class, call, parameter);
        assertEquals(parameter, e.getMessage());
    }

    @Test
    void shouldNameWhatIsNullWhenATierIsDescribed() {
        PmemTier tier = PmemTier.at(Path.of("pools"));
        assertRefused("directory", () -> PmemTier.at((Path) null));
        assertRefused("directories", () -> PmemTier.at((Path[]) null));
        assertRefused("directory", () -> PmemTier.at(Path.of("pools"), null));
        assertRefused("medium", () -> tier.withMedium(null));
        assertRefused("emulation", () -> tier.withEmulation(null));
        assertRefused("provider", () -> tier.withProvider(null));
    }
}
