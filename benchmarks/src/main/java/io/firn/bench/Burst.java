package io.firn.bench;

import io.firn.bench.Timeline.Column;
import io.firn.migrator.Migrator;
import io.firn.migrator.Policies;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Scenario 1 of Pafka 0.2's release notes: a low rate, then bursts that go into the free part of
 * the hot tier until it is full; then the migrator makes room again. Compares both durations with
 * the formulas of the release notes.
 */
@Command(
        name = "bin/bench burst",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Measures how long a tiered log absorbs a burst at memory speed, and how long it"
                        + " takes to recover.")
public final class Burst implements Callable<Integer> {
    private static final double WITHIN = 0.15;
    private static final double BURST_PART = 0.75;
    private static final double LOW_PART = 0.03;
    private static final double CALM_S = 3;
    private static final double MOST_S = 240;

    @Option(
            names = "--capacity",
            description = "Size of the hot tier in MiB. Default: ${DEFAULT-VALUE}")
    private int capacityMib = 1024;

    @Option(names = "--bursts", description = "Number of bursts. Default: ${DEFAULT-VALUE}")
    private int bursts = 2;

    @Option(
            names = "--threshold",
            description =
                    "Part of the hot tier that the migrator keeps filled, from 0 to 1. Default:"
                            + " ${DEFAULT-VALUE}")
    private double threshold = 0.5;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Work directory. Default: ${DEFAULT-VALUE}")
    private Path place = Places.MEMORY;

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description = "File of the plot. Default: ${DEFAULT-VALUE}")
    private Path file = Path.of("target/burst.png");

    private final PrintStream out = System.out;
    private final List<Double> carryDeviations = new ArrayList<>();
    private final List<Double> recoverDeviations = new ArrayList<>();

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        System.exit(new CommandLine(new Burst()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        Speeds.printConditions(out, place);
        double memory = Speeds.ofMemory(place);
        double cold = memory / Speeds.MEMORY_TO_DISK;
        out.printf(
                Locale.ROOT,
                "memory tier %.0f MB/s, disk %.1f MB/s, low rate %.1f MB/s, bursts %.0f MB/s; hot"
                        + " tier %d MiB, threshold %.2f%n",
                memory / 1e6,
                cold / 1e6,
                cold * LOW_PART / 1e6,
                memory * BURST_PART / 1e6,
                capacityMib,
                threshold);
        Timeline tiered = tiered(memory, cold);
        Timeline alone = coldAlone(memory, cold, tiered);
        plot(tiered, alone);
        boolean met = report("burst.carried.deviation", carryDeviations);
        met &= report("burst.recovered.deviation", recoverDeviations);
        return met ? 0 : 1;
    }

    private Timeline tiered(double memory, double cold) throws Exception {
        long capacity = (long) capacityMib << 20;
        try (TieredLog log = TieredLog.tiered(place, capacity, cold, 8 * capacity);
                Migrator migrator =
                        Migrator.of(log.store()).policy(Policies.threshold(threshold)).open();
                Load load = new Load(log.partition())) {
            long all = log.hotTier().capacityBytes().orElseThrow();
            long full = (long) (all * threshold);
            // Fills the hot tier up to the threshold, where a store without load stays.
            load.rate(memory * BURST_PART);
            await(() -> log.hotTier().usedBytes() >= full);
            load.rate(cold * LOW_PART);
            migrator.start();
            try (Timeline timeline = new Timeline(log, load)) {
                for (int i = 0; i < bursts; i++) {
                    calm();
                    burst(log, load, memory, all);
                    long ended = System.nanoTime();
                    load.rate(cold * LOW_PART);
                    await(() -> log.hotTier().usedBytes() <= full);
                    recovered(i, (System.nanoTime() - ended) / 1e9, (all - full) / cold);
                }
                calm();
                return timeline;
            }
        }
    }

    private void burst(TieredLog log, Load load, double memory, long all)
            throws InterruptedException {
        long spilled = log.hotTier().spilledSegments() + log.coldTier().spilledSegments();
        long before = load.appended();
        long started = System.nanoTime();
        load.rate(memory * BURST_PART);
        await(() -> log.coldTier().spilledSegments() > spilled);
        double seconds = (System.nanoTime() - started) / 1e9;
        double rate = (load.appended() - before) / seconds;
        double formula = (1 - threshold) * all / rate;
        carryDeviations.add(Math.abs(seconds / formula - 1));
        out.printf(
                Locale.ROOT,
                "burst %d: absorbed for %.2f s at %.0f MB/s; (1 - threshold) x capacity / rate is"
                        + " %.2f s (ratio %.2f)%n",
                carryDeviations.size(),
                seconds,
                rate / 1e6,
                formula,
                seconds / formula);
    }

    private void recovered(int i, double seconds, double formula) {
        recoverDeviations.add(Math.abs(seconds / formula - 1));
        out.printf(
                Locale.ROOT,
                "burst %d: recovered in %.2f s; reserved / disk's rate is %.2f s (ratio %.2f)%n",
                i + 1,
                seconds,
                formula,
                seconds / formula);
    }

    /** Runs the same load on the disk alone, somewhat longer than the first burst was absorbed. */
    private Timeline coldAlone(double memory, double cold, Timeline tiered) throws Exception {
        double length = tiered.column(Column.SECONDS)[tiered.column(Column.SECONDS).length - 1];
        try (TieredLog log = TieredLog.coldAlone(place, cold, 1L << 40);
                Load load = new Load(log.partition());
                Timeline timeline = new Timeline(log, load)) {
            load.rate(cold * LOW_PART);
            calm();
            load.rate(memory * BURST_PART);
            double rate = Speeds.over(load, Math.min(10, length));
            out.printf(
                    Locale.ROOT,
                    "the disk alone under a burst: %.1f MB/s (each byte is written twice: space is"
                            + " reserved with zeros)%n",
                    rate / 1e6);
            return timeline;
        }
    }

    private void plot(Timeline tiered, Timeline alone) throws IOException {
        double[] time = tiered.column(Column.SECONDS);
        double[] aloneTime = alone.column(Column.SECONDS);
        double end = time[time.length - 1];
        new Plot()
                .chart("Throughput", "MB/s")
                .line("appended", time, tiered.rate(Column.APPENDED))
                .line("consumed", time, tiered.rate(Column.CONSUMED))
                .line("disk alone, appended", aloneTime, alone.rate(Column.APPENDED))
                .chart("Occupancy", "MB")
                .line("memory tier", time, tiered.column(Column.HOT_USED))
                .line("disk", time, tiered.column(Column.COLD_USED))
                .level("capacity", end, capacityMib * 1.048576)
                .level("threshold", end, capacityMib * 1.048576 * threshold)
                .chart("Moves", "MB/s")
                .line("down", time, tiered.rate(Column.MOVED_DOWN))
                .line("up", time, tiered.rate(Column.MOVED_UP))
                .save(file);
        out.println("plot: " + file);
    }

    private boolean report(String name, List<Double> deviations) {
        double worst = deviations.stream().mapToDouble(Double::doubleValue).max().orElse(1);
        Target target = Target.atMost(name, worst, WITHIN);
        out.println(target);
        return target.isMet();
    }

    private static void calm() throws InterruptedException {
        Thread.sleep((long) (CALM_S * 1000));
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long started = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - started > MOST_S * 1e9) {
                throw new IllegalStateException("waited " + MOST_S + " s in vain");
            }
            Thread.sleep(2);
        }
    }
}
