package io.firn.pmem;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The three methods of llpl's {@code MemoryPool} that are needed, found by name because its jar has
 * no module name. Loading this class loads llpl and its native libraries; only {@link NativeAccess}
 * does so.
 */
final class Llpl {
    static final String POOL = "com.intel.pmem.llpl.MemoryPool";

    private static final MethodHandle OPEN;
    private static final MethodHandle SIZE;
    private static final MethodHandle FLUSH;

    static {
        try {
            Class<?> pool = Class.forName(POOL);
            // Its class initialiser loads the native libraries.
            Class<?> loading = Class.forName("com.intel.pmem.llpl.MemoryPoolImpl");
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            OPEN =
                    lookup.findStatic(pool, "openPool", MethodType.methodType(pool, String.class))
                            .asType(MethodType.methodType(Object.class, String.class));
            SIZE =
                    lookup.findVirtual(pool, "size", MethodType.methodType(long.class))
                            .asType(MethodType.methodType(long.class, Object.class));
            FLUSH =
                    lookup.findVirtual(
                                    pool,
                                    "flush",
                                    MethodType.methodType(void.class, long.class, long.class))
                            .asType(
                                    MethodType.methodType(
                                            void.class, Object.class, long.class, long.class));
            assert loading != null;
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Llpl() {}

    /** Maps an existing file; it cannot be unmapped. */
    static Object open(String path) {
        try {
            return OPEN.invokeExact(path);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long size(Object pool) {
        try {
            return (long) SIZE.invokeExact(pool);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Flushes the cache lines of a range and fences. */
    static void flush(Object pool, long position, long length) {
        try {
            FLUSH.invokeExact(pool, position, length);
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
}
