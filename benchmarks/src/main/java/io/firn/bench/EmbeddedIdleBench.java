package io.firn.bench;

import com.sun.management.OperatingSystemMXBean;
import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
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
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the cost of an idle embedded store: the processor time of the JVM after a few records
 * were appended to each partition, and the time to close the store.
 */
@Command(
        name = "bin/bench idle-embedded",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Measures the processor time of an idle embedded store and the time to close it.")
public final class EmbeddedIdleBench implements Callable<Integer> {
    private static final int RECORD_BYTES = 100;

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
                "%s; %s; %s; load before %s; directory %s; %s, %d records of %d B to each partition%n",
                Machine.cpu(),
                Machine.system(),
                Machine.jdk(),
                Machine.load(),
                disk,
                durability,
                records,
                RECORD_BYTES);
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
                    LogStore.in(directory.resolve("store"))
                            .tier(FileTier.at(directory.resolve("segments")))
                            .open();
            List<Appender> appenders = new ArrayList<>();
            try {
                fill(store, count, appenders);
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
                        "%5d partitions: filled in %.0f ms, idle %.2f %% of a core",
                        count,
                        fillMs,
                        percent);
            } finally {
                long closing = System.nanoTime();
                store.close();
                out.printf(Locale.ROOT, ", closed in %.0f ms%n", millisSince(closing));
            }
        } finally {
            Places.delete(directory);
        }
    }

    private void fill(LogStore store, int count, List<Appender> appenders) {
        if (count == 0) {
            return;
        }
        TopicOptions options =
                TopicOptions.defaults()
                        .withDurability(durability)
                        .withPartitions(count)
                        .withMaxRecordBytes(16 << 10)
                        .withSegmentBytes(segmentKib << 10);
        Topic topic = store.createTopic("idle", options);
        byte[] value = new byte[RECORD_BYTES];
        for (int i = 0; i < count; i++) {
            Appender appender = topic.partition(i).openAppender();
            for (int j = 0; j < records; j++) {
                appender.append(value);
            }
            if (keepOpen) {
                appenders.add(appender);
            } else {
                appender.close();
            }
        }
    }

    private static double millisSince(long startNs) {
        return (System.nanoTime() - startNs) / 1e6;
    }
}
