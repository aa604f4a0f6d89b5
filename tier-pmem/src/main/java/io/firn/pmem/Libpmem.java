package io.firn.pmem;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.util.Optional;

/**
 * libpmem, called through {@code java.lang.foreign}. Firn is compiled for Java 17, which lacks that
 * API, so it is looked up by name; all of it is public. Loading this class loads the library: from
 * {@link NativeAccess} only, which finds out first whether that can work.
 */
final class Libpmem {
    static final String LIBRARY = "libpmem.so.1";

    // Constants, so that the compiler calls through them directly.
    private static final MethodHandle PERSIST;
    private static final MethodHandle MEMCPY_PERSIST;
    private static final MethodHandle SEGMENT_OF_BUFFER;
    private static final MethodHandle SEGMENT_OF_BYTES;
    private static final MethodHandle ADDRESS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            Class<?> layout = Class.forName("java.lang.foreign.MemoryLayout");
            Class<?> values = Class.forName("java.lang.foreign.ValueLayout");
            Object aLong = values.getField("JAVA_LONG").get(null);
            Object anAddress = values.getField("ADDRESS").get(null);
            Calls calls = new Calls(lookup, segment, layout);
            PERSIST = calls.bind("pmem_persist", false, null, aLong, aLong);
            MEMCPY_PERSIST =
                    calls.bind("pmem_memcpy_persist", true, aLong, aLong, anAddress, aLong);
            SEGMENT_OF_BUFFER = calls.ofArgument(Buffer.class);
            SEGMENT_OF_BYTES = calls.ofArgument(byte[].class);
            ADDRESS = lookup.findVirtual(segment, "address", MethodType.methodType(long.class));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Libpmem() {}

    /** Returns the address of a direct buffer. */
    static long addressOf(Buffer direct) {
        try {
            return (long) ADDRESS.invoke(SEGMENT_OF_BUFFER.invoke(direct));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Flushes the cache lines of a range and fences. */
    static void persist(long address, long length) {
        try {
            PERSIST.invokeExact(address, length);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Copies with whatever stores libpmem thinks best, flushes and fences. */
    static void copyAndPersist(long address, byte[] source) {
        try {
            Object from = SEGMENT_OF_BYTES.invoke(source);
            long copiedTo = (long) MEMCPY_PERSIST.invoke(address, from, (long) source.length);
            assert copiedTo == address;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException r ? r : new IllegalStateException(e);
    }

    /** Binds functions of the library. */
    private static final class Calls {
        private final MethodHandles.Lookup lookup;
        private final Class<?> segment;
        private final Class<?> layout;
        private final Class<?> linkerType = Class.forName("java.lang.foreign.Linker");
        private final Class<?> option = Class.forName("java.lang.foreign.Linker$Option");
        private final Class<?> function = Class.forName("java.lang.foreign.FunctionDescriptor");
        private final Class<?> symbols = Class.forName("java.lang.foreign.SymbolLookup");
        private final Object linker;
        private final Object library;

        Calls(MethodHandles.Lookup lookup, Class<?> segment, Class<?> layout) throws Throwable {
            this.lookup = lookup;
            this.segment = segment;
            this.layout = layout;
            linker =
                    lookup.findStatic(linkerType, "nativeLinker", MethodType.methodType(linkerType))
                            .invoke();
            Class<?> arena = Class.forName("java.lang.foreign.Arena");
            Object global =
                    lookup.findStatic(arena, "global", MethodType.methodType(arena)).invoke();
            library =
                    lookup.findStatic(
                                    symbols,
                                    "libraryLookup",
                                    MethodType.methodType(symbols, String.class, arena))
                            .invoke(LIBRARY, global);
        }

        /** {@code critical}: short, never blocking, and may be handed bytes of the heap. */
        MethodHandle bind(String name, boolean heap, Object result, Object... arguments)
                throws Throwable {
            Class<?> layouts = layout.arrayType();
            Object types = Array.newInstance(layout, arguments.length);
            for (int i = 0; i < arguments.length; i++) {
                Array.set(types, i, arguments[i]);
            }
            Object descriptor =
                    result == null
                            ? lookup.findStatic(
                                            function,
                                            "ofVoid",
                                            MethodType.methodType(function, layouts))
                                    .asFixedArity()
                                    .invoke(types)
                            : lookup.findStatic(
                                            function,
                                            "of",
                                            MethodType.methodType(function, layout, layouts))
                                    .asFixedArity()
                                    .invoke(result, types);
            Object options = Array.newInstance(option, 1);
            Array.set(
                    options,
                    0,
                    lookup.findStatic(
                                    option,
                                    "critical",
                                    MethodType.methodType(option, boolean.class))
                            .invoke(heap));
            Object address =
                    ((Optional<?>)
                                    lookup.findVirtual(
                                                    symbols,
                                                    "find",
                                                    MethodType.methodType(
                                                            Optional.class, String.class))
                                            .invoke(library, name))
                            .orElseThrow(() -> new UnsatisfiedLinkError(LIBRARY + ": " + name));
            return (MethodHandle)
                    lookup.findVirtual(
                                    linkerType,
                                    "downcallHandle",
                                    MethodType.methodType(
                                            MethodHandle.class,
                                            segment,
                                            function,
                                            option.arrayType()))
                            .asFixedArity()
                            .invoke(linker, address, descriptor, options);
        }

        MethodHandle ofArgument(Class<?> type) throws ReflectiveOperationException {
            String name = type.isArray() ? "ofArray" : "ofBuffer";
            return lookup.findStatic(segment, name, MethodType.methodType(segment, type));
        }
    }
}
