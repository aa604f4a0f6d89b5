package io.firn.medium;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * Maps a file so that it can be unmapped explicitly. From Java 22 on an {@code Arena} does this;
 * before, {@code Unsafe.invokeCleaner} is the only way; later versions print a warning for it. Both
 * are public, and neither needs a flag.
 */
interface Mapper {
    /** The implementation for this version of Java. */
    Mapper INSTANCE = Runtime.version().feature() >= 22 ? new ByArena() : new ByCleaner();

    /**
     * Maps a piece of a file.
     *
     * @throws IOException when the system refuses
     */
    Mapped map(FileChannel channel, MapMode mode, long position, int length) throws IOException;

    /** Returns whether access to an unmapped buffer throws an exception rather than end the JVM. */
    boolean isUnmappingSafe();

    /** A mapping, and the action that unmaps it. */
    record Mapped(MappedByteBuffer buffer, Runnable unmapper) {}

    /** Java 17 to 21. */
    final class ByCleaner implements Mapper {
        private final MethodHandle invokeCleaner;

        @SuppressWarnings("unused") // written, so that no compiler leaves it out
        private volatile Object madeByVm;

        private volatile int one = 1;

        ByCleaner() {
            try {
                Class<?> type = Class.forName("sun.misc.Unsafe");
                Field instance = type.getDeclaredField("theUnsafe");
                instance.setAccessible(true);
                invokeCleaner =
                        MethodHandles.publicLookup()
                                .findVirtual(
                                        type,
                                        "invokeCleaner",
                                        MethodType.methodType(void.class, ByteBuffer.class))
                                .bindTo(instance.get(null));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(
                        "this Java runtime lacks the module jdk.unsupported, without which no file"
                                + " can be unmapped: add it to the runtime image",
                        e);
            }
        }

        @Override
        public Mapped map(FileChannel channel, MapMode mode, long position, int length)
                throws IOException {
            MappedByteBuffer buffer = channel.map(mode, position, length);
            return new Mapped(buffer, () -> clean(buffer));
        }

        @Override
        public boolean isUnmappingSafe() {
            return false;
        }

        void clean(MappedByteBuffer buffer) {
            InternalError fault = pendingFault();
            try {
                invokeCleaner.invoke((ByteBuffer) buffer);
            } catch (Throwable e) {
                throw sneaky(e);
            }
            if (fault != null) {
                throw fault;
            }
        }

        /**
         * Returns what is known of a page that this thread touched and that is gone. Compiled code
         * tells it only when the thread next enters the virtual machine; were that inside of the
         * JDK's cleaner, it would end the process. Arrays of arrays of a size that the compiler
         * does not know are made in there.
         */
        private InternalError pendingFault() {
            try {
                madeByVm = new byte[one][one];
                return null;
            } catch (InternalError e) {
                return e;
            }
        }
    }

    /** Java 22 and later; compiled for 17, so the API is reached through handles. */
    final class ByArena implements Mapper {
        private final MethodHandle ofShared;
        private final MethodHandle map;
        private final MethodHandle asByteBuffer;
        private final MethodHandle close;

        ByArena() {
            try {
                MethodHandles.Lookup lookup = MethodHandles.publicLookup();
                Class<?> arena = Class.forName("java.lang.foreign.Arena");
                Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
                ofShared = lookup.findStatic(arena, "ofShared", MethodType.methodType(arena));
                close = lookup.findVirtual(arena, "close", MethodType.methodType(void.class));
                map =
                        lookup.findVirtual(
                                FileChannel.class,
                                "map",
                                MethodType.methodType(
                                        segment, MapMode.class, long.class, long.class, arena));
                asByteBuffer =
                        lookup.findVirtual(
                                segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(
                        "this Java runtime says it is version "
                                + Runtime.version()
                                + " but has no java.lang.foreign.Arena as of 22",
                        e);
            }
        }

        @Override
        public Mapped map(FileChannel channel, MapMode mode, long position, int length)
                throws IOException {
            Object arena = null;
            try {
                arena = ofShared.invoke();
                Object segment = map.invoke(channel, mode, position, (long) length, arena);
                Object buffer = asByteBuffer.invoke(segment);
                Object owner = arena;
                return new Mapped((MappedByteBuffer) buffer, () -> close(owner));
            } catch (IOException | UnsupportedOperationException e) {
                close(arena);
                throw e;
            } catch (Throwable e) {
                throw sneaky(e);
            }
        }

        @Override
        public boolean isUnmappingSafe() {
            return true;
        }

        private void close(Object arena) {
            try {
                close.invoke(arena);
            } catch (Throwable e) {
                throw sneaky(e);
            }
        }
    }

    /** Rethrows what a method handle threw; none called here declares a checked exception. */
    private static RuntimeException sneaky(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException r ? r : new IllegalStateException(e);
    }
}
