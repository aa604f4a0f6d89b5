package io.firn.bench;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.util.Optional;

/**
 * Calls libpmem's flush for the floor, through {@code java.lang.foreign} by reflection, because
 * this class is compiled for Java 17.
 */
final class LibpmemCalls {
    // A constant, so that the compiler calls through it directly.
    private static final MethodHandle PERSIST;
    private static final Method OF_BUFFER;
    private static final Method ADDRESS;

    static {
        try {
            Class<?> segment = foreign("MemorySegment");
            OF_BUFFER = segment.getMethod("ofBuffer", Buffer.class);
            ADDRESS = segment.getMethod("address");
            PERSIST = bind(segment);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private LibpmemCalls() {}

    private static Class<?> foreign(String name) throws ClassNotFoundException {
        return Class.forName("java.lang.foreign." + name);
    }

    private static MethodHandle bind(Class<?> segment) throws ReflectiveOperationException {
        Class<?> arena = foreign("Arena");
        Class<?> linker = foreign("Linker");
        Class<?> option = foreign("Linker$Option");
        Class<?> layout = foreign("MemoryLayout");
        Class<?> function = foreign("FunctionDescriptor");
        Class<?> symbols = foreign("SymbolLookup");
        Object aLong = foreign("ValueLayout").getField("JAVA_LONG").get(null);
        Object layouts = Array.newInstance(layout, 2);
        Array.set(layouts, 0, aLong);
        Array.set(layouts, 1, aLong);
        Object descriptor = function.getMethod("ofVoid", layout.arrayType()).invoke(null, layouts);
        Object library =
                symbols.getMethod("libraryLookup", String.class, arena)
                        .invoke(null, "libpmem.so.1", arena.getMethod("global").invoke(null));
        Object symbol =
                ((Optional<?>)
                                symbols.getMethod("find", String.class)
                                        .invoke(library, "pmem_persist"))
                        .orElseThrow();
        Object options = Array.newInstance(option, 1);
        Array.set(options, 0, option.getMethod("critical", boolean.class).invoke(null, false));
        Object nativeLinker = linker.getMethod("nativeLinker").invoke(null);
        return ((MethodHandle)
                        linker.getMethod("downcallHandle", segment, function, option.arrayType())
                                .invoke(nativeLinker, symbol, descriptor, options))
                .asType(MethodType.methodType(void.class, long.class, long.class));
    }

    static long addressOf(Buffer direct) {
        try {
            return (long) ADDRESS.invoke(OF_BUFFER.invoke(null, direct));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Flushes the cache lines of a range and fences. */
    static void persist(long address, long length) {
        try {
            PERSIST.invokeExact(address, length);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
