package io.firn.tools;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** The work by which a machine is measured, in a directory of its own. */
final class MachineBench implements AutoCloseable {
    static final String FORCE = "force of 4 KiB";
    static final String ONE = "append, durable, 1 thread";
    static final String MANY = "append, durable, 64 threads";
    static final String WRITTEN = "append, written";
    static final String BYTES = "append, durable, batches of 1 MiB";
    static final String FETCH = "fetch";

    private static final int RECORD_BYTES = 256;
    private static final int PAGE = 4096;
    private static final int THREADS = 64;
    private static final int BATCH_RECORDS = 1_000;
    private static final int LARGE_RECORD = 1_000;

    /** What one step may leave on the file system. */
    private static final long MOST_BYTES = 512L << 20;

    private final Path directory;
    private final LogStore store;

    MachineBench(Path directory) {
        this.directory = directory;
        Path log = directory.resolve("store");
        this.store = LogStore.at(log).tier(FileTier.at(log.resolve("segments"))).open();
    }

    /** Works for a time. */
    interface Work {
        Measurement run(Duration time) throws IOException;
    }

    /** A piece of work, with its name. */
    record Step(String name, Work work) {}

    /** Returns what there is to do, in this order. */
    List<Step> steps() {
        return List.of(
                new Step(FORCE, this::force),
                new Step(ONE, time -> append(ONE, 1, time)),
                new Step(MANY, time -> append(MANY, THREADS, time)),
                new Step(WRITTEN, this::appendWritten),
                new Step(BYTES, this::appendBatches),
                new Step(FETCH, this::fetch));
    }

    /** When work ends; it also ends when enough was written. */
    private static final class End {
        private final long startNs = System.nanoTime();
        private final long endNs;

        End(Duration time) {
            endNs = startNs + time.toNanos();
        }

        boolean isReached(long bytes) {
            return System.nanoTime() - endNs >= 0 || bytes >= MOST_BYTES;
        }

        double seconds() {
            return (System.nanoTime() - startNs) / 1e9;
        }
    }

    /** Times of pieces of work, in ns. */
    private static final class Times {
        private long[] values = new long[1024];
        private int count;

        void add(long ns) {
            if (count == values.length) {
                values = Arrays.copyOf(values, 2 * count);
            }
            values[count++] = ns;
        }

        long[] all() {
            return Arrays.copyOf(values, count);
        }
    }

    private Measurement force(Duration time) throws IOException {
        Times times = new Times();
        Path file = directory.resolve("forced");
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            // The space is there before: the size of the file need not be forced.
            for (int i = 0; i < 1024; i++) {
                channel.write(page.clear(), (long) i * PAGE);
            }
            channel.force(true);
            End end = new End(time);
            for (int i = 0; !end.isReached(0); i++) {
                long beganNs = System.nanoTime();
                channel.write(page.clear(), (long) (i & 1023) * PAGE);
                channel.force(false);
                times.add(System.nanoTime() - beganNs);
            }
            return Measurement.of(FORCE, times.all(), end.seconds(), (long) times.count * PAGE);
        }
    }

    private Measurement append(String work, int threads, Duration time) {
        Topic topic = store.createTopic("durable-" + threads, TopicOptions.defaults());
        List<Times> times = new ArrayList<>();
        List<Thread> workers = new ArrayList<>();
        LongAdder bytes = new LongAdder();
        End end = new End(time);
        try (Appender appender = topic.partition(0).openAppender()) {
            for (int i = 0; i < threads; i++) {
                Times own = new Times();
                times.add(own);
                Thread worker =
                        new Thread(
                                () -> {
                                    byte[] record = new byte[RECORD_BYTES];
                                    while (!end.isReached(bytes.sum())) {
                                        long beganNs = System.nanoTime();
                                        appender.append(record);
                                        own.add(System.nanoTime() - beganNs);
                                        bytes.add(RECORD_BYTES);
                                    }
                                });
                workers.add(worker);
                worker.start();
            }
            workers.forEach(MachineBench::join);
        }
        long[] all = times.stream().flatMapToLong(each -> Arrays.stream(each.all())).toArray();
        return Measurement.of(work, all, end.seconds(), bytes.sum());
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Measurement appendWritten(Duration time) {
        TopicOptions options = TopicOptions.defaults().withDurability(Durability.WRITTEN);
        Topic topic = store.createTopic("written", options);
        byte[] record = new byte[RECORD_BYTES];
        long count = 0;
        End end = new End(time);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            while (!end.isReached(count * RECORD_BYTES)) {
                appender.append(record);
                count++;
            }
        }
        return new Measurement(WRITTEN, count, end.seconds(), count * RECORD_BYTES, -1, -1);
    }

    private Measurement appendBatches(Duration time) {
        Topic topic = store.createTopic("batches", TopicOptions.defaults());
        Times times = new Times();
        byte[] record = new byte[LARGE_RECORD];
        long bytes = 0;
        End end = new End(time);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            var batch = appender.newBatch();
            while (!end.isReached(bytes)) {
                batch.clear();
                for (int i = 0; i < BATCH_RECORDS; i++) {
                    batch.value(record).add();
                }
                long beganNs = System.nanoTime();
                appender.append(batch);
                times.add(System.nanoTime() - beganNs);
                bytes += (long) BATCH_RECORDS * LARGE_RECORD;
            }
        }
        return Measurement.of(BYTES, times.all(), end.seconds(), bytes);
    }

    /** Reads again and again what was appended before. */
    private Measurement fetch(Duration time) {
        long[] read = new long[2]; // records, bytes
        End end = new End(time);
        try (Tailer tailer = store.openTopic("written").openTailer()) {
            while (!end.isReached(0)) {
                int count =
                        tailer.forEach(
                                record -> {
                                    read[0]++;
                                    read[1] += record.valueLength();
                                },
                                10_000,
                                Duration.ZERO);
                if (count == 0) {
                    tailer.seekToStart();
                }
            }
        }
        return new Measurement(FETCH, read[0], end.seconds(), read[1], -1, -1);
    }

    @Override
    public void close() {
        store.close();
    }
}
