package io.firn.compress;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;

/**
 * Snappy through method handles: its jar has no module name, and a module that requires one by the
 * jar's file name would not survive a renamed jar.
 */
final class SnappyStreams {
    private static final MethodHandle INPUT =
            constructor("org.xerial.snappy.SnappyInputStream", InputStream.class);
    private static final MethodHandle OUTPUT =
            constructor("org.xerial.snappy.SnappyOutputStream", OutputStream.class);

    /** Before each run of frames: a magic number and two versions. */
    private static final int HEADER_BYTES = 16;

    private static final long MAGIC = 0x8253_4e41_5050_5900L;

    /** The library reads a block without a header into an array that it doubles. */
    private static final int READ_COPIES = 3;

    private SnappyStreams() {}

    /**
     * Returns the size that the blocks announce when decompressed. The library allocates that much
     * before it checks anything else.
     *
     * @param source the blocks, from the position to the limit
     * @throws IOException when a block is longer than the bytes that are left; the library would
     *     allocate its length, too
     */
    static long announced(ByteBuffer source) throws IOException {
        return sizes(source)[0];
    }

    /**
     * Returns the most bytes that the library holds while it decompresses: the largest block, twice
     * where arrays grow from block to block, and as it is compressed.
     */
    static long held(ByteBuffer source) throws IOException {
        return sizes(source)[1];
    }

    private static long[] sizes(ByteBuffer source) throws IOException {
        int from = source.position();
        int end = source.limit();
        if (end - from < HEADER_BYTES || source.getLong(from) != MAGIC) {
            long announced = announced(source, from, end);
            return new long[] {announced, announced + (long) READ_COPIES * (end - from)};
        }
        int at = from;
        long total = 0;
        long largest = 0;
        int longest = 0;
        while (at + Integer.BYTES <= end) {
            int size = source.getInt(at);
            if (size == (int) (MAGIC >>> Integer.SIZE)) {
                at += HEADER_BYTES;
                continue;
            }
            at += Integer.BYTES;
            if (size < 0 || size > end - at) {
                throw new IOException("a block of " + size + " bytes where " + (end - at) + " are");
            }
            long announced = announced(source, at, at + size);
            total += announced;
            largest = Math.max(largest, announced);
            longest = Math.max(longest, size);
            at += size;
        }
        return new long[] {total, 2 * (largest + longest)};
    }

    /** Returns the size that a block announces: seven bits a byte, least significant first. */
    private static long announced(ByteBuffer blocks, int from, int end) {
        long value = 0;
        for (int i = 0; i < 5 && from + i < end; i++) {
            byte next = blocks.get(from + i);
            value |= (long) (next & 0x7f) << (7 * i);
            if (next >= 0) {
                break;
            }
        }
        return value;
    }

    static InputStream input(InputStream in) throws IOException {
        try {
            return (InputStream) INPUT.invoke(in);
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    static OutputStream output(OutputStream out) throws IOException {
        try {
            return (OutputStream) OUTPUT.invoke(out);
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    private static MethodHandle constructor(String className, Class<?> stream) {
        try {
            Class<?> type = Class.forName(className);
            return MethodHandles.publicLookup()
                    .findConstructor(type, MethodType.methodType(void.class, stream));
        } catch (ReflectiveOperationException e) {
            NoClassDefFoundError missing = new NoClassDefFoundError(className);
            missing.initCause(e);
            throw missing;
        }
    }

    private static IOException rethrown(Throwable e) throws IOException {
        if (e instanceof IOException io) {
            throw io;
        }
        if (e instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (e instanceof Error error) {
            throw error;
        }
        throw new IOException(e);
    }
}
