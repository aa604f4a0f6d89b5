package io.firn.bench.kafka;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Functions for directories with all of their files. */
final class Trees {
    private Trees() {}

    static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    /** Returns the space of all files and directories on the disk, as du prints it. */
    static long usedBytes(Path directory) throws IOException {
        Process du = new ProcessBuilder("du", "-sk", directory.toString()).start();
        try (var reader = du.inputReader()) {
            String line = reader.readLine();
            if (line == null) {
                throw new IOException("du -sk " + directory + " printed nothing");
            }
            return 1024 * Long.parseLong(line.split("\\s", 2)[0]);
        }
    }

    /**
     * Lets the system allocate memory for files and free it again. On a virtual machine that
     * returns free memory to its host, the first access to a page is expensive (measured: 11 us for
     * 4 KiB), and the server that runs first would pay for the other.
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

    /** Evicts the files of a directory from the page cache. */
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
