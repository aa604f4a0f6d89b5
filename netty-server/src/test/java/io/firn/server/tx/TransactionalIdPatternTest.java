package io.firn.server.tx;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.UUID;
import java.util.function.Predicate;
import org.apache.kafka.common.errors.InvalidRegularExpression;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionalIdPatternTest {
    @Test
    void shouldAcceptAPatternWithManyCountsBesideEachOther() {
        Predicate<String> ids =
                TransactionalIdPattern.of(
                        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
        assertTrue(ids.test(new UUID(1, 2).toString()));
        assertFalse(ids.test("orders"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(.*a){900}",
                "((a{9}){9}){9}",
                "a{1000}a{1000}",
                "a{9}{9}",
                "a{9}?{9}",
                "a{1001}"
            })
    void shouldRefuseAPatternThatIsTooLargeOrHasACountOfACount(String pattern) {
        assertThrows(InvalidRegularExpression.class, () -> TransactionalIdPattern.of(pattern));
    }
}
