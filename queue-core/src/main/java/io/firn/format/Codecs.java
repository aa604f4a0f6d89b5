package io.firn.format;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.firn.Compression;
import io.firn.MissingCodecException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.Stream;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG;

/**
 * Compression of the records of a batch, in the framings that Kafka's clients use. The libraries
 * are loaded on first use; a store that never uses a codec does not need its library. Thread-safe.
 */
public final class Codecs {
    /**
     * The most bytes that the blocks or the window of {@link #openSmall} take: enough for LZ4's
     * largest blocks, and for zstd's windows up to level 19.
     */
    public static final int MOST_HELD = 1 << ZstdStreams.WINDOW_LOG;

    private static final CodecLibrary[] LIBRARIES =
            Stream.of(Compression.values()).map(CodecLibrary::of).toArray(CodecLibrary[]::new);

    private Codecs() {}

    /**
     * Appends the compressed bytes to the target.
     *
     * @throws MissingCodecException when the codec's library is not there, or does not load
     */
    public static void compress(
            Compression codec, byte[] source, int from, int length, Scratch target) {
        LIBRARIES[codec.ordinal()].require();
        try (OutputStream out = output(codec, new ScratchOutput(target))) {
            out.write(source, from, length);
        } catch (IOException e) {
            throw new IllegalStateException("compressing in memory cannot fail", e);
        }
    }

    /**
     * Returns a stream of the decompressed bytes.
     *
     * @param maxBytes the most bytes that blocks may announce, where the library allocates as much
     *     as they announce
     * @throws IOException when the bytes are not what the codec wrote
     * @throws MissingCodecException when the codec's library is not there, or does not load
     */
    public static InputStream open(Compression codec, byte[] source, int maxBytes)
            throws IOException {
        LIBRARIES[codec.ordinal()].require();
        if (codec == Compression.SNAPPY) {
            return snappy(ByteBuffer.wrap(source), maxBytes, Long.MAX_VALUE);
        }
        return input(codec, new ByteArrayInputStream(source));
    }

    /**
     * Returns a stream of the decompressed bytes whose decompressor takes little memory, on the
     * heap or outside.
     *
     * @param source the compressed bytes, from the position to the limit; not copied
     * @param maxBytes the most bytes that all blocks may announce, where they are announced
     * @throws IOException when the bytes are not what the codec wrote, or decompressing them takes
     *     more than {@link #MOST_HELD}
     */
    public static InputStream openSmall(Compression codec, ByteBuffer source, int maxBytes)
            throws IOException {
        LIBRARIES[codec.ordinal()].require();
        if (codec == Compression.SNAPPY) {
            return snappy(source, maxBytes, MOST_HELD);
        }
        InputStream in = new BatchInput(source, source.position(), source.remaining());
        return codec == Compression.ZSTD ? ZstdStreams.smallInput(in) : input(codec, in);
    }

    private static InputStream snappy(ByteBuffer source, int maxBytes, long mostHeld)
            throws IOException {
        int from = source.position();
        int length = source.remaining();
        if (SnappyBlocks.announced(source, from, length) > maxBytes) {
            throw new IOException("batch decompresses to more than " + maxBytes + " bytes");
        }
        long held = SnappyBlocks.held(source, from, length);
        if (held > mostHeld) {
            throw new IOException(tooLarge("a block", held));
        }
        try {
            return SnappyBlocks.stream(source, from, length);
        } catch (IOException e) {
            throw explained(Compression.SNAPPY, e);
        }
    }

    private static String tooLarge(String what, long bytes) {
        return what
                + " of it takes "
                + (bytes < 0 ? "" : bytes + " bytes, ")
                + "more than the "
                + MOST_HELD
                + " bytes that there are for decompressing";
    }

    /** Returns an exception that says why a stream cannot be decompressed. */
    public static IOException explained(Compression codec, IOException e) {
        if (e instanceof EOFException) {
            return e;
        }
        return codec == Compression.ZSTD && ZstdStreams.isWindowTooLarge(e)
                ? new IOException(tooLarge("a window", -1), e)
                : new IOException(codec + " stream is damaged: " + e, e);
    }

    /**
     * Returns how much memory {@link #open} and reading take beside the compressed bytes.
     *
     * @throws IOException when the bytes are not what the codec wrote
     */
    public static long streamMemory(Compression codec, ByteBuffer source, int from, int length)
            throws IOException {
        return switch (codec) {
            case NONE, GZIP -> 0;
            case SNAPPY -> SnappyBlocks.held(source, from, length);
            case LZ4 -> StreamMemory.atOnce(codec, source, from, length);
            case ZSTD -> StreamMemory.zstdWindow(source, from, length);
        };
    }

    /** Throws a {@link MissingCodecException} when the codec's library cannot be used. */
    static void require(Compression codec) {
        LIBRARIES[codec.ordinal()].require();
    }

    /**
     * Returns a stream that compresses what is written to it. Closing it ends the compression.
     *
     * @throws MissingCodecException when the codec's library is not there, or does not load
     */
    public static OutputStream compressing(Compression codec, OutputStream target)
            throws IOException {
        LIBRARIES[codec.ordinal()].require();
        return output(codec, target);
    }

    static OutputStream output(Compression codec, OutputStream out) throws IOException {
        return switch (codec) {
            case NONE -> out;
            case GZIP -> new java.util.zip.GZIPOutputStream(out, 8192);
            case SNAPPY -> SnappyStreams.output(out);
            case LZ4 -> Lz4Streams.output(out);
            case ZSTD -> ZstdStreams.output(out);
        };
    }

    static InputStream input(Compression codec, InputStream in) throws IOException {
        return switch (codec) {
            case NONE -> in;
            case GZIP -> new java.util.zip.GZIPInputStream(in, 8192);
            case SNAPPY -> SnappyStreams.input(in);
            case LZ4 -> Lz4Streams.input(in);
            case ZSTD -> ZstdStreams.input(in);
        };
    }

    private static final class ScratchOutput extends OutputStream {
        private final Scratch target;

        ScratchOutput(Scratch target) {
            this.target = target;
        }

        @Override
        public void write(int b) {
            int at = target.length();
            target.ensure(at + 1)[at] = (byte) b;
            target.length(at + 1);
        }

        @Override
        public void write(byte[] source, int from, int length) {
            int at = target.length();
            System.arraycopy(source, from, target.ensure(at + length), at, length);
            target.length(at + length);
        }
    }

    /** LZ4 streams; a class of its own, so that the library is loaded only when it is needed. */
    private static final class Lz4Streams {
        private Lz4Streams() {}

        static InputStream input(InputStream in) throws IOException {
            return new LZ4FrameInputStream(in, true);
        }

        static OutputStream output(OutputStream out) throws IOException {
            return new LZ4FrameOutputStream(out, BLOCKSIZE.SIZE_64KB, FLG.Bits.BLOCK_INDEPENDENCE);
        }
    }

    /**
     * Zstandard streams; a class of its own, so that the library is loaded only when it is needed.
     */
    private static final class ZstdStreams {
        /** Of the largest window that {@link #smallInput} allocates. */
        static final int WINDOW_LOG = 23;

        /** ZSTD_error_frameParameter_windowTooLarge. */
        private static final long WINDOW_TOO_LARGE = 16;

        private ZstdStreams() {}

        static InputStream input(InputStream in) throws IOException {
            return new ZstdInputStreamNoFinalizer(in);
        }

        /**
         * As {@link #input}, but refuses larger windows; by default up to 128 MiB are allocated.
         */
        static InputStream smallInput(InputStream in) throws IOException {
            return new ZstdInputStreamNoFinalizer(in).setLongMax(WINDOW_LOG);
        }

        static boolean isWindowTooLarge(IOException e) {
            return e instanceof ZstdIOException zstd && zstd.getErrorCode() == WINDOW_TOO_LARGE;
        }

        static OutputStream output(OutputStream out) throws IOException {
            return new ZstdOutputStreamNoFinalizer(out);
        }
    }

    /** Reads a part of a buffer, whose position it leaves alone. Not thread-safe. */
    static final class BatchInput extends InputStream {
        private final ByteBuffer source;
        private final int end;
        private int at;

        BatchInput(ByteBuffer source, int from, int length) {
            this.source = source;
            this.at = from;
            this.end = from + length;
        }

        @Override
        public int read() {
            return at < end ? source.get(at++) & 0xFF : -1;
        }

        @Override
        public int read(byte[] target, int from, int length) {
            if (length == 0) {
                return 0;
            }
            int n = Math.min(length, end - at);
            if (n <= 0) {
                return -1;
            }
            source.get(at, target, from, n);
            at += n;
            return n;
        }

        @Override
        public long skip(long n) {
            int skipped = (int) Math.max(0, Math.min(n, end - at));
            at += skipped;
            return skipped;
        }

        @Override
        public int available() {
            return end - at;
        }
    }

    /**
     * How much memory a codec needs beside the bytes that it returns, as the compressed bytes say.
     */
    static final class StreamMemory {
        /** Where an LZ4 frame says how large its blocks are, behind its magic number and flags. */
        private static final int LZ4_BLOCK_SIZE = 5;

        /** The library holds a block compressed, and twice decompressed. */
        private static final int LZ4_BLOCKS = 3;

        private static final int ZSTD_MAGIC = 0xFD2F_B528;
        private static final int ZSTD_SINGLE_SEGMENT = 0x20;
        private static final int ZSTD_LEAST_WINDOW_LOG = 10;
        private static final int ZSTD_LONGEST_HEADER = 18;

        private StreamMemory() {}

        /**
         * Returns the bytes that a stream takes as soon as it is opened, or with its first block.
         * What ZSTD takes depends on the content as well: see {@link #zstdWindow}.
         */
        static long atOnce(Compression codec, ByteBuffer source, int from, int length) {
            if (codec != Compression.LZ4 || length <= LZ4_BLOCK_SIZE) {
                return 0;
            }
            int sizeId = source.get(from + LZ4_BLOCK_SIZE) >> 4 & 7;
            return LZ4_BLOCKS * (1L << (2 * sizeId + 8));
        }

        /** Returns the window of the first ZSTD frame: memory outside of the heap. */
        static long zstdWindow(ByteBuffer bytes, int from, int length) {
            ByteBuffer source = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
            if (length < ZSTD_LONGEST_HEADER || source.getInt(from) != ZSTD_MAGIC) {
                return 0;
            }
            int descriptor = source.get(from + 4) & 0xFF;
            if ((descriptor & ZSTD_SINGLE_SEGMENT) != 0) {
                int dictionaryId = descriptor & 3;
                int at = from + 5 + (dictionaryId == 3 ? 4 : dictionaryId);
                return switch (descriptor >> 6) { // the window is as large as the content
                    case 0 -> source.get(at) & 0xFF;
                    case 1 -> (source.getShort(at) & 0xFFFF) + 256;
                    case 2 -> source.getInt(at) & 0xFFFF_FFFFL;
                    default -> source.getLong(at) & Long.MAX_VALUE;
                };
            }
            int window = source.get(from + 5) & 0xFF;
            long base = 1L << (ZSTD_LEAST_WINDOW_LOG + (window >> 3));
            return base + (base >> 3) * (window & 7);
        }
    }
}
