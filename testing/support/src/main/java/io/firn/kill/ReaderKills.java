package io.firn.kill;

import io.firn.LogStore;
import io.firn.api.Waiting;
import io.firn.kill.Oracle.Violation;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Kills a writer and its three readers in other processes in turn. No reader may ever have seen a
 * record that the log, opened again, does not have at that offset; none is skipped.
 */
final class ReaderKills implements KillRun {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(Waiting.HANGS_AFTER_S);
    private static final int MOST_MS_BEFORE_KILL = 150;

    private final Ground ground;
    private final Path directory;
    private final int rounds;
    private final PrintStream out;
    private final SplittableRandom random;
    private final Sightings sightings = new Sightings();
    private final List<FollowingReader> readers;
    private Process writer;
    private int writersKilled;
    private int readersKilled;
    private int checks;

    ReaderKills(Ground ground, Path directory, long seed, int rounds, PrintStream out) {
        this.ground = ground;
        this.directory = directory;
        this.rounds = rounds;
        this.out = out;
        this.random = new SplittableRandom(seed);
        this.readers =
                List.of("spin", "park", "topic").stream()
                        .map(wait -> new FollowingReader(wait, directory, ground, sightings))
                        .toList();
    }

    int killed() {
        return writersKilled + readersKilled;
    }

    /** Records that readers saw. */
    long seen() {
        return sightings.count();
    }

    @Override
    public void run() throws Exception {
        Files.createDirectories(directory);
        try {
            startWriter();
            for (FollowingReader reader : readers) {
                reader.start();
            }
            while (killed() < rounds) {
                FollowingReader reader = readers.get(readersKilled % readers.size());
                if (killed() % 2 == 0) {
                    awaitNews();
                    killWriter();
                } else {
                    await(reader + " to read", reader, reader::hasSeen);
                    pause();
                    reader.kill();
                    readersKilled++;
                    reader.start();
                }
                look();
                out.printf(
                        "\rkilled %d of %d, %,d records seen ",
                        killed(), rounds, sightings.count());
                out.flush();
            }
            end();
        } finally {
            if (writer != null) {
                kill(writer);
            }
            for (FollowingReader reader : readers) {
                reader.kill();
            }
        }
    }

    /** Stops the writer, lets all readers come to the end of the log, and compares. */
    private void end() throws Exception {
        kill(writer);
        writer = null;
        try (LogStore store = Feed.store(directory, ground).open()) {
            for (FollowingReader reader : readers) {
                for (int lane = 0; lane < Feed.LANES; lane++) {
                    int of = lane;
                    long end =
                            Feed.create(store, Feed.topicOf(lane))
                                    .partition(Feed.partitionOf(lane))
                                    .nextOffset();
                    await(reader + " to read all", reader, () -> reader.next(of) >= end);
                }
            }
            sightings.check(store);
            checks++;
        }
        look();
    }

    private void startWriter() throws IOException, Violation {
        Path errors = directory.resolve("writer.txt");
        writer =
                Child.builder(
                                FeedChild.class,
                                directory.toString(),
                                ground.getClass().getName(),
                                Long.toString(random.nextLong()))
                        .redirectError(errors.toFile())
                        .start();
        if (writer.getInputStream().read() != 'w') {
            throw new Violation("the writer failed:\n" + Files.readString(errors));
        }
    }

    private void killWriter() throws Exception {
        pause();
        kill(writer);
        writersKilled++;
        writer = null;
        // Readers go on beside both: a writer that opens, checks and closes, or only the next one.
        if (random.nextBoolean()) {
            try (LogStore store = Feed.store(directory, ground).open()) {
                sightings.check(store);
                checks++;
            }
        }
        startWriter();
    }

    /** So that each writer's life is seen by some reader. */
    private void awaitNews() throws Exception {
        long before = sightings.count();
        await("records", readers.get(0), () -> sightings.count() > before + Feed.LANES);
    }

    private static void kill(Process process) throws InterruptedException {
        process.toHandle().destroyForcibly();
        process.waitFor();
    }

    private void pause() {
        LockSupport.parkNanos(random.nextInt(MOST_MS_BEFORE_KILL * 1_000) * 1_000L);
    }

    private void look() throws IOException, Violation {
        for (FollowingReader reader : readers) {
            String flaw = reader.flaw();
            if (flaw != null) {
                throw new Violation(flaw);
            }
        }
    }

    /** What is waited for. */
    @FunctionalInterface
    private interface Condition {
        boolean isTrue();
    }

    private void await(String what, FollowingReader reader, Condition condition)
            throws IOException, Violation {
        long deadline = System.nanoTime() + PATIENCE_NS;
        while (!condition.isTrue()) {
            String flaw = reader.flaw();
            if (flaw != null) {
                throw new Violation(flaw);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new Violation("waited in vain for " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void summarize() {
        out.printf("%nkills            %d writers, %d readers%n", writersKilled, readersKilled);
        out.printf("records seen     %,d%n", sightings.count());
        out.printf("compared         %,d in %d checks%n", sightings.compared(), checks);
        out.printf(
                "overtaken        %d times by retention%n",
                readers.stream().mapToLong(FollowingReader::overtaken).sum());
    }
}
