package io.firn.format;

import io.firn.format.Codecs.BatchInput;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;

/**
 * The blocks of a Snappy stream, one after another. They say how large they are when decompressed,
 * so that no stream with buffers of its own is needed where all of them are wanted. Not
 * thread-safe.
 */
final class SnappyBlocks {
    /**
     * Before each run of blocks: a magic number and two versions. Without it there is one block.
     */
    private static final int HEADER_BYTES = 16;

    private static final long MAGIC = 0x8253_4e41_5050_5900L;

    private static final MethodHandle LENGTH =
            function("uncompressedLength", byte[].class, int.class, int.class);
    private static final MethodHandle DECOMPRESS =
            function("uncompress", byte[].class, int.class, int.class, byte[].class, int.class);

    private final ByteBuffer source;
    private final int end;
    private final boolean isFramed;
    private int next;
    private int at;
    private int size;

    private SnappyBlocks(ByteBuffer source, int from, int length) {
        this.source = source;
        this.end = from + length;
        this.isFramed = length >= HEADER_BYTES && source.getLong(from) == MAGIC;
        this.next = from;
    }

    /**
     * Returns the size that all blocks announce when decompressed. The library allocates that much
     * before it checks anything else.
     *
     * @throws IOException when one is longer than the bytes that are left
     */
    static long announced(ByteBuffer source, int from, int length) throws IOException {
        SnappyBlocks blocks = new SnappyBlocks(source, from, length);
        long total = 0;
        while (blocks.next()) {
            total += blocks.announced();
        }
        return total;
    }

    /**
     * Returns the most bytes that {@link #stream} holds: the largest block, and as it is
     * compressed; both twice where the library's arrays grow from block to block.
     */
    static long held(ByteBuffer source, int from, int length) throws IOException {
        SnappyBlocks blocks = new SnappyBlocks(source, from, length);
        long largest = 0;
        int longest = 0;
        while (blocks.next()) {
            largest = Math.max(largest, blocks.announced());
            longest = Math.max(longest, blocks.size);
        }
        return (blocks.isFramed ? 2 : 1) * (largest + longest);
    }

    /**
     * Returns a stream of the decompressed bytes. A block without a header is decompressed here:
     * the library's stream reads it into an array that it doubles, and needs three of its size.
     */
    static InputStream stream(ByteBuffer source, int from, int length) throws IOException {
        SnappyBlocks blocks = new SnappyBlocks(source, from, length);
        if (blocks.isFramed || length == 0) {
            return SnappyStreams.input(new BatchInput(source, from, length));
        }
        byte[] all = new byte[Math.toIntExact(announced(source, from, length))];
        return new ByteArrayInputStream(all, 0, decompress(source, from, length, all));
    }

    /**
     * Decompresses all blocks.
     *
     * @param target as large as they announce, or larger
     * @return how many bytes there are
     */
    static int decompress(ByteBuffer source, int from, int length, byte[] target)
            throws IOException {
        byte[] copy = new byte[longest(source, from, length)];
        int written = 0;
        SnappyBlocks blocks = new SnappyBlocks(source, from, length);
        while (blocks.next()) {
            written += blocks.decompress(copy, target, written);
        }
        return written;
    }

    private static int longest(ByteBuffer source, int from, int length) throws IOException {
        SnappyBlocks blocks = new SnappyBlocks(source, from, length);
        int longest = 0;
        while (blocks.next()) {
            longest = Math.max(longest, blocks.size);
        }
        return longest;
    }

    /** Goes to the next block; false after the last. */
    private boolean next() throws IOException {
        while (isFramed && end - next >= Integer.BYTES) {
            size = source.getInt(next);
            if (size == (int) (MAGIC >>> Integer.SIZE)) {
                next += HEADER_BYTES;
                continue;
            }
            at = next + Integer.BYTES;
            if (size < 0 || size > end - at) {
                throw new IOException("a block of " + size + " bytes where " + (end - at) + " are");
            }
            next = at + size;
            return true;
        }
        if (isFramed || next < 0) {
            return false;
        }
        at = next;
        size = end - at;
        next = -1;
        return true;
    }

    /** Returns the size that it announces: seven bits a byte, least significant first. */
    private long announced() {
        long value = 0;
        for (int i = 0; i < 5 && i < size; i++) {
            byte each = source.get(at + i);
            value |= (long) (each & 0x7f) << (7 * i);
            if (each >= 0) {
                break;
            }
        }
        return value;
    }

    /** Native code writes as much as the copy announces, which is checked with its own code. */
    private int decompress(byte[] copy, byte[] target, int to) throws IOException {
        source.get(at, copy, 0, size);
        try {
            int bytes = (int) LENGTH.invokeExact(copy, 0, size);
            if (bytes < 0 || bytes > target.length - to) {
                throw new IOException("a block of " + bytes + " bytes, which is too many");
            }
            return (int) DECOMPRESS.invokeExact(copy, 0, size, target, to);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }

    /** Returns a static method of the library that returns an int. */
    private static MethodHandle function(String name, Class<?>... parameters) {
        String className = "org.xerial.snappy.Snappy";
        try {
            Class<?> type = Class.forName(className);
            return MethodHandles.publicLookup()
                    .findStatic(type, name, MethodType.methodType(int.class, parameters));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(className + " has no method " + name, e);
        }
    }
}
