package io.firn.pmem;

import io.firn.LogReader;
import io.firn.LogRecord;
import io.firn.OffsetOutOfRangeException;
import io.firn.PartitionReader;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Another process that tails a store, slowly, and says what it saw. */
final class FollowingChild {
    private FollowingChild() {}

    static Process start(Path directory, int count, Path output) throws IOException {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FollowingChild.class.getName(),
                        directory.toString(),
                        Integer.toString(count));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(output.toFile())
                .start();
    }

    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        long[] next = {0};
        int jumps = 0;
        try (LogReader store = PmemFollowerTest.readers(directory).openReadOnly()) {
            PartitionReader log = store.openTopic("t").partition(0);
            Tailer tailer = log.openTailer();
            System.out.println("following");
            while (next[0] < count) {
                try {
                    tailer.poll(record -> look(record, next), 10, Duration.ofMillis(100));
                } catch (OffsetOutOfRangeException overtaken) {
                    next[0] = overtaken.logStartOffset();
                    tailer.seek(next[0]);
                    jumps++;
                }
            }
            System.out.println(
                    log.damage().isEmpty()
                            ? "right to the end, overtaken " + jumps + " times"
                            : "damage " + log.damage());
        } catch (RuntimeException | AssertionError e) {
            System.out.println("at " + next[0] + ": " + e);
        }
    }

    /** Twice: what was right may be written over while it is looked at. */
    private static Action look(LogRecord record, long[] next) {
        if (record.offset() != next[0]) {
            throw new AssertionError("found offset " + record.offset());
        }
        byte[] expected = Pools.value(next[0]);
        boolean right = Arrays.equals(expected, record.copy().value());
        LockSupport.parkNanos(1_000_000);
        boolean stillRight = Arrays.equals(expected, record.copy().value());
        if (!right || !stillRight) {
            throw new AssertionError(right ? "changed while it was read" : "wrong bytes");
        }
        next[0]++;
        return Action.CONTINUE;
    }
}
