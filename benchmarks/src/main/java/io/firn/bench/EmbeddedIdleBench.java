package io.firn.bench;

import com.sun.management.OperatingSystemMXBean;
import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.agrona.concurrent.UnsafeBuffer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the cost of an embedded store with many partitions: the time to fill it, the processor
 * time of the JVM when it is idle afterwards, its memory, the time of a poll that finds nothing in
 * any partition, and the time to close the store.
 */
@Command(
        name = "bin/bench idle-embedded",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Measures an embedded store with many partitions: filling it, its processor time and"
                        + " memory when it is idle, an empty poll of all partitions, and closing it.")
public final class EmbeddedIdleBench implements Callable<Integer> {
    private static final int RECORD_BYTES = 100;
    private static final int POLLS = 10_000;
    private static final int POLL_ROUNDS = 20;
    private static final String TOPIC = "idle";

    @Option(
            names = "--partitions",
            split = ",",
            description = "Numbers of partitions, one store for each. Default: ${DEFAULT-VALUE}")
    private int[] partitions = {0, 1_000, 5_000};

    @Option(
            names = "--records",
            description = "Records for each partition. Default: ${DEFAULT-VALUE}")
    private int records = 5;

    @Option(
            names = "--segment-kib",
            description =
                    "Size of a segment in KiB; each partition has one. Default: ${DEFAULT-VALUE}")
    private int segmentKib = 256;

    @Option(names = "--durability", description = "DURABLE or WRITTEN. Default: ${DEFAULT-VALUE}")
    private Durability durability = Durability.WRITTEN;

    @Option(
            names = "--keep-open",
            description = "Keeps the appenders open while the store is idle.")
    private boolean keepOpen;

    @Option(
            names = "--settle",
            description = "Seconds between load and measurement. Default: ${DEFAULT-VALUE}")
    private int settleS = 5;

    @Option(
            names = "--seconds",
            description = "Seconds of the measurement. Default: ${DEFAULT-VALUE}")
    private int seconds = 10;

    @Option(names = "--dir", paramLabel = "DIR", description = "Work directory. Default: target/")
    private Path disk = Path.of("target");

    private final PrintStream out = System.out;
    private final OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new EmbeddedIdleBench()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        out.printf(
                "%s; directory %s; %s, %d records of %d B to each partition%n",
                Machine.now(), disk, durability, records, RECORD_BYTES);
        for (int count : partitions) {
            measure(count);
        }
        return 0;
    }

    private void measure(int count) throws Exception {
        Path directory = Places.make(disk);
        try {
            long began = System.nanoTime();
            LogStore store =
                    LogStore.at(directory.resolve("store"))
                            .tier(FileTier.at(directory.resolve("segments")))
                            .open();
            List<Appender> appenders = new ArrayList<>();
            try {
                fill(store, count, appenders, 1);
                double firstMs = millisSince(began);
                fill(store, count, appenders, records - 1);
                double fillMs = millisSince(began);
                Thread.sleep(settleS * 1_000L);
                long cpu = system.getProcessCpuTime();
                long start = System.nanoTime();
                Thread.sleep(seconds * 1_000L);
                double percent =
                        100.0 * (system.getProcessCpuTime() - cpu) / (System.nanoTime() - start);
                appenders.forEach(Appender::close);
                out.printf(
                        Locale.ROOT,
                        "%5d partitions: first append to each in %.0f ms, filled in %.0f ms, idle"
                                + " %.2f %% of a core, RssAnon %s, RssFile %s, an empty poll %.2f us",
                        count,
                        firstMs,
                        fillMs,
                        percent,
                        Machine.memory("RssAnon"),
                        Machine.memory("RssFile"),
                        emptyPollUs(store, count));
            } finally {
                long closing = System.nanoTime();
                store.close();
                out.printf(Locale.ROOT, ", closed in %.0f ms%n", millisSince(closing));
            }
        } finally {
            Places.delete(directory);
        }
    }

    /** Appends records to each partition, the first ones to a new topic. */
    private void fill(LogStore store, int count, List<Appender> appenders, int each) {
        if (count == 0) {
            return;
        }
        TopicOptions options =
                TopicOptions.defaults()
                        .withDurability(durability)
                        .withPartitions(count)
                        .withMaxRecordBytes(16 << 10)
                        .withSegmentBytes(segmentKib << 10);
        Topic topic = store.ensureTopic(TOPIC, options);
        byte[] value = new byte[RECORD_BYTES];
        UnsafeBuffer buffer = new UnsafeBuffer(value);
        for (int i = 0; i < count; i++) {
            Appender appender =
                    i < appenders.size()
                            ? appenders.get(i)
                            : topic.partition(i).openExclusiveAppender();
            for (int j = 0; j < each; j++) {
                if (each == 1
                        || appender.tryAppend(buffer, 0, RECORD_BYTES) == Appender.BACK_PRESSURED) {
                    appender.append(value);
                }
            }
            if (keepOpen && i >= appenders.size()) {
                appenders.add(appender);
            } else if (!keepOpen) {
                appender.close();
            }
        }
    }

    private static double emptyPollUs(LogStore store, int count) {
        if (count == 0) {
            return 0;
        }
        try (Tailer tailer = store.openTopic(TOPIC).openTailer()) {
            tailer.seekToEnd();
            RecordHandler none = record -> Action.CONTINUE;
            int taken = 0;
            long best = Long.MAX_VALUE;
            for (int round = 0; round < POLL_ROUNDS; round++) {
                long start = System.nanoTime();
                for (int i = 0; i < POLLS; i++) {
                    taken += tailer.poll(none, 1);
                }
                best = Math.min(best, System.nanoTime() - start);
            }
            if (taken > 0) {
                throw new IllegalStateException("there were records");
            }
            return best / 1e3 / POLLS;
        }
    }

    private static double millisSince(long startNs) {
        return (System.nanoTime() - startNs) / 1e6;
    }
}
