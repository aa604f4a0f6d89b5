package io.firn.bench;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures how long a log takes to open after its JVM was killed, for a small and a large log in
 * turn. The killed JVM appends to the end, so each open recovers a segment that was being written.
 */
@Command(
        name = "bin/bench reopen",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Measures the time to open a log after kill -9, a small and a large one in turn.")
public final class Reopen implements Callable<Integer> {
    private static final int RECORD_BYTES = 1024;
    private static final int BATCH = 64;
    private static final double WANTED_RATIO = 1.5;

    /** Room for the header, for what is appended between kills, and for the next block. */
    private static final long POOL_MARGIN_MIB = 8 * 64;

    private static final String READY = "appending";

    @Option(
            names = "--small",
            description = "Size of the small log in MiB. Default: ${DEFAULT-VALUE}")
    private int smallMib = 256;

    @Option(
            names = "--large",
            description = "Size of the large log in MiB. Default: ${DEFAULT-VALUE}")
    private int largeMib = 4096;

    @Option(names = "--rounds", description = "Number of kills of each. Default: ${DEFAULT-VALUE}")
    private int rounds = 7;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Directory of the logs. Default: target/")
    private Path disk = Path.of("target");

    @Option(
            names = "--pmem",
            description = "Uses pools of emulated persistent memory, as large as the logs.")
    private boolean pmem;

    @Option(names = "--child", hidden = true)
    private Path child;

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Reopen()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        if (child != null) {
            append(child, largeMib);
            return 0;
        }
        out.printf("%s; directory %s%n", Machine.now(), disk);
        Path small = Places.make(disk);
        Path large = Places.make(disk);
        try {
            double[] smallMs = new double[rounds];
            double[] largeMs = new double[rounds];
            killWhileAppending(small, smallMib); // fills the log; not counted, like the first open
            open(small, smallMib);
            killWhileAppending(large, largeMib);
            open(large, largeMib);
            for (int i = 0; i < rounds; i++) {
                killWhileAppending(small, smallMib);
                smallMs[i] = open(small, smallMib);
                killWhileAppending(large, largeMib);
                largeMs[i] = open(large, largeMib);
                out.printf(
                        Locale.ROOT,
                        "round %d of %d: %d MiB %.1f ms, %d MiB %.1f ms%n",
                        i + 1,
                        rounds,
                        smallMib,
                        smallMs[i],
                        largeMib,
                        largeMs[i]);
            }
            double ratio = median(largeMs) / median(smallMs);
            out.printf(
                    Locale.ROOT,
                    "medians: %d MiB %.1f ms, %d MiB %.1f ms%n",
                    smallMib,
                    median(smallMs),
                    largeMib,
                    median(largeMs));
            Target target =
                    Target.atMost(pmem ? "pmem-reopen.ratio" : "reopen.ratio", ratio, WANTED_RATIO);
            out.println(target);
            return target.isMet() ? 0 : 1;
        } finally {
            Places.delete(small);
            Places.delete(large);
        }
    }

    private void killWhileAppending(Path directory, int mib) throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Reopen.class.getName(),
                                "--child",
                                directory.toString(),
                                "--large",
                                Integer.toString(mib),
                                "--pmem=" + pmem)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            if (!READY.equals(line)) {
                throw new IOException("the child ended before it appended: " + line);
            }
            Thread.sleep(300); // the child keeps appending
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Runs the child: fills the log up to a size, reports it, and appends until it is killed. */
    private void append(Path directory, int mib) {
        long bytes = (long) mib << 20;
        try (LogStore store = builder(directory, mib).open()) {
            TopicOptions options = TopicOptions.defaults().withDurability(Durability.WRITTEN);
            Partition log = store.ensureTopic("reopen", options).partition(0);
            try (Appender appender = log.openExclusiveAppender()) {
                byte[] value = new byte[RECORD_BYTES];
                Batch batch = appender.newBatch();
                boolean full = false;
                for (long i = 0; true; i++) {
                    batch.clear();
                    for (int j = 0; j < BATCH; j++) {
                        Arrays.fill(value, 0, 8, (byte) (i + j));
                        batch.add(value);
                    }
                    appender.append(batch);
                    if (!full && log.nextOffset() * RECORD_BYTES >= bytes) {
                        full = true;
                        System.out.println(READY);
                    } else if (full) {
                        LockSupport.parkNanos(1_000_000); // so that the size hardly changes
                    }
                }
            }
        }
    }

    private double open(Path directory, int mib) {
        long started = System.nanoTime();
        try (LogStore store = builder(directory, mib).open()) {
            double ms = (System.nanoTime() - started) / 1e6;
            if (store.openTopic("reopen").partition(0).nextOffset() == 0) {
                throw new IllegalStateException("nothing came back in " + directory);
            }
            return ms;
        }
    }

    private LogStoreBuilder builder(Path directory, int mib) {
        Path segments = directory.resolve("segments");
        return LogStore.at(directory.resolve("store"))
                .tier(pmem ? pool(segments, mib) : FileTier.at(segments));
    }

    private static PmemTier pool(Path directory, int mib) {
        return PmemTier.at(directory)
                .withEmulation(Emulation.PLAIN)
                .withCapacityBytes((mib + POOL_MARGIN_MIB) << 20)
                .withPoolRatio(1);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
