package io.firn.places;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.Finding;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Appends to a topic as fast as it can on a disk that is slower, while another topic gets a record
 * every few milliseconds. Retention has to hold all the time: the bytes on the disk are at most 1.2
 * times what the topic may have, and two segments per partition. Prints a line for each second, and
 * one at the end; the status is 0 if all was as it should be.
 */
final class OverloadProgram {
    private static final int PARTITIONS = 4;
    private static final int SEGMENT_BYTES = 32 << 20;
    private static final long RETENTION_BYTES = 200_000_000;
    private static final int VALUE_BYTES = 100_000;
    private static final long BYSTANDER_NS = 5_000_000;
    private static final long SAMPLE_NS = 20_000_000;

    private final Path directory;
    private final FileStore disk;
    private final long usedBefore;
    private final long endNs;
    private final long mostBytes =
            (long) (1.2 * RETENTION_BYTES * PARTITIONS) + 2L * SEGMENT_BYTES * PARTITIONS;
    private final long mostMs;
    private final AtomicLong appended = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private final long[] latencies;
    private int latencyCount;

    private OverloadProgram(String[] arguments) throws IOException {
        directory = Path.of(arguments[0]);
        long seconds = Long.parseLong(arguments[1]);
        mostMs = Long.parseLong(arguments[2]);
        disk = Files.getFileStore(directory);
        usedBefore = usedBytes();
        endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        latencies = new long[(int) (TimeUnit.SECONDS.toNanos(seconds) / BYSTANDER_NS) + 1];
    }

    /**
     * Wants an empty directory on a file system that nothing else uses, for how many seconds to
     * append, and how many milliseconds the other topic's 99th percentile may be.
     */
    public static void main(String[] arguments) throws Exception {
        System.exit(new OverloadProgram(arguments).run() ? 0 : 1);
    }

    private long usedBytes() throws IOException {
        return disk.getTotalSpace() - disk.getUnallocatedSpace();
    }

    private boolean run() throws Exception {
        long most = 0;
        long mostActive = 0;
        long began = System.nanoTime();
        try (LogStore store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")))
                        .open()) {
            Topic busy = store.createTopic("busy", options().withPartitions(PARTITIONS));
            Topic bystander = store.createTopic("bystander", options());
            for (int i = 0; i < PARTITIONS; i++) {
                Partition partition = busy.partition(i);
                start("producer-" + i, () -> produce(partition));
            }
            start("bystander", () -> stand(bystander.partition(0)));
            long lineNs = began;
            while (System.nanoTime() < endNs && failure.get() == null) {
                long used = usedBytes() - usedBefore;
                most = Math.max(most, used);
                if (System.nanoTime() >= lineNs) {
                    long active = activeFiles();
                    mostActive = Math.max(mostActive, active);
                    lineNs += TimeUnit.SECONDS.toNanos(1);
                    say(store, began, used, active);
                }
                LockSupport.parkNanos(SAMPLE_NS);
            }
            for (Thread each : threads) {
                each.join();
            }
        }
        return end(began, most, mostActive);
    }

    private boolean end(long began, long most, long mostActive) {
        Arrays.sort(latencies, 0, latencyCount);
        long p50 = latencies[latencyCount / 2] / 1_000;
        long p99 = latencies[(int) (latencyCount * 0.99)] / 1_000_000;
        double seconds = (System.nanoTime() - began) / 1e9;
        System.out.printf(
                "%,.0f MB/s; on the disk at most %,d MB, allowed %,d; %d active files; bystander:"
                        + " %,d appends, p50 %,d us, p99 %,d ms, allowed %,d, worst %,d ms%n",
                appended.get() / seconds / 1e6,
                most / 1_000_000,
                mostBytes / 1_000_000,
                mostActive,
                latencyCount,
                p50,
                p99,
                mostMs,
                latencies[Math.max(0, latencyCount - 1)] / 1_000_000);
        if (failure.get() != null) {
            failure.get().printStackTrace();
        }
        return failure.get() == null && most <= mostBytes && p99 <= mostMs;
    }

    private void say(LogStore store, long began, long used, long active) {
        StringBuilder line = new StringBuilder();
        line.append((System.nanoTime() - began) / 1_000_000_000).append(" s: ");
        line.append(used / 1_000_000).append(" MB, ").append(active).append(" active; appended ");
        line.append(appended.get() / 1_000_000).append(" MB; segments");
        for (PartitionMetrics each : store.metrics().partitions()) {
            line.append(' ').append(each.segments());
        }
        for (Finding each : store.findings()) {
            line.append("; ").append(each.kind());
        }
        System.err.println(line);
    }

    private long activeFiles() throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve("tier"))) {
            return all.filter(each -> each.toString().endsWith(".active")).count();
        } catch (java.io.UncheckedIOException e) {
            return 0; // one was deleted meanwhile
        }
    }

    private static TopicOptions options() {
        return TopicOptions.defaults()
                .withDurability(Durability.WRITTEN)
                .withSegmentBytes(SEGMENT_BYTES)
                .withRetentionBytes(RETENTION_BYTES);
    }

    private void start(String name, Runnable task) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                task.run();
                            } catch (RuntimeException | Error e) {
                                failure.compareAndSet(null, e);
                            }
                        },
                        name);
        threads.add(thread);
        thread.start();
    }

    private boolean goesOn() {
        return System.nanoTime() < endNs && failure.get() == null;
    }

    private void produce(Partition partition) {
        byte[] value = new byte[VALUE_BYTES];
        try (Appender appender = partition.openExclusiveAppender()) {
            while (goesOn()) {
                appender.append(value);
                appended.addAndGet(VALUE_BYTES);
            }
        }
    }

    /** Measures from when each append was to begin: what waits behind a slow one counts, too. */
    private void stand(Partition partition) {
        byte[] value = new byte[256];
        try (Appender appender = partition.openExclusiveAppender()) {
            long dueNs = System.nanoTime();
            while (goesOn() && latencyCount < latencies.length) {
                long early = dueNs - System.nanoTime();
                if (early > 0) {
                    LockSupport.parkNanos(early);
                    continue;
                }
                appender.append(value);
                latencies[latencyCount++] = System.nanoTime() - dueNs;
                dueNs += BYSTANDER_NS;
            }
        }
    }
}
