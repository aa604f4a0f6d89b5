package io.firn.bench;

import io.firn.Durability;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
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
            "Measures un-forced appends one by one to a segment whose pages were touched, and the",
            "floor (one copy, one CRC), in turns of about a millisecond, so that other load affects",
            "both alike. Prints quantiles over the turns."
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
                    "%6s %22s %22s %16s%n",
                    "bytes", "Firn p10, p50 ns", "floor p10, p50 ns", "ratios");
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
                log.directToRolling();
                quantiles(log::exclusive, floor::append, WARM_UP_TURNS, ops);
                log.directToMeasured();
                report(bytes, quantiles(log::exclusive, floor::append, turns, ops));
            } finally {
                floor.close();
            }
        } finally {
            log.close();
        }
    }

    private static double[][] quantiles(
            LongSupplier log, LongSupplier floor, int turns, int operations) {
        double[][] ns = new double[2][turns];
        for (int turn = 0; turn < turns; turn++) {
            ns[0][turn] = time(log, operations);
            ns[1][turn] = time(floor, operations);
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
        out.printf(
                Locale.ROOT,
                "%6d %11.1f %10.1f %11.1f %10.1f %8.2f %7.2f%n",
                bytes,
                ns[0][low],
                ns[0][half],
                ns[1][low],
                ns[1][half],
                ns[0][low] / ns[1][low],
                ns[0][half] / ns[1][half]);
    }
}
