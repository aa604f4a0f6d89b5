package io.firn.examples;

import io.firn.LogStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;

/**
 * The writer that {@code --kill} kills: a JVM of its own. It says on its standard output how far
 * the log has acknowledged, and never ends by itself: it stops at three quarters of the file and
 * waits.
 */
final class ReplayChild {
    private static final int SAY_EVERY_BYTES = 64 * 1024;
    private static final int KILLED = 128 + 9;

    /** What the child has said last. */
    record Acked(long lines, long bytes) {}

    private ReplayChild() {}

    /** Starts a child, and kills it as soon as it has said that half of the file is appended. */
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
        try (BufferedReader words = child.inputReader()) {
            Acked acked = new Acked(0, 0);
            for (String line = words.readLine(); line != null; line = words.readLine()) {
                List<Long> said = List.of(line.split(" ")).stream().map(Long::valueOf).toList();
                acked = new Acked(said.get(0), said.get(1));
                progress.onAppended(acked.lines, acked.bytes);
                if (acked.bytes >= size / 2) {
                    // Process.destroyForcibly would also throw away what the child has said.
                    child.toHandle().destroyForcibly();
                }
            }
            int status = child.waitFor();
            if (status != KILLED) {
                throw new IOException(
                        "the writer should have been killed, and ended by itself with " + status);
            }
            return acked;
        } finally {
            child.destroyForcibly();
        }
    }

    /** The child: file, where to stop, directory, topic, records in a batch. */
    public static void main(String[] args) throws IOException {
        Examples.quiet();
        long end = Long.parseLong(args[1]);
        try (Lines lines = new Lines(Path.of(args[0]));
                LogStore store = Replay.open(Path.of(args[2]))) {
            long[] said = {0};
            ReplayWriter.write(
                    lines,
                    end,
                    store.openTopic(args[3]).partition(0),
                    Integer.parseInt(args[4]),
                    (count, bytes) -> {
                        if (bytes - said[0] >= SAY_EVERY_BYTES) {
                            said[0] = bytes;
                            say(count, bytes);
                        }
                    });
            say(lines.count(), lines.position());
            while (System.in.read() >= 0) {
                // until killed, or alone
            }
        }
    }

    private static void say(long lines, long bytes) {
        System.out.print(lines + " " + bytes + "\n");
        if (System.out.checkError()) {
            throw new IllegalStateException("nobody listens any more");
        }
    }
}
