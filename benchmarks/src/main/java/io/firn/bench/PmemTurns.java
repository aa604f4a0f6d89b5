package io.firn.bench;

import io.firn.Durability;
import io.firn.pmem.Provider;
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

/** Runs the benchmarks of {@link Pmem} and their floors in one JVM, in turns of milliseconds. */
@Command(
        name = "bin/bench pmem-turns",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures durable appends to a pool in memory that rolls and deletes segments, one by",
            "one and in batches of 16, and the floor with the same library, in turns of some",
            "milliseconds, so that other load affects both alike. Batches have two floors: one is",
            "given encoded records, the other one values. Prints quantiles over the turns."
        })
public final class PmemTurns implements Callable<Integer> {
    private static final int[] SIZES = {64, 256, 1024, 4096};
    private static final int SEGMENT_MIB = 256;
    private static final long TURN_BYTES = 2 << 20;
    private static final double WARM_UP = 0.25;

    @Option(names = "--provider", required = true, description = "LLPL or LIBPMEM (Java 22).")
    private Provider provider;

    @Option(names = "--turns", paramLabel = "N", description = "Number of turns; default 300.")
    private int turns = 300;

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new PmemTurns()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Path memory = Places.make("");
        try {
            out.printf("%s%n", Machine.now());
            out.printf(
                    "%-8s %6s %6s %22s %22s %16s%n",
                    "", "batch", "bytes", "Firn p10, p50 ns", "floor p10, p50 ns", "ratios");
            for (int bytes : SIZES) {
                compare(bytes, memory);
            }
        } finally {
            Places.delete(memory);
        }
        return 0;
    }

    private void compare(int bytes, Path memory) throws IOException {
        PmemAppendBenchmark log = new PmemAppendBenchmark();
        log.dir = memory.toString();
        log.durability = Durability.DURABLE;
        log.bytes = bytes;
        log.segmentMib = SEGMENT_MIB;
        log.provider = provider;
        PmemAppendFloor floor = new PmemAppendFloor();
        floor.dir = memory.toString();
        floor.durability = Durability.DURABLE;
        floor.bytes = bytes;
        floor.segmentMib = SEGMENT_MIB;
        floor.provider = provider;
        log.open();
        try {
            floor.open();
            try {
                log.directToRolling();
                report(bytes, 1, log::exclusive, floor::append);
                int batch = AppendBenchmark.BATCH_RECORDS;
                report(bytes, batch, log::batchOf16, floor::batchOf16);
                report(bytes, batch, log::batchOf16, floor::encodedBatchOf16);
            } finally {
                floor.close();
            }
        } finally {
            log.close();
        }
    }

    private void report(int bytes, int batch, LongSupplier log, LongSupplier floor) {
        int ops = (int) (TURN_BYTES / (bytes + 128) / batch);
        List<LongSupplier> both = List.of(log, floor);
        double[][] ns = new double[both.size()][turns];
        for (int turn = (int) (-turns * WARM_UP); turn < turns; turn++) {
            for (int i = 0; i < ns.length; i++) {
                double took = time(both.get(i), ops) / (double) batch;
                if (turn >= 0) {
                    ns[i][turn] = took;
                }
            }
        }
        for (double[] each : ns) {
            Arrays.sort(each);
        }
        int low = turns / 10;
        int half = turns / 2;
        out.printf(
                Locale.ROOT,
                "%-8s %6d %6d %11.1f %10.1f %11.1f %10.1f %8.2f %7.2f%n",
                provider,
                batch,
                bytes,
                ns[0][low],
                ns[0][half],
                ns[1][low],
                ns[1][half],
                ns[0][low] / ns[1][low],
                ns[0][half] / ns[1][half]);
    }

    private static double time(LongSupplier operation, int ops) {
        long start = System.nanoTime();
        long sum = 0;
        for (int i = 0; i < ops; i++) {
            sum += operation.getAsLong();
        }
        long took = System.nanoTime() - start;
        if (sum == Long.MIN_VALUE) {
            throw new IllegalStateException("offsets are never that small");
        }
        return took / (double) ops;
    }
}
