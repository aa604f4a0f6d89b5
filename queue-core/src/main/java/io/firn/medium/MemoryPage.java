package io.firn.medium;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** The size of a page of memory: on aarch64, kernels are built with 4, 16 or 64 KiB. */
final class MemoryPage {
    private static final int LARGEST = 64 * 1024;

    /** The key of the page size among the pairs of words that Linux passes to a program. */
    private static final long AT_PAGESZ = 6;

    private MemoryPage() {}

    /** Returns the size; where the system does not say, one that is a multiple of it. */
    static int bytes() {
        try {
            return read(Files.readAllBytes(Path.of("/proc/self/auxv")));
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
