package io.firn.server.config;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which ids a group can have. */
class GroupIdsTest {
    @ParameterizedTest
    @ValueSource(strings = {"orders", "a b", "größe", "*", "x=y"})
    void shouldAcceptWhatKafkaAccepts(String id) {
        assertTrue(GroupIds.isValid(id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb", "a\rb", "\u001b[2K", "a\u0085b", "\ud800"})
    void shouldRefuseWhatCannotBeWrittenIntoALog(String id) {
        assertFalse(GroupIds.isValid(id));
    }

    @Test
    void shouldRefuseWhatIsTooLongForAFileName() {
        assertTrue(GroupIds.isValid("a".repeat(120)));
        assertFalse(GroupIds.isValid("a".repeat(121)));
        assertFalse(GroupIds.isValid("ä".repeat(60)));
    }
}
