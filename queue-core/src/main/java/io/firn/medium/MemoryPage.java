package io.firn.medium;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/** The size of a page of memory: on aarch64, kernels are built with 4, 16 or 64 KiB. */
final class MemoryPage {
    private static final int LARGEST = 64 * 1024;

    /** The key of the page size among the pairs of words that Linux passes to a program. */
    private static final long AT_PAGESZ = 6;

    private MemoryPage() {}

    /** Returns the size; where the system does not say, one that is a multiple of it. */
    static int bytes() {
        // Not through a channel, which may need direct memory when there is none left.
        try (InputStream pairs = new FileInputStream("/proc/self/auxv")) {
            return read(pairs.readAllBytes());
        } catch (IOException | RuntimeException e) {
            return System.getProperty("os.arch").equals("amd64") ? 4096 : LARGEST;
        }
    }

    static int read(byte[] pairs) {
        LongBuffer words = ByteBuffer.wrap(pairs).order(ByteOrder.nativeOrder()).asLongBuffer();
        while (words.get() != AT_PAGESZ) {
            words.get();
        }
        return Math.toIntExact(words.get());
    }
}
