package io.firn.bench;

import io.firn.ExclusiveAppender;
import io.firn.migrator.Migrator;
import io.firn.migrator.Policies;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures durable appends at a fixed rate, in turns with and without concurrent migration, with
 * both tiers in memory. A latency counts from the moment at which the append was due.
 */
@Command(
        name = "bin/bench foreground",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Measures the latency of durable appends with and without concurrent migration.")
public final class Foreground implements Callable<Integer> {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};
    private static final double WANTED_RATIO = 1.5;
    private static final double WANTED_MOVED = 0.25;
    private static final int WARM_UPS = 3;
    private static final long MAX_NS = 10_000_000_000L;

    @Option(names = "--rate", description = "Appends per second. Default: ${DEFAULT-VALUE}")
    private int rate = 20_000;

    @Option(names = "--turns", description = "Turns of each kind. Default: ${DEFAULT-VALUE}")
    private int turns = 8;

    @Option(names = "--seconds", description = "Duration of each turn. Default: ${DEFAULT-VALUE}")
    private int seconds = 5;

    @Option(
            names = "--moved",
            description = "Bytes moved for each byte appended, at most. Default: ${DEFAULT-VALUE}")
    private double moved = 0.5;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Work directory. Default: ${DEFAULT-VALUE}")
    private Path place = Places.MEMORY;

    private final PrintStream out = System.out;
    private final List<Histogram> with = new ArrayList<>();
    private final List<Histogram> without = new ArrayList<>();
    private long appendedBytes;
    private long movedBytes;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Foreground()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        out.printf("%s; %s on %s%n", Machine.now(), place, Machine.fileSystem(place));
        out.printf(
                "durable appends of 1 KiB, %d per second, one thread; emulated persistent memory"
                        + " above a file tier in memory; %d turns of %d s each%n",
                rate, turns, seconds);
        // Nothing is deleted and nothing spills.
        long hotBytes = 2L * (WARM_UPS + 2 * turns) * seconds * rate * Load.RECORD_BYTES;
        try (TieredLog log = TieredLog.tiered(place, hotBytes, 1e12, -1);
                Migrator migrator =
                        Migrator.of(log.store())
                                .policy(Policies.threshold(0))
                                .bytesPerSecond((long) (moved * rate * Load.RECORD_BYTES))
                                .open();
                ExclusiveAppender appender = log.partition().openExclusiveAppender()) {
            for (int i = 0; i < WARM_UPS; i++) {
                turn(appender, new ArrayList<>()); // gives the migrator something to move, too
            }
            for (int i = 0; i < turns; i++) {
                turn(appender, without);
                migrator.start();
                long before = migrator.status().movedDownBytes();
                appendedBytes += turn(appender, with);
                movedBytes += migrator.status().movedDownBytes() - before;
                migrator.stop();
            }
            if (migrator.status().failures() > 0) {
                throw new IllegalStateException(migrator.status().lastError().orElse(""));
            }
        }
        return report() ? 0 : 1;
    }

    /** Appends for a turn; returns how many bytes. */
    private long turn(ExclusiveAppender appender, List<Histogram> histograms) {
        Histogram histogram = new Histogram(MAX_NS, 3);
        histograms.add(histogram);
        byte[] value = Values.ofLength(Load.RECORD_BYTES);
        long interval = 1_000_000_000 / rate;
        int count = seconds * rate;
        long due = System.nanoTime();
        for (int i = 0; i < count; i++) {
            due += interval;
            while (System.nanoTime() - due < 0) {
                Thread.onSpinWait();
            }
            appender.append(value);
            histogram.recordValue(Math.min(System.nanoTime() - due, MAX_NS));
        }
        return (long) count * Load.RECORD_BYTES;
    }

    private boolean report() {
        out.printf(
                "median: the median over the turns of the percentile of each turn, which a single stall"
                        + " of the machine does not change; all: all turns together%n");
        out.printf("%-26s %10s %10s %10s %10s %12s%n", "ns", "p50", "p90", "p99", "p99.9", "max");
        print("without migration, median", without);
        print("with migration, median", with);
        print("without migration, all", List.of(together(without)));
        print("with migration, all", List.of(together(with)));
        Target ratio =
                Target.atMost(
                        "foreground.p99.ratio",
                        (double) median(with, 99) / median(without, 99),
                        WANTED_RATIO);
        Target amount =
                Target.atLeast(
                        "foreground.moved.per.appended",
                        (double) movedBytes / appendedBytes,
                        WANTED_MOVED);
        out.println(amount);
        out.println(ratio);
        return ratio.isMet() && amount.isMet();
    }

    private void print(String name, List<Histogram> histograms) {
        out.printf("%-26s", name);
        for (double percentile : PERCENTILES) {
            out.printf(Locale.ROOT, " %10d", median(histograms, percentile));
        }
        out.printf(Locale.ROOT, " %12d%n", together(histograms).getMaxValue());
    }

    private static long median(List<Histogram> histograms, double percentile) {
        long[] values =
                histograms.stream()
                        .mapToLong(histogram -> histogram.getValueAtPercentile(percentile))
                        .sorted()
                        .toArray();
        return values[values.length / 2];
    }

    private static Histogram together(List<Histogram> histograms) {
        Histogram all = new Histogram(MAX_NS, 3);
        histograms.forEach(all::add);
        return all;
    }
}
