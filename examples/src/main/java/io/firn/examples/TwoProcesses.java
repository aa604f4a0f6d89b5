package io.firn.examples;

import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BusySpinIdleStrategy;

/**
 * A record's way to another process: this one appends the time, the other one reads it and looks at
 * its own clock, which on Linux is the same. The reader spins; by default it would park after a
 * while without records.
 */
public final class TwoProcesses {
    private static final int RECORDS = 2_000;
    private static final long END = -1;

    private TwoProcesses() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) throws IOException, InterruptedException {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) throws IOException, InterruptedException {
        TopicOptions options = TopicOptions.defaults().withDurability(Durability.WRITTEN);
        try (LogStore store = open(dir).open()) {
            Topic topic = store.createTopic("times", options);
            Process reader = startReader(dir);
            reader.getInputStream().read(); // a byte: it is ready
            try (ExclusiveAppender appender = topic.partition(0).openExclusiveAppender()) {
                ByteBuffer value = ByteBuffer.allocate(Long.BYTES);
                for (int i = 0; i < RECORDS; i++) {
                    appender.append(value.putLong(0, System.nanoTime()));
                    LockSupport.parkNanos(100_000);
                }
                appender.append(value.putLong(0, END));
            }
            reader.getInputStream().transferTo(out);
            out.println("The reader ended with " + reader.waitFor() + ".");
        }
    }

    private static LogStoreBuilder open(Path dir) {
        return LogStore.at(dir).tier(FileTier.at(dir.resolve("segments")));
    }

    private static Process startReader(Path dir) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Reader.class.getName(),
                        dir.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The program of the second process. */
    static final class Reader {
        private Reader() {}

        public static void main(String[] args) {
            Examples.quiet();
            LogStoreBuilder builder =
                    open(Path.of(args[0])).idleStrategy(BusySpinIdleStrategy::new);
            try (LogReader store = builder.openReadOnly();
                    Tailer tailer = store.openTopic("times").openTailer()) {
                System.out.write('.');
                System.out.flush();
                print(latencies(tailer));
            }
        }

        private static long[] latencies(Tailer tailer) {
            long[] latencies = new long[RECORDS];
            int[] count = {0};
            boolean[] ended = {false};
            while (!ended[0]) {
                tailer.poll(
                        record -> {
                            long sent = record.value().getLong();
                            ended[0] = sent == END;
                            if (!ended[0]) {
                                latencies[count[0]++] = System.nanoTime() - sent;
                            }
                            return Action.CONTINUE;
                        },
                        100,
                        Duration.ofSeconds(1));
            }
            return Arrays.copyOf(latencies, count[0]);
        }

        private static void print(long[] latencies) {
            Arrays.sort(latencies);
            System.out.println("Records read in the other process: " + latencies.length);
            System.out.println(
                    "From append to read, median: "
                            + Examples.time(latencies[latencies.length / 2])
                            + ", 99 %: "
                            + Examples.time(latencies[latencies.length * 99 / 100]));
        }
    }
}
