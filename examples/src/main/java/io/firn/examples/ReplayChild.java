package io.firn.examples;

import io.firn.LogStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;

/**
 * The writer that {@code --kill} kills, in a JVM of its own. Prints how much the log has
 * acknowledged, and never exits: it stops after three quarters of the file and waits.
 */
final class ReplayChild {
    private static final int REPORT_EVERY_BYTES = 64 * 1024;
    private static final int KILLED = 128 + 9;

    /** What the child has reported last. */
    record Acked(long lines, long bytes) {}

    private ReplayChild() {}

    /** Starts a child and kills it when it has reported that half of the file is appended. */
    static Acked killHalfWay(
            Path file, long size, Path dir, String topic, int batch, ReplayWriter.Progress progress)
            throws IOException, InterruptedException {
        Process child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                ReplayChild.class.getName(),
                                file.toString(),
                                Long.toString(size - size / 4),
                                dir.toString(),
                                topic,
                                Integer.toString(batch))
                        .redirectError(Redirect.INHERIT)
                        .start();
        try (BufferedReader output = child.inputReader()) {
            Acked acked = new Acked(0, 0);
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                List<Long> numbers = List.of(line.split(" ")).stream().map(Long::valueOf).toList();
                acked = new Acked(numbers.get(0), numbers.get(1));
                progress.onAppended(acked.lines, acked.bytes);
                if (acked.bytes >= size / 2) {
                    // Process.destroyForcibly would also discard what the child has printed.
                    child.toHandle().destroyForcibly();
                }
            }
            int status = child.waitFor();
            if (status != KILLED) {
                throw new IOException(
                        "the writer was to be killed, but exited with status " + status);
            }
            return acked;
        } finally {
            child.destroyForcibly();
        }
    }

    /** Runs the child; arguments: file, where to stop, directory, topic, records in a batch. */
    public static void main(String[] args) throws IOException {
        Examples.quiet();
        long end = Long.parseLong(args[1]);
        try (Lines lines = new Lines(Path.of(args[0]));
                LogStore store = ReplayWriter.open(Path.of(args[2]))) {
            long[] reported = {0};
            ReplayWriter.write(
                    lines,
                    end,
                    store.openTopic(args[3]).partition(0),
                    Integer.parseInt(args[4]),
                    (count, bytes) -> {
                        if (bytes - reported[0] >= REPORT_EVERY_BYTES) {
                            reported[0] = bytes;
                            report(count, bytes);
                        }
                    });
            report(lines.count(), lines.position());
            while (System.in.read() >= 0) {
                // until it is killed, or until its parent exits
            }
        }
    }

    private static void report(long lines, long bytes) {
        System.out.print(lines + " " + bytes + "\n");
        if (System.out.checkError()) {
            throw new IllegalStateException("the parent has exited");
        }
    }
}
