package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PublishedLongTest {
    private static final int LINE = 64;

    /** Bytes of an object before its first field, at least. */
    private static final int HEADER = 8;

    private final PublishedLong published = new PublishedLong(7);

    @Test
    void shouldReturnWhatWasPublishedLast() {
        assertEquals(7, published.get());
        published.set(8);
        assertEquals(8, published.get());
        assertEquals(8, published.getOpaque());
    }

    @Test
    void shouldReplaceOnlyTheNumberThatIsThere() {
        assertFalse(published.replace(8, 9));
        assertTrue(published.replace(7, 9));
        assertEquals(9, published.get());
    }

    /**
     * As far as the virtual machine lays out fields as they all do; otherwise it is only slower.
     */
    @Test
    void shouldBeAloneInItsCacheLine() throws Exception {
        Class<?> type = PublishedLong.class.getSuperclass();
        long at = offset(type.getDeclaredField("value"));
        long first = fields(type.getSuperclass()).min().orElseThrow();
        long last = fields(PublishedLong.class).max().orElseThrow() + Long.BYTES;
        assertTrue(first - HEADER + LINE <= at, first + " " + at);
        assertTrue(at + LINE <= last, at + " " + last);
    }

    private static LongStream fields(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(each -> !Modifier.isStatic(each.getModifiers()))
                .mapToLong(PublishedLongTest::offset);
    }

    private static long offset(Field field) {
        try {
            Class<?> type = Class.forName("sun.misc.Unsafe"); // by name: the compiler warns of it
            Field instance = type.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            return (long)
                    type.getMethod("objectFieldOffset", Field.class)
                            .invoke(instance.get(null), field);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
