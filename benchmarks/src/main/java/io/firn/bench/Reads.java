package io.firn.bench;

import io.firn.Batch;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.zip.CRC32C;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what a reader does after an open: searches by timestamp, and the first pass. */
@Command(
        name = "bin/bench reads",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures reads after an open, in one JVM. Searches by timestamp in logs of few and of",
            "many segments, in turns: the first search, later ones for random timestamps, one for a",
            "timestamp after the last, and one for the largest. Then passes over a log of batches of",
            "one record, in turns with a hand-written loop that copies, sums and compares each",
            "batch: the first pass after the file was mapped, and the next one. CPU time of the",
            "thread; prints quantiles over the turns."
        })
public final class Reads implements Callable<Integer> {
    private static final int[] SEGMENTS = {250, 2_500};
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final int RECORD_BYTES = 8_000;
    private static final int RECORDS = 8;
    private static final int SEARCHES = 500;
    private static final double MOST_US = 100;

    private static final int LOG_MIB = 128;
    private static final int PASS_SEGMENT_MIB = 32;

    /** From and to the length of a value. */
    private static final int[][] LENGTHS = {
        {64, 64}, {256, 256}, {1024, 1024}, {32, 96}, {128, 384}
    };

    /** Where about a value begins in the part of a batch that has a CRC. */
    private static final int VALUE = 48;

    private static final int LIMIT = 64;
    private static final int WARM_UP_TURNS = 3;

    @Option(names = "--turns", paramLabel = "N", description = "Number of turns; default 10.")
    private int turns = 10;

    private final PrintStream out = System.out;
    private final byte[] copy = new byte[2_048];

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Reads()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Path directory = Places.make("");
        try {
            out.printf("%s%n", Machine.now());
            boolean isMet = searchByTimestamp(directory);
            out.printf(
                    "%9s %26s %26s %26s %26s%n",
                    "bytes",
                    "first pass p10, p50 ns",
                    "floor, first pass",
                    "next pass",
                    "floor, next pass");
            for (int[] lengths : LENGTHS) {
                pass(directory.resolve("pass-" + lengths[0]), lengths[0], lengths[1]);
            }
            return isMet ? 0 : 1;
        } finally {
            Places.delete(directory);
        }
    }

    private static LogStore open(Path directory) {
        return LogStore.at(directory.resolve("store"))
                .tier(FileTier.at(directory.resolve("segments")))
                .open();
    }

    private static double cpuNs(Runnable work) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        work.run();
        return threads.getCurrentThreadCpuTime() - start;
    }

    // ---- timestamps

    private boolean searchByTimestamp(Path directory) {
        double[][][] us = new double[SEGMENTS.length][4][turns];
        for (int segments : SEGMENTS) {
            fill(directory.resolve("times-" + segments), segments);
        }
        for (int turn = -WARM_UP_TURNS; turn < turns; turn++) {
            for (int i = 0; i < SEGMENTS.length; i++) {
                Path place = directory.resolve("times-" + SEGMENTS[i]);
                try (LogStore store = open(place)) {
                    double[] found = search(store.openTopic("t").partition(0), SEGMENTS[i], turn);
                    for (int k = 0; turn >= 0 && k < found.length; k++) {
                        us[i][k][turn] = found[k];
                    }
                }
            }
        }
        out.printf(
                "%9s %26s %26s %26s %26s%n",
                "segments", "first search p10, p50 us", "later", "after the last", "largest");
        boolean isMet = true;
        for (int i = 0; i < SEGMENTS.length; i++) {
            print(Integer.toString(SEGMENTS[i]), us[i]);
            double later = us[i][1][turns / 2];
            Target target = Target.atMost("timestamp-search-us." + SEGMENTS[i], later, MOST_US);
            out.println(target);
            isMet &= target.isMet();
        }
        return isMet;
    }

    private static void fill(Path directory, int segments) {
        TopicOptions options =
                TopicOptions.defaults()
                        .withDurability(Durability.WRITTEN)
                        .withSegmentBytes(SEGMENT_BYTES)
                        .withMaxRecordBytes(SEGMENT_BYTES / 2);
        try (LogStore store = open(directory)) {
            Partition partition = store.createTopic("t", options).partition(0);
            byte[] value = new byte[RECORD_BYTES];
            try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
                Batch batch = appender.newBatch();
                for (long i = 0; i < (long) segments * RECORDS; i++) {
                    batch.clear();
                    batch.value(value).timestamp(1_000 + 10 * i).add();
                    appender.append(batch);
                }
            }
        }
    }

    /** Returns the time of the first search, and the means of later ones of three kinds, in µs. */
    private static double[] search(Partition partition, int segments, int seed) {
        Random random = new Random(seed);
        double[] us = new double[4];
        us[0] = cpuNs(() -> find(partition, segments, random)) / 1e3;
        us[1] = mean(() -> find(partition, segments, random));
        us[2] = mean(() -> partition.findTimestamp(Long.MAX_VALUE - 1));
        us[3] = mean(partition::findLatestTimestamp);
        return us;
    }

    private static double mean(Runnable search) {
        double ns =
                cpuNs(
                        () -> {
                            for (int i = 0; i < SEARCHES; i++) {
                                search.run();
                            }
                        });
        return ns / SEARCHES / 1e3;
    }

    private static void find(Partition partition, int segments, Random random) {
        long offset = random.nextInt(segments * RECORDS);
        long found = partition.findTimestamp(1_000 + 10 * offset).offset();
        if (found != offset) {
            throw new IllegalStateException(found + " found, " + offset + " expected");
        }
    }

    // ---- passes

    private void pass(Path directory, int least, int most) throws IOException {
        append(directory, least, most);
        Path file = writeFloor(directory, least, most);
        double[][] ns = new double[4][turns];
        for (int turn = -WARM_UP_TURNS; turn < turns; turn++) {
            double[] found = new double[4];
            try (LogStore store = open(directory);
                    Tailer tailer = store.openTopic("t").partition(0).openTailer()) {
                found[0] = readAll(tailer);
                found[2] = readAll(tailer);
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                MappedByteBuffer memory = channel.map(MapMode.READ_ONLY, 0, channel.size());
                found[1] = walk(memory);
                found[3] = walk(memory);
            }
            for (int i = 0; turn >= 0 && i < found.length; i++) {
                ns[i][turn] = found[i];
            }
        }
        print(least == most ? "" + least : least + "-" + most, ns);
        Places.delete(directory);
    }

    private static List<byte[]> values(int least, int most) {
        Random random = new Random(1);
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            values.add(Values.ofLength(least + random.nextInt(most - least + 1)));
        }
        return values;
    }

    private static void append(Path directory, int least, int most) {
        TopicOptions options =
                TopicOptions.defaults()
                        .withDurability(Durability.WRITTEN)
                        .withSegmentBytes(PASS_SEGMENT_MIB << 20);
        List<byte[]> values = values(least, most);
        try (LogStore store = open(directory)) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
                while (partition.metrics().bytes() < (long) LOG_MIB << 20) {
                    for (int k = 0; k < 10_000; k++) {
                        appender.append(values.get(k % values.size()));
                    }
                }
            }
        }
    }

    private static Path writeFloor(Path directory, int least, int most) throws IOException {
        Path file = directory.resolve("floor");
        List<byte[]> values = values(least, most);
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            MappedByteBuffer memory = channel.map(MapMode.READ_WRITE, 0, (long) LOG_MIB << 20);
            List<byte[]> images = values.stream().map(value -> BatchImage.batch(value, 1)).toList();
            int i = 0;
            while (memory.remaining() >= 2_048) {
                memory.put(images.get(i++ % images.size()));
            }
        }
        return file;
    }

    private double readAll(Tailer tailer) {
        tailer.seekToStart();
        long[] records = {0};
        double ns =
                cpuNs(
                        () -> {
                            int read;
                            while ((read = tailer.poll(this::copy, LIMIT)) > 0) {
                                records[0] += read;
                            }
                        });
        return ns / records[0];
    }

    private Action copy(LogRecord record) {
        record.getValue(copy, 0);
        return Action.CONTINUE;
    }

    private double walk(MappedByteBuffer memory) {
        long[] records = {0};
        double ns = cpuNs(() -> records[0] = walkAll(memory));
        return ns / records[0];
    }

    private long walkAll(MappedByteBuffer memory) {
        CRC32C crc = new CRC32C();
        byte[] scratch = new byte[2_048];
        int at = 0;
        long records = 0;
        for (int length; (length = memory.getInt(at + BatchImage.LENGTH)) > 0; records++) {
            int size = length + BatchImage.LENGTH_OVERHEAD;
            int n = size - BatchImage.CRC_FROM;
            memory.get(at + BatchImage.CRC_FROM, scratch, 0, n);
            crc.reset();
            crc.update(scratch, 0, n);
            if ((int) crc.getValue() != memory.getInt(at + BatchImage.CRC)) {
                throw new IllegalStateException("a CRC is wrong at " + at);
            }
            System.arraycopy(scratch, VALUE, copy, 0, n - VALUE);
            at += size;
        }
        return records;
    }

    private void print(String name, double[][] figures) {
        out.printf(Locale.ROOT, "%9s", name);
        for (double[] each : figures) {
            Arrays.sort(each);
            out.printf(Locale.ROOT, " %14.1f %11.1f", each[turns / 10], each[turns / 2]);
        }
        out.println();
    }
}
