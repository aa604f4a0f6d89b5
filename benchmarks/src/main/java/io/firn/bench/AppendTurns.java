package io.firn.bench;

import io.firn.Durability;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs {@link AppendBenchmark} and its floor in one JVM, in turns of about a millisecond. */
@Command(
        name = "bin/bench append-turns",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures un-forced appends one by one to a segment whose pages were touched, and two",
            "floors, in turns of about a millisecond, so that other load affects all alike: one",
            "copies and sums an encoded batch, the other one is given a value as Firn is, encodes",
            "and publishes it. Prints quantiles over the turns."
        })
public final class AppendTurns implements Callable<Integer> {
    private static final int[] SIZES = {64, 256, 1024};
    private static final int SEGMENT_MIB = 512;
    private static final int WARM_UP_TURNS = 200;

    /** A batch of one record has about so many bytes more than its value. */
    private static final int OVERHEAD = 80;

    @Option(names = "--turns", paramLabel = "N", description = "Number of turns; default 200.")
    private int turns = 200;

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new AppendTurns()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Path memory = Places.make("");
        try {
            out.printf("%s%n", Machine.now());
            out.printf(
                    "%6s %22s %22s %16s %22s %16s%n",
                    "bytes",
                    "Firn p10, p50 ns",
                    "floor, encoded",
                    "ratios",
                    "floor, values",
                    "ratios");
            for (int bytes : SIZES) {
                compare(bytes, memory);
            }
        } finally {
            Places.delete(memory);
        }
        return 0;
    }

    private void compare(int bytes, Path memory) throws IOException {
        AppendBenchmark log = new AppendBenchmark();
        log.dir = memory.toString();
        log.durability = Durability.WRITTEN;
        log.bytes = bytes;
        log.segmentMib = SEGMENT_MIB;
        AppendFloor floor = new AppendFloor();
        floor.dir = memory.toString();
        floor.durability = Durability.WRITTEN;
        floor.bytes = bytes;
        floor.segmentMib = SEGMENT_MIB;
        log.open();
        try {
            floor.open();
            try {
                int ops = (int) (((SEGMENT_MIB - 1L) << 20) / (bytes + OVERHEAD) / turns);
                ops = Math.min(ops, 10_000);
                List<LongSupplier> all =
                        List.of(log::exclusive, floor::append, floor::encodedAppend);
                log.directToRolling();
                quantiles(all, WARM_UP_TURNS, ops);
                log.directToMeasured();
                report(bytes, quantiles(all, turns, ops));
            } finally {
                floor.close();
            }
        } finally {
            log.close();
        }
    }

    private static double[][] quantiles(List<LongSupplier> all, int turns, int operations) {
        double[][] ns = new double[all.size()][turns];
        for (int turn = 0; turn < turns; turn++) {
            for (int i = 0; i < ns.length; i++) {
                ns[i][turn] = time(all.get(i), operations);
            }
        }
        for (double[] each : ns) {
            Arrays.sort(each);
        }
        return ns;
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

    private void report(int bytes, double[][] ns) {
        int low = turns / 10;
        int half = turns / 2;
        out.printf(Locale.ROOT, "%6d %11.1f %10.1f", bytes, ns[0][low], ns[0][half]);
        for (double[] floor : List.of(ns[1], ns[2])) {
            out.printf(
                    Locale.ROOT,
                    " %11.1f %10.1f %8.2f %7.2f",
                    floor[low],
                    floor[half],
                    ns[0][low] / floor[low],
                    ns[0][half] / floor[half]);
        }
        out.println();
    }
}
