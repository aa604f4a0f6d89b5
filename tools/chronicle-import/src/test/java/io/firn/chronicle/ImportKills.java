package io.firn.chronicle;

import io.firn.LogStore;
import io.firn.file.FileTier;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import net.openhft.chronicle.queue.rollcycles.TestRollCycles;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Lets Chronicle Queue write a queue, kills imports of it with SIGKILL, lets the last one end, and
 * compares the topic with what Chronicle's own tailer reads. {@code bin/check import} runs it.
 */
@Command(
        name = "bin/check import",
        sortOptions = false,
        description = {
            "",
            "Lets Chronicle Queue write documents of mixed sizes to several roll cycles, imports"
                    + " them, kills the import with SIGKILL again and again on the way, and"
                    + " compares the topic record by record with what Chronicle's own tailer"
                    + " reads.",
            ""
        })
final class ImportKills implements Callable<Integer> {
    private static final int KILLED = 128 + 9;
    private static final String TOPIC = "imported";
    private static final Logger FIRN = Logger.getLogger("io.firn");
    private static final Logger CHRONICLE = Logger.getLogger("net.openhft");

    @Option(names = "--documents", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}")
    int documents = 1_000_000;

    @Option(names = "--cycles", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}")
    int cycles = 10;

    @Option(names = "--kills", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}")
    int kills = 10;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where; default: the working directory")
    Path parent = Path.of("");

    @Option(names = "--seed", paramLabel = "S", description = "Default: ${DEFAULT-VALUE}")
    long seed = 1;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(names = "--help", usageHelp = true, description = "Shows this text")
    boolean help;

    PrintStream out = System.out;

    /** Runs it. */
    public static void main(String[] arguments) {
        FIRN.setLevel(Level.WARNING);
        CHRONICLE.setLevel(Level.OFF);
        System.exit(new CommandLine(new ImportKills()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(parent.toAbsolutePath(), "firn-import-");
        Path queue = directory.resolve("queue");
        Path store = directory.resolve("store");
        Path log = directory.resolve("log");
        long started = System.nanoTime();
        Queues.write(queue, TestRollCycles.TEST_SECONDLY, seed, documents, cycles);
        out.printf(
                "Chronicle Queue wrote %,d documents in %d cycles in %.1f s (seed %d).%n",
                documents, cycles, seconds(started), seed);
        SplittableRandom random = new SplittableRandom(seed);
        started = System.nanoTime();
        long killed = 0;
        for (int i = 0; i < kills; i++) {
            // Somewhere in the part of this kill: they are spread over the whole import.
            long at = (long) (documents * (i + random.nextDouble()) / (kills + 1.0));
            Process child = ImportChild.start(queue, store, TOPIC, log, "--no-compare");
            ImportChild.awaitRecords(child, store, TOPIC, Math.max(1, at));
            child.toHandle().destroyForcibly();
            int exit = child.waitFor();
            if (exit == KILLED) {
                killed++;
            } else if (exit != 0) {
                throw new IllegalStateException("the import ended with " + exit + ", see " + log);
            }
            out.printf("Kill %d at %,d records or later: exit code %d.%n", i + 1, at, exit);
        }
        Process last = ImportChild.start(queue, store, TOPIC, log);
        if (last.waitFor() != 0) {
            throw new IllegalStateException("the last import failed, see " + log);
        }
        out.printf("Imported in %.1f s with %d kills.%n", seconds(started), killed);
        started = System.nanoTime();
        long equal;
        FileTier tier = FileTier.at(store.resolve("segments"));
        try (LogStore opened = LogStore.at(store).tier(tier).open()) {
            equal = Queues.requireEqual(queue, opened.openTopic(TOPIC));
        }
        if (equal != documents) {
            throw new IllegalStateException(equal + " records instead of " + documents);
        }
        out.printf(
                "%,d records are equal one by one to what Chronicle's tailer reads, %.1f s.%n",
                equal, seconds(started));
        delete(directory);
        return killed == kills ? 0 : 1;
    }

    private static double seconds(long startedNs) {
        return (System.nanoTime() - startedNs) / 1e9;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
