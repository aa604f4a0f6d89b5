package io.firn.bench;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Appends of each {@link AppendShape} and their floor in one JVM, in turns of a millisecond. */
@Command(
        name = "bin/bench append-turns",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures appends without forces to a segment whose pages were touched, in",
            "turns with a hand-written loop that encodes, sums, copies and publishes the",
            "same records, so that other load affects both. Values have one length, or",
            "lengths that vary at random. Prints quantiles over the turns, per record, and",
            "the bytes that a record allocates."
        })
public final class AppendTurns implements Callable<Integer> {
    private static final int SEGMENT_MIB = 512;
    private static final int WARM_UP_TURNS = 60;
    private static final int MOST_OPERATIONS = 10_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Option(names = "--turns", paramLabel = "N", description = "Number of turns; default 200.")
    private int turns = 200;

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            description = "Only the ways to append whose names contain this text.")
    private String only = "";

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new AppendTurns()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        List<AppendShape> shapes =
                AppendShape.all().stream().filter(each -> each.toString().contains(only)).toList();
        Path memory = Places.make("");
        try {
            out.printf("%s%n", Machine.now());
            for (AppendShape shape : shapes) {
                run(shape, memory.toString(), false); // so that each is compiled for all
            }
            out.printf(
                    "%-36s %8s %18s %18s %13s %6s%n",
                    "per record", "bytes", "Firn p10, p50 ns", "floor", "ratios", "B/op");
            for (AppendShape shape : shapes) {
                run(shape, memory.toString(), true);
            }
        } finally {
            Places.delete(memory);
        }
        return 0;
    }

    private void run(AppendShape shape, String directory, boolean isMeasured) throws IOException {
        int mib = isMeasured ? SEGMENT_MIB : 64;
        try (ShapedAppends log = new ShapedAppends(shape, directory, mib);
                ShapedFloor floor = new ShapedFloor(shape, directory, mib)) {
            int ops = MOST_OPERATIONS / shape.way().records;
            LongSupplier warmUp = log.warmUp(shape.way());
            new Turns(warmUp, floor::append, WARM_UP_TURNS, ops);
            if (isMeasured) {
                // In a topic that rolls: the index of a topic's first segment grows.
                Turns rolling = new Turns(warmUp, floor::append, WARM_UP_TURNS, ops);
                int most = (int) (((SEGMENT_MIB - 1L) << 20) / shape.size() / turns);
                LongSupplier append = log.measured(shape.way());
                Turns figures = new Turns(append, floor::append, turns, Math.min(ops, most));
                report(shape, figures, rolling.allocated);
            }
        }
    }

    /** Figures of the turns. */
    private static final class Turns {
        private final double[] firnNs;
        private final double[] floorNs;
        private final double allocated;

        Turns(LongSupplier firn, LongSupplier floor, int turns, int operations) {
            firnNs = new double[turns];
            floorNs = new double[turns];
            long bytes = 0;
            for (int turn = 0; turn < turns; turn++) {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                firnNs[turn] = time(firn, operations);
                bytes += THREADS.getCurrentThreadAllocatedBytes() - before;
                floorNs[turn] = time(floor, operations);
            }
            allocated = bytes / (double) turns / operations;
            Arrays.sort(firnNs);
            Arrays.sort(floorNs);
        }

        private static double time(LongSupplier operation, int operations) {
            long sum = 0;
            long start = System.nanoTime();
            for (int i = 0; i < operations; i++) {
                sum += operation.getAsLong();
            }
            long took = System.nanoTime() - start;
            if (sum == Long.MIN_VALUE) {
                throw new IllegalStateException("offsets are never that small");
            }
            return took / (double) operations;
        }
    }

    private void report(AppendShape shape, Turns figures, double allocated) {
        int records = shape.way().records;
        double low = figures.firnNs[turns / 10] / records;
        double half = figures.firnNs[turns / 2] / records;
        double floorLow = figures.floorNs[turns / 10] / records;
        double floorHalf = figures.floorNs[turns / 2] / records;
        out.printf(
                Locale.ROOT,
                "%-36s %8s %10.1f %7.1f %10.1f %7.1f %7.2f %5.2f %6.1f%n",
                shape,
                shape.bytes(),
                low,
                half,
                floorLow,
                floorHalf,
                low / floorLow,
                half / floorHalf,
                allocated / records);
    }
}
