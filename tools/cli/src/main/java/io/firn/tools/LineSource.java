package io.firn.tools;

import io.firn.InvalidOptionException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Parameters;

/** A topic, and files of which each line is a record for it, or the standard input. */
final class LineSource {
    private static final int BUFFER_BYTES = 1 << 16;

    @Parameters(index = "0", paramLabel = "TOPIC", description = StoreArguments.TOPIC)
    private String topic;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "FILE",
            description = "Files to read. Default: the standard input")
    private List<Path> files = List.of();

    /** What is done with a line. */
    @FunctionalInterface
    interface Consumer {
        /**
         * Takes a line.
         *
         * @param where the file and the number of the line, for messages
         */
        void accept(byte[] line, String where) throws IOException;
    }

    String topic() {
        return topic;
    }

    List<Path> files() {
        return files;
    }

    /**
     * Hands out all lines, without their newlines.
     *
     * @param idle is called when a line may be followed by none for a while
     * @throws InvalidOptionException when there is no such file
     */
    void forEach(InputStream standardInput, Consumer lines, Runnable idle) throws IOException {
        if (files.isEmpty()) {
            forEach(standardInput, "the standard input", lines, idle);
        }
        for (Path file : files) {
            try (InputStream in = open(file)) {
                forEach(in, file.toString(), lines, idle);
            }
        }
    }

    static InputStream open(Path file) throws IOException {
        try {
            return Files.newInputStream(file);
        } catch (NoSuchFileException e) {
            throw new InvalidOptionException("there is no file " + file);
        }
    }

    private static void forEach(InputStream from, String name, Consumer lines, Runnable idle)
            throws IOException {
        InputStream in = new BufferedInputStream(from, BUFFER_BYTES);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        long count = 0;
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next != '\n') {
                line.write(next);
                continue;
            }
            count++;
            lines.accept(line.toByteArray(), name + ", line " + count);
            line.reset();
            if (in.available() == 0) {
                idle.run(); // who types waits for it
            }
        }
        if (line.size() > 0) {
            lines.accept(line.toByteArray(), name + ", line " + (count + 1));
        }
    }
}
