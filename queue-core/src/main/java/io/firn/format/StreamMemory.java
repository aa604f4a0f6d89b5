package io.firn.format;

import io.firn.Compression;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** How much memory a codec needs beside the bytes that it returns, as the compressed bytes say. */
final class StreamMemory {
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
     * Returns the bytes that a stream takes as soon as it is opened, or with its first block. What
     * ZSTD takes depends on the content as well: see {@link #zstdWindow}.
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
