package io.firn.bench.kafka;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories with all that is in them. */
final class Trees {
    private Trees() {}

    static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    /**
     * Has the system take memory for files and free it again. A virtual machine that gives free
     * memory back to its host pays for the first touch of a page much more than for all the rest
     * (measured: 11 us for 4 KiB), and whoever runs first would pay it for the other.
     */
    static void warmMemory(Path directory, int mb) throws IOException {
        Path file = Files.createTempFile(directory, "memory-", null);
        byte[] piece = new byte[1 << 20];
        try (OutputStream stream = Files.newOutputStream(file)) {
            for (int i = 0; i < mb; i++) {
                stream.write(piece);
            }
        } finally {
            Files.delete(file);
        }
    }

    /** Has the system forget what it has of the files in memory. */
    static void evict(Path directory) throws IOException, InterruptedException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            Process process =
                    new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            if (process.waitFor() != 0) {
                throw new IOException("dd iflag=nocache failed on " + file);
            }
        }
    }
}
