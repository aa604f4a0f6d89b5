package io.firn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What varies beyond a key and a value goes through {@link Batch}, not through another method. */
class AppendMethodsTest {
    private static final List<Class<?>> APPENDERS =
            List.of(
                    Appender.class,
                    ExclusiveAppender.class,
                    TopicAppender.class,
                    Transaction.class);

    private static List<Method> named(Class<?> type, String prefix) {
        return Stream.of(type.getMethods())
                .filter(each -> each.getName().startsWith(prefix) && !each.isBridge())
                .toList();
    }

    @Test
    void shouldHaveAtMostEightAppendMethods() {
        for (Class<?> each : APPENDERS) {
            List<Method> found = new ArrayList<>(named(each, "append"));
            found.addAll(named(each, "tryAppend"));
            assertTrue(found.size() <= 8, () -> each + " has " + found);
        }
    }

    @Test
    void shouldTakeARangeInOneTypeOnlySoThatNullIsNotAmbiguous() {
        for (Class<?> each : APPENDERS) {
            List<Method> ranges =
                    named(each, "append").stream()
                            .filter(
                                    method ->
                                            method.getParameterCount() == 3
                                                    && method.getParameterTypes()[2] == int.class)
                            .toList();
            assertTrue(ranges.size() <= 1, ranges::toString);
        }
    }

    @Test
    void shouldAnswerWithAnOffsetOrANegativeNumberWhereAnAppendMayBeRefused() {
        for (Class<?> each : APPENDERS) {
            named(each, "tryAppend")
                    .forEach(method -> assertEquals(long.class, method.getReturnType()));
        }
        assertTrue(Appender.BACK_PRESSURED < 0);
    }
}
