package io.firn.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Directories that a benchmark creates and deletes again. */
final class Places {
    /** A file system in memory. */
    static final Path MEMORY = Path.of("/dev/shm");

    private static final String PREFIX = "firn-bench-";

    private Places() {}

    /** Whether this machine has {@link #MEMORY}. */
    static boolean hasMemory() {
        return Files.isDirectory(MEMORY) && Files.isWritable(MEMORY);
    }

    /** Creates a new directory in a parent, which is created if it is missing. */
    static Path make(Path parent) throws IOException {
        return Files.createTempDirectory(Files.createDirectories(parent), PREFIX);
    }

    /** Creates a new directory in the named one; if the name is empty, in memory or in target/. */
    static Path make(String parent) throws IOException {
        if (!parent.isEmpty()) {
            return make(Path.of(parent));
        }
        return make(hasMemory() ? MEMORY : Path.of("target"));
    }

    /** Deletes a directory and everything in it. */
    static void delete(Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException e) {
            return; // it is already deleted
        } catch (IOException e) {
            throw new UncheckedIOException("could not delete " + directory, e);
        }
    }
}
