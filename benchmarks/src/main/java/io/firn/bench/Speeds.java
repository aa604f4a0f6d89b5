package io.firn.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;

/** The speed of the memory tier on this machine, and of the disk that is simulated below it. */
final class Speeds {
    /** Pafka measured 9.5 GB/s of persistent memory above 500 MB/s of a RAID-5. */
    static final double MEMORY_TO_DISK = 19;

    private static final long HOT_BYTES = 512L << 20;
    private static final double WARM_UP_S = 1;
    private static final double MEASURE_S = 3;

    private Speeds() {}

    /** Measures the bytes per second that the load with its consumer appends to the memory tier. */
    static double ofMemory(Path place) throws IOException, InterruptedException {
        try (TieredLog log = TieredLog.tiered(place, HOT_BYTES, 1e9, HOT_BYTES / 4);
                Load load = new Load(log.partition())) {
            load.rate(Load.FLAT_OUT);
            Thread.sleep((long) (WARM_UP_S * 1000));
            return over(load, MEASURE_S);
        }
    }

    /** Measures the bytes per second of a load over a number of seconds. */
    static double over(Load load, double seconds) throws InterruptedException {
        long started = System.nanoTime();
        long before = load.appended();
        Thread.sleep((long) (seconds * 1000));
        return (load.appended() - before) * 1e9 / (System.nanoTime() - started);
    }

    static void printConditions(PrintStream out, Path place) throws IOException {
        out.printf("%s; %s on %s%n", Machine.now(), place, Machine.fileSystem(place));
        out.printf(
                Locale.ROOT,
                "durable batches of 64 x 1 KiB, one producer, one consumer; persistent memory is"
                        + " emulated in memory;%nthe disk is a file tier in memory whose writes are"
                        + " slowed down to 1/%.0f of the memory tier's speed%n(it stands for the"
                        + " RAID-5 of the paper: 500 MB/s against 9.5 GB/s); its reads are not%n",
                MEMORY_TO_DISK);
    }
}
