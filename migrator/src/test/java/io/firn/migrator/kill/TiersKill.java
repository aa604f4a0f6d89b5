package io.firn.migrator.kill;

import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.Tailer;
import io.firn.kill.Flaws;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Kills a JVM whose segments are on the move between three tiers, again and again, with another
 * policy each time. After each kill: no acknowledged record is lost or doubled, what the tiers say
 * they hold is what lies there and what the log's segments take, and no file or block is left over.
 * {@code bin/check tiers} runs it for as long as one likes.
 */
final class TiersKill {
    private static final int KILLED = 128 + 9;
    private static final String USAGE =
            "Usage: bin/check tiers [--minutes N] [--every SECONDS] [--dir DIR] [--seed S]%n%n"
                    + "Kills a JVM whose segments move between three tiers (default: for 10 minutes,%n"
                    + "about every 3 seconds), opens the store after each kill and checks all of it.%n";

    private final Path directory;
    private final SplittableRandom random;
    private final PrintStream out;
    private final long[] acked = new long[KillStore.TOPICS.size()];
    private long records;
    private long colder;

    TiersKill(Path directory, long seed, PrintStream out) {
        this.directory = directory;
        this.random = new SplittableRandom(seed);
        this.out = out;
    }

    /** Something that must not be. */
    static final class Violation extends RuntimeException {
        private static final long serialVersionUID = 1;

        Violation(String what) {
            super(what);
        }
    }

    /** Run by {@code bin/check tiers}. */
    public static void main(String[] arguments) throws Exception {
        double minutes = 10;
        double every = 3;
        long seed = System.nanoTime() & 0xFFFF;
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        for (int i = 0; i < arguments.length; i += 2) {
            String value = i + 1 < arguments.length ? arguments[i + 1] : "";
            switch (arguments[i]) {
                case "--minutes" -> minutes = Double.parseDouble(value);
                case "--every" -> every = Double.parseDouble(value);
                case "--seed" -> seed = Long.parseLong(value);
                case "--dir" -> parent = Path.of(value);
                default -> {
                    System.out.printf(USAGE);
                    System.exit(arguments[i].equals("--help") ? 0 : 2);
                }
            }
        }
        Path directory = Files.createTempDirectory(Files.createDirectories(parent), "firn-tiers");
        System.out.println("seed " + seed + ", store in " + directory);
        TiersKill kills = new TiersKill(directory, seed, System.out);
        long until = System.nanoTime() + (long) (minutes * 60e9);
        int round = 0;
        try {
            while (System.nanoTime() < until) {
                kills.round(round++, every);
            }
        } catch (Violation e) {
            System.out.println("round " + (round - 1) + ": " + e.getMessage());
            System.out.println("FAILED; the store is kept in " + directory);
            System.exit(1);
        }
        System.out.println(round + " kills: " + kills.summary());
        deleteAll(directory);
    }

    String summary() {
        return records
                + " records read back, "
                + colder
                + " times a segment was in a colder tier, nothing lost, duplicated or left over";
    }

    long colder() {
        return colder;
    }

    /** One child, its kill, and a look at what it left. */
    void round(int round, double everySeconds) throws IOException, InterruptedException {
        Path errors = directory.resolve("child-errors.txt");
        Process child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xmx256m",
                                "-Xlog:disable", // warnings of the JVM would be read as reports
                                "-Xlog:all=warning:stderr",
                                "-cp",
                                System.getProperty("java.class.path"),
                                KillChild.class.getName(),
                                directory.toString(),
                                Integer.toString(round))
                        .redirectError(errors.toFile())
                        .start();
        Thread listener = new Thread(() -> listen(child), "listener");
        listener.start();
        synchronized (acked) {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!opened && child.isAlive() && System.nanoTime() < deadline) {
                acked.wait(100);
            }
            opened = false;
        }
        Thread.sleep((long) (everySeconds * 1000 * (0.3 + 1.4 * random.nextDouble())));
        // Not the process itself: that would close the pipe with what is still in it.
        child.toHandle().destroyForcibly();
        child.waitFor();
        listener.join();
        if (child.exitValue() != KILLED) {
            throw new Violation(
                    "the child ended with " + child.exitValue() + ": " + Files.readString(errors));
        }
        check(round);
    }

    private boolean opened;

    private void listen(Process child) {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(child.getInputStream()))) {
            while (true) {
                int topic = in.readByte();
                long offset = in.readLong();
                synchronized (acked) {
                    if (topic < 0) {
                        opened = true;
                        acked.notifyAll();
                    } else {
                        acked[topic] = offset;
                    }
                }
            }
        } catch (EOFException e) {
            return; // it was killed
        } catch (IOException e) {
            throw new IllegalStateException("the child's pipe", e);
        }
    }

    /** Without any background, so that what is seen is what recovery leaves. */
    private void check(int round) throws IOException {
        try (LogStore store = KillStore.at(directory).invokerMode().open()) {
            require(Flaws.of(store).isEmpty(), "findings: " + Flaws.of(store));
            StoreSnapshot snapshot = store.snapshot();
            checkSpace(store, snapshot);
            StringBuilder line = new StringBuilder("round " + round + ":");
            for (PartitionPlace place : snapshot.partitions()) {
                int topic = KillStore.TOPICS.indexOf(place.topic());
                Partition partition = store.openTopic(place.topic()).partition(0);
                long n = readAll(place.topic(), partition);
                records += n;
                if (!place.topic().equals(KillStore.MORTAL)) {
                    require(
                            partition.nextOffset() >= acked[topic],
                            place.topic()
                                    + " ends at "
                                    + partition.nextOffset()
                                    + ", acknowledged was "
                                    + acked[topic]);
                }
                Map<String, Integer> tiers = new TreeMap<>();
                place.segments().forEach(s -> tiers.merge(s.tier(), 1, Integer::sum));
                colder += place.segments().size() - tiers.getOrDefault("pmem", 0);
                line.append(' ').append(place.topic()).append(' ').append(n).append(' ');
                line.append(tiers);
            }
            out.println(line);
            // What is due below the log start, too.
            for (int i = 0; i < 5; i++) {
                store.doWork();
            }
        }
    }

    private static long readAll(String topic, Partition partition) {
        require(partition.damage().isEmpty(), topic + " is damaged: " + partition.damage());
        Tailer tailer = partition.openTailer();
        long start = tailer.offset();
        long[] next = {start};
        while (tailer.poll(
                        record -> {
                            require(
                                    record.offset() == next[0],
                                    topic + ": " + record.offset() + " instead of " + next[0]);
                            require(
                                    Arrays.equals(
                                            record.copy().value(), KillStore.value(topic, next[0])),
                                    topic + ": another record at " + next[0]);
                            next[0]++;
                            return Action.CONTINUE;
                        },
                        1_000)
                > 0) {
            continue;
        }
        require(
                next[0] == partition.nextOffset(),
                topic + " reads to " + next[0] + ", ends at " + partition.nextOffset());
        return next[0] - start;
    }

    private void checkSpace(LogStore store, StoreSnapshot snapshot) throws IOException {
        Map<String, Long> taken = new TreeMap<>();
        for (PartitionPlace partition : snapshot.partitions()) {
            long before = -1;
            long start = store.openTopic(partition.topic()).partition(0).logStartOffset();
            for (SegmentPlace segment : partition.segments()) {
                // Below the start one that is being moved outlives younger ones.
                require(
                        before < 0
                                || segment.baseOffset() == before
                                || segment.baseOffset() <= start,
                        partition.topic() + ": a gap before " + segment + ", start " + start);
                before = segment.endOffset();
                taken.merge(segment.tier(), segment.usedBytes(), Long::sum);
            }
        }
        for (TierMetrics tier : store.metrics().tiers()) {
            long bytes = taken.getOrDefault(tier.label(), 0L);
            require(
                    tier.usedBytes() == bytes,
                    tier.label() + " holds " + tier.usedBytes() + ", its segments take " + bytes);
            if (!tier.label().equals("pmem")) { // one file, of fixed size
                long files = filesIn(tier.label());
                require(bytes == files, tier.label() + ": files of " + files + ", " + bytes);
            }
        }
    }

    /** Bytes of the files with batches; nothing else may be there but what belongs to those. */
    private long filesIn(String tier) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory.resolve(tier))) {
            files = all.filter(Files::isRegularFile).toList();
        }
        List<Path> left = new ArrayList<>();
        long bytes = 0;
        for (Path file : files) {
            String name = file.getFileName().toString();
            if (name.endsWith(".log") || name.matches("\\.[0-9a-f]{16}\\.(active|spare)")) {
                bytes += Files.size(file);
            } else if (name.matches("[0-9]{20}\\.(mark|index|timeindex)")) {
                Path log = file.resolveSibling(name.replaceAll("\\..*", ".log"));
                // Without a log they may belong to a segment that is sealed and not finished.
                boolean isSealed =
                        Files.exists(file.resolveSibling(name.replaceAll("\\..*", ".mark")))
                                && hasActive(file.getParent());
                if (!Files.exists(log) && !isSealed) {
                    left.add(file);
                }
            } else if (!Set.of("tier", "lock", "readers").contains(name)) {
                left.add(file);
            }
        }
        require(left.isEmpty(), "left over: " + left);
        return bytes;
    }

    private static boolean hasActive(Path partition) throws IOException {
        try (Stream<Path> files = Files.list(partition)) {
            return files.anyMatch(file -> file.toString().endsWith(".active"));
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new Violation(otherwise);
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
