package io.firn.bench;

import com.sun.management.OperatingSystemMXBean;
import io.firn.Appender;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures asynchronous DURABLE appends to several partitions: each partition has a number of
 * appends that wait for a force, as produce requests do, and one thread appends the next ones.
 */
@Command(
        name = "bin/bench forces",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures appends to several partitions that wait for forces.")
public final class Forces implements Callable<Integer> {
    @Option(
            names = "--partitions",
            split = ",",
            description = "Numbers of partitions. Default: ${DEFAULT-VALUE}")
    private int[] partitions = {1, 20};

    @Option(names = "--bytes", description = "Bytes of a record. Default: ${DEFAULT-VALUE}")
    private int bytes = 16 << 10;

    @Option(
            names = "--window",
            description = "Appends of a partition that wait at once. Default: ${DEFAULT-VALUE}")
    private int window = 1;

    @Option(
            names = "--force-threads",
            split = ",",
            description =
                    "Numbers of forcing threads, measured in turns; 0 is the store's default."
                            + " Default: ${DEFAULT-VALUE}")
    private int[] forceThreads = {0};

    @Option(names = "--turns", description = "Turns. Default: ${DEFAULT-VALUE}")
    private int turns = 3;

    @Option(names = "--seconds", description = "Seconds of each. Default: ${DEFAULT-VALUE}")
    private int seconds = 3;

    @Option(names = "--dir", paramLabel = "DIR", description = "Work directory. Default: target/")
    private Path disk = Path.of("target");

    private final PrintStream out = System.out;
    private final OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Forces()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        String slower = System.getenv().getOrDefault("FIRN_SLOW_FORCE_US", "0");
        out.printf(
                "%s; %s; %d B, %d waiting in each partition; forces %s us slower%n",
                Machine.now(), Machine.fileSystem(disk.toAbsolutePath()), bytes, window, slower);
        for (int turn = 0; turn < turns; turn++) {
            for (int count : partitions) {
                for (int threads : forceThreads) {
                    measure(count, threads);
                }
            }
        }
        return 0;
    }

    private void measure(int count, int threads) throws Exception {
        Path directory = Places.make(disk);
        LogStoreBuilder builder =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("segments")));
        if (threads > 0) {
            builder.forceThreads(threads);
        }
        try (LogStore store = builder.open()) {
            TopicOptions options =
                    TopicOptions.defaults()
                            .withPartitions(count)
                            .withSegmentBytes(64 << 20)
                            .withRetentionBytes(128 << 20);
            run(store.createTopic("forces", options), threads);
        } finally {
            Places.delete(directory);
        }
    }

    private void run(Topic topic, int threads) throws Exception {
        int count = topic.partitionCount();
        Appender[] appenders = new Appender[count];
        BlockingQueue<Integer> free = new ArrayBlockingQueue<>(count * window);
        for (int i = 0; i < count; i++) {
            appenders[i] = topic.partition(i).openAppender();
            for (int j = 0; j < window; j++) {
                free.add(i);
            }
        }
        DirectBuffer value = new UnsafeBuffer(new byte[bytes]);
        append(appenders, free, value, 1, new Histogram(3));
        Histogram times = new ConcurrentHistogram(3);
        long cpu = system.getProcessCpuTime();
        long start = System.nanoTime();
        append(appenders, free, value, seconds, times);
        double took = (System.nanoTime() - start) / 1e9;
        double cpuUs = (system.getProcessCpuTime() - cpu) / 1e3;
        for (int i = 0; i < count * window; i++) {
            free.take();
        }
        for (Appender appender : appenders) {
            appender.close();
        }
        long appends = times.getTotalCount();
        out.printf(
                Locale.ROOT,
                "%3d partitions, %s forcing threads: %7.0f appends/s, %5.1f us of CPU each, p50"
                        + " %.2f ms, p99 %.2f ms%n",
                count,
                threads == 0 ? "default" : String.valueOf(threads),
                appends / took,
                cpuUs / appends,
                times.getValueAtPercentile(50) / 1e6,
                times.getValueAtPercentile(99) / 1e6);
    }

    private static void append(
            Appender[] appenders,
            BlockingQueue<Integer> free,
            DirectBuffer value,
            int seconds,
            Histogram times)
            throws InterruptedException {
        Histogram noted = times instanceof ConcurrentHistogram ? times : null;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            Integer partition = free.poll(1, TimeUnit.SECONDS);
            if (partition == null) {
                continue;
            }
            long start = System.nanoTime();
            Appender appender = appenders[partition];
            long offset = appender.tryAppend(value, 0, value.capacity());
            while (offset == Appender.BACK_PRESSURED) {
                LockSupport.parkNanos(50_000);
                offset = appender.tryAppend(value, 0, value.capacity());
            }
            var unused =
                    appender.whenDurable(offset)
                            .whenComplete(
                                    (durable, e) -> {
                                        if (noted != null) {
                                            noted.recordValue(System.nanoTime() - start);
                                        }
                                        free.add(partition);
                                    });
        }
    }
}
