package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FilterFileMedium.FilterMapping;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile.Mapping;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each filter passes every method on, also those that have a default. */
class FilterFileMediumTest {
    private final List<String> calls = new ArrayList<>();

    /** Returns an implementation that records its calls. */
    private <T> T recording(Class<T> type) {
        Object made =
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            calls.add(method.toString());
                            return something(method.getReturnType());
                        });
        return type.cast(made);
    }

    private Object something(Class<?> type) {
        if (type == boolean.class) {
            return true;
        }
        if (type == int.class) {
            return 0;
        }
        if (type == long.class) {
            return 0L;
        }
        if (type == Path.class) {
            return Path.of("file");
        }
        if (type == MapMode.class) {
            return MapMode.READ_ONLY;
        }
        if (type == byte[].class) {
            return new byte[1];
        }
        return type == MediumFile.class || type == Mapping.class ? recording(type) : null;
    }

    private void assertPassesOn(Class<?> type, Object filter) throws ReflectiveOperationException {
        List<String> expected = new ArrayList<>();
        for (Method method : type.getMethods()) {
            if (Modifier.isStatic(method.getModifiers())) {
                continue;
            }
            Object[] arguments = new Object[method.getParameterCount()];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = something(method.getParameterTypes()[i]);
            }
            method.invoke(filter, arguments);
            expected.add(method.toString());
        }
        assertTrue(expected.size() > 4);
        assertEquals(expected, calls);
    }

    @Test
    void shouldPassOnEveryCallOfAMedium() throws ReflectiveOperationException {
        FileMedium in = recording(FileMedium.class);
        assertPassesOn(FileMedium.class, new FilterFileMedium(in) {});
    }

    @Test
    void shouldPassOnEveryCallOfAFile() throws ReflectiveOperationException {
        MediumFile in = recording(MediumFile.class);
        assertPassesOn(MediumFile.class, new FilterMediumFile(in) {});
    }

    @Test
    void shouldPassOnEveryCallOfAMapping() throws ReflectiveOperationException {
        Mapping in = recording(Mapping.class);
        assertPassesOn(Mapping.class, new FilterMapping(in) {});
    }
}
