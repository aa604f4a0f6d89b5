package io.firn.bench.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Directories of runs. */
final class Trees {
    private static final Path MEMORY = Path.of("/dev/shm");

    private Trees() {}

    /**
     * Returns a place in memory for what a log in a directory keeps outside of its files, if there
     * is memory; it is not created.
     */
    static Path inMemory(Path log) {
        String run = log.getParent().getFileName().toString();
        Path parent = Files.isDirectory(MEMORY) ? MEMORY : log.getParent();
        return parent.resolve(run + "-memory");
    }

    /** Deletes a directory and everything in it. */
    static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException | UncheckedIOException e) {
            if (Files.exists(directory)) {
                throw new IOException("could not delete " + directory, e);
            }
        }
    }

    /** Returns the bytes of the blocks that a directory occupies, which Java cannot tell. */
    static long allocatedBytes(Path directory) throws IOException, InterruptedException {
        Process du =
                new ProcessBuilder("du", "-s", "--block-size=1", directory.toString())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        String line = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (du.waitFor() != 0) {
            throw new IOException("du failed in " + directory + ": GNU du is needed");
        }
        return Long.parseLong(line.split("\\s")[0]);
    }
}
