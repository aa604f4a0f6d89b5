package io.firn.bench;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.Partition;
import io.firn.Survives;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Compacts a partition with many keys, and measures durable appends at a fixed rate to a topic that
 * is compacted, in turns with and without a compaction beside them. A latency counts from the
 * moment at which the append was due.
 */
@Command(
        name = "bin/bench compaction",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "keys: compacts a partition with more keys than the memory for keys has room for.",
            "append: the latency of durable appends with and without a compaction beside them."
        })
public final class Compaction implements Callable<Integer> {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};
    private static final double WANTED_RATIO = 1.5;
    private static final int WARM_UPS = 2;
    private static final int APPEND_KEYS = 200_000;
    private static final long RATE_BYTES = 32 << 20; // as the store's own compaction
    private static final long MAX_NS = 10_000_000_000L;

    @Option(
            names = "--only",
            split = ",",
            description = "keys or append. Default: both, in this order")
    private List<String> only = List.of("keys", "append");

    @Option(names = "--keys", description = "Different keys. Default: ${DEFAULT-VALUE}")
    private long keys = 10_000_000;

    @Option(names = "--rate", description = "Appends per second. Default: ${DEFAULT-VALUE}")
    private int rate = 5_000;

    @Option(names = "--turns", description = "Turns of each kind. Default: ${DEFAULT-VALUE}")
    private int turns = 8;

    @Option(names = "--seconds", description = "Duration of each turn. Default: ${DEFAULT-VALUE}")
    private int seconds = 5;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Work directory. Default: ${DEFAULT-VALUE}")
    private Path place = Places.MEMORY;

    private final PrintStream out = System.out;
    private final List<Histogram> with = new ArrayList<>();
    private final List<Histogram> without = new ArrayList<>();
    private final AtomicLong compactedBytes = new AtomicLong();
    private final Random random = new Random(1);
    private final byte[][] names = new byte[APPEND_KEYS][];

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Compaction()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        out.printf("%s; %s on %s%n", Machine.now(), place, Machine.fileSystem(place));
        boolean isMet = true;
        if (only.contains("keys")) {
            isMet = new CompactedKeys(out, place, keys).run();
        }
        if (only.contains("append")) {
            isMet &= append();
        }
        return isMet ? 0 : 1;
    }

    private boolean append() throws Exception {
        out.printf(
                "durable appends of 1 KiB with one of %,d keys, %,d per second, one thread; %d"
                        + " turns of %d s each; a compaction of %d MiB/s, read and written%n",
                APPEND_KEYS, rate, turns, seconds, RATE_BYTES >> 20);
        Path directory = Places.make(place);
        try (LogStore store =
                        LogStore.at(directory.resolve("store"))
                                .tier(FileTier.at(directory.resolve("segments")))
                                .open();
                Appender appender = topic(store).openAppender()) {
            for (int i = 0; i < names.length; i++) {
                names[i] = ("key-" + i).getBytes(StandardCharsets.US_ASCII);
                appender.append(names[i], Values.ofLength(Load.RECORD_BYTES));
            }
            store.compact("t", 0); // while a part of it is clean, the store leaves the rest to us
            for (int i = 0; i < WARM_UPS; i++) {
                turn(appender, new ArrayList<>());
                compactBeside(store, () -> turn(appender, new ArrayList<>()));
            }
            compactedBytes.set(0);
            for (int i = 0; i < turns; i++) {
                turn(appender, without);
                compactBeside(store, () -> turn(appender, with));
            }
        } finally {
            Places.delete(directory);
        }
        return report();
    }

    private static Partition topic(LogStore store) {
        return store.createTopic(
                        "t",
                        TopicOptions.defaults()
                                .withSegmentBytes(8 << 20)
                                .withMinimumClass(Survives.PROCESS_CRASH)
                                .withCleanup(CleanupPolicy.COMPACT)
                                .withMinDirtyRatio(1)) // only on request
                .partition(0);
    }

    /** Compacts again and again while the action lasts. */
    private void compactBeside(LogStore store, Runnable action) throws InterruptedException {
        AtomicBoolean ends = new AtomicBoolean();
        MoveControl paced = new Paced(ends);
        Thread thread =
                new Thread(
                        () -> {
                            while (!ends.get()) {
                                store.compact("t", 0, paced);
                            }
                        },
                        "compaction");
        thread.start();
        action.run();
        ends.set(true);
        thread.join();
    }

    /** Paces a compaction, counts its bytes, and cancels it at the end of a turn. */
    private final class Paced implements MoveControl {
        private final AtomicBoolean ends;
        private long freeNs = System.nanoTime();

        Paced(AtomicBoolean ends) {
            this.ends = ends;
        }

        @Override
        public long pauseNs(long copied, long total, int next) {
            if (ends.get()) {
                return CANCEL;
            }
            compactedBytes.addAndGet(next);
            long now = System.nanoTime();
            freeNs = Math.max(freeNs, now) + next * 1_000_000_000L / RATE_BYTES;
            return freeNs - now < 2_000_000 ? 0 : freeNs - now;
        }
    }

    private void turn(Appender appender, List<Histogram> histograms) {
        Histogram histogram = new Histogram(MAX_NS, 3);
        histograms.add(histogram);
        byte[] value = Values.ofLength(Load.RECORD_BYTES);
        long interval = 1_000_000_000 / rate;
        long due = System.nanoTime();
        for (int i = 0; i < seconds * rate; i++) {
            due += interval;
            while (System.nanoTime() - due < 0) {
                Thread.onSpinWait();
            }
            appender.append(names[random.nextInt(APPEND_KEYS)], value);
            histogram.recordValue(Math.min(System.nanoTime() - due, MAX_NS));
        }
    }

    private boolean report() {
        out.printf(
                "the median over the turns of the percentile of each turn; the compactions read and"
                        + " wrote %.1f MiB/s%n",
                compactedBytes.get() / (double) (1 << 20) / turns / seconds);
        out.printf("%-20s %10s %10s %10s %10s %12s%n", "ns", "p50", "p90", "p99", "p99.9", "max");
        print("without compaction", without);
        print("with compaction", with);
        Target ratio =
                Target.atMost(
                        "compaction.p99.ratio",
                        (double) median(with, 99) / median(without, 99),
                        WANTED_RATIO);
        out.println(ratio);
        return ratio.isMet();
    }

    private void print(String name, List<Histogram> histograms) {
        out.printf("%-20s", name);
        for (double percentile : PERCENTILES) {
            out.printf(Locale.ROOT, " %10d", median(histograms, percentile));
        }
        long most = histograms.stream().mapToLong(Histogram::getMaxValue).max().orElse(0);
        out.printf(Locale.ROOT, " %12d%n", most);
    }

    private static long median(List<Histogram> histograms, double percentile) {
        long[] values =
                histograms.stream().mapToLong(h -> h.getValueAtPercentile(percentile)).toArray();
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
