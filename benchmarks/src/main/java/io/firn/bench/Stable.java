package io.firn.bench;

import io.firn.bench.Timeline.Column;
import io.firn.migrator.Migrator;
import io.firn.migrator.Policies;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Scenario 2 of Pafka 0.2's release notes: a steady load at full speed onto a log that retention
 * keeps at r = 1, 1.5 and 2 times the hot tier, without migration. The part (r - 1) / r of all
 * bytes goes to the disk, so the throughput is at most r / (r - 1) times the speed of the disk.
 */
@Command(
        name = "bin/bench stable",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures a steady load with a retention of 1, 1.5 and 2 times the hot tier.")
public final class Stable implements Callable<Integer> {
    private static final double[] RATIOS = {1, 1.5, 2};
    private static final double ALONE_S = 10;

    /** How often the whole log is replaced; hot and cold phases alternate each time. */
    private static final int ROUNDS = 2;

    @Option(
            names = "--capacity",
            description = "Size of the hot tier in MiB. Default: ${DEFAULT-VALUE}")
    private int capacityMib = 1024;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Work directory. Default: ${DEFAULT-VALUE}")
    private Path place = Places.MEMORY;

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description = "File of the plot. Default: ${DEFAULT-VALUE}")
    private Path file = Path.of("target/stable.png");

    private final PrintStream out = System.out;
    private final Map<String, Timeline> timelines = new LinkedHashMap<>();

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        System.exit(new CommandLine(new Stable()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        Speeds.printConditions(out, place);
        double memory = Speeds.ofMemory(place);
        double cold = memory / Speeds.MEMORY_TO_DISK;
        out.printf(
                Locale.ROOT,
                "memory tier %.0f MB/s, disk %.1f MB/s; hot tier %d MiB, threshold -1 (off)%n",
                memory / 1e6,
                cold / 1e6,
                capacityMib);
        double alone = alone(cold);
        Map<Double, Double> speedups = new LinkedHashMap<>();
        for (double ratio : RATIOS) {
            double rate = tiered(ratio, cold);
            speedups.put(ratio, rate / alone);
            out.printf(
                    Locale.ROOT,
                    "retention %.1f x: %.1f MB/s, %.2f x the disk alone%s%n",
                    ratio,
                    rate / 1e6,
                    rate / alone,
                    ratio == 1
                            ? ""
                            : String.format(Locale.ROOT, " (at most %.1f)", ratio / (ratio - 1)));
        }
        plot();
        Target half = Target.atLeast("stable.1.5x.speedup", speedups.get(1.5), 2.5);
        Target twice = Target.atLeast("stable.2x.speedup", speedups.get(2.0), 1.8);
        out.println(half);
        out.println(twice);
        return half.isMet() && twice.isMet() ? 0 : 1;
    }

    private double alone(double cold) throws Exception {
        long retention = (long) capacityMib << 20;
        try (TieredLog log = TieredLog.coldAlone(place, cold, retention);
                Load load = new Load(log.partition());
                Timeline timeline = new Timeline(log, load)) {
            timelines.put("disk alone", timeline);
            load.rate(Load.FLAT_OUT);
            Thread.sleep(1_000);
            double rate = Speeds.over(load, ALONE_S);
            out.printf(
                    Locale.ROOT,
                    "the disk alone: %.1f MB/s (each byte is written twice: space is reserved with"
                            + " zeros)%n",
                    rate / 1e6);
            return rate;
        }
    }

    private double tiered(double ratio, double cold) throws Exception {
        long capacity = (long) capacityMib << 20;
        long room;
        long hot;
        try (TieredLog log = TieredLog.tiered(place, capacity, cold, -1)) {
            room = log.segmentRoom();
            hot = log.hotTier().capacityBytes().orElseThrow() / TieredLog.BLOCK_BYTES * room;
        }
        // The active segment, the block ahead of it, and what retention has not deleted yet.
        long retention = (long) (ratio * hot) - 4 * room;
        try (TieredLog log = TieredLog.tiered(place, capacity, cold, retention);
                Migrator migrator = Migrator.of(log.store()).policy(Policies.none()).open();
                Load load = new Load(log.partition());
                Timeline timeline = new Timeline(log, load)) {
            timelines.put(String.format(Locale.ROOT, "retention %.1f x", ratio), timeline);
            migrator.start();
            load.rate(Load.FLAT_OUT);
            awaitAppended(load, retention);
            long started = System.nanoTime();
            long before = load.appended();
            awaitAppended(load, before + ROUNDS * retention);
            return (load.appended() - before) * 1e9 / (System.nanoTime() - started);
        }
    }

    private static void awaitAppended(Load load, long bytes) throws InterruptedException {
        while (load.appended() < bytes) {
            Thread.sleep(1);
        }
    }

    private void plot() throws Exception {
        Plot plot = new Plot().chart("Bytes appended", "MB");
        timelines.forEach(
                (name, t) -> plot.line(name, t.column(Column.SECONDS), t.column(Column.APPENDED)));
        plot.chart("Throughput", "MB/s");
        timelines.forEach(
                (name, t) -> plot.line(name, t.column(Column.SECONDS), t.rate(Column.APPENDED)));
        plot.chart("Occupancy of the memory tier", "MB");
        timelines.forEach(
                (name, t) -> plot.line(name, t.column(Column.SECONDS), t.column(Column.HOT_USED)));
        plot.chart("Occupancy of the disk", "MB");
        timelines.forEach(
                (name, t) -> plot.line(name, t.column(Column.SECONDS), t.column(Column.COLD_USED)));
        plot.save(file);
        out.println("plot: " + file);
    }
}
