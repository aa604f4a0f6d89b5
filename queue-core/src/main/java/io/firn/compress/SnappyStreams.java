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

    private SnappyStreams() {}

    /**
     * Returns the size that the blocks announce when decompressed. The library allocates that much
     * before it checks anything else.
     *
     * @throws IOException when a block is longer than the bytes that are left; the library would
     *     allocate its length, too
     */
    static long announced(byte[] source, int from, int length) throws IOException {
        ByteBuffer blocks = ByteBuffer.wrap(source);
        int end = from + length;
        if (length < HEADER_BYTES || blocks.getLong(from) != MAGIC) {
            return announced(blocks, from, end);
        }
        int at = from;
        long total = 0;
        while (at + Integer.BYTES <= end) {
            int size = blocks.getInt(at);
            if (size == (int) (MAGIC >>> Integer.SIZE)) {
                at += HEADER_BYTES;
                continue;
            }
            at += Integer.BYTES;
            if (size < 0 || size > end - at) {
                throw new IOException("a block of " + size + " bytes where " + (end - at) + " are");
            }
            total += announced(blocks, at, at + size);
            at += size;
        }
        return total;
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
