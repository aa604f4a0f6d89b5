package io.firn.kill;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Deletes or replaces lock files, and sometimes the published offsets, under a JVM that appends,
 * and starts another one on the same store; kills either at some time. Whatever becomes of them,
 * each value that was acknowledged by one of them is in the log once, and the first one ends with a
 * typed error if the second one has opened the store.
 */
public final class LockKills {
    private static final int MOST_APPENDING_MS = 200;
    private static final int MOST_OPENING_MS = 1_500;
    private static final int PATIENCE_S = 60;

    private final Path directory;
    private final SplittableRandom random;
    private final Set<String> acknowledged = new HashSet<>();
    private int children;
    private int opened;
    private int refused;
    private int lost;

    private LockKills(Path directory, long seed) {
        this.directory = directory;
        this.random = new SplittableRandom(seed);
    }

    /** {@code LockKills DIRECTORY ROUNDS SEED}. */
    public static void main(String[] arguments) throws Exception {
        System.out.println(
                run(
                        Path.of(arguments[0]),
                        Integer.parseInt(arguments[1]),
                        Long.parseLong(arguments[2])));
    }

    /**
     * Runs the given number of rounds.
     *
     * @return what was seen, in a line
     * @throws IllegalStateException when a promise was broken
     */
    static String run(Path directory, int rounds, long seed) throws Exception {
        LockKills kills = new LockKills(directory, seed);
        for (int i = 0; i < rounds; i++) {
            kills.round();
            kills.check();
        }
        return rounds
                + " rounds: the second writer opened "
                + kills.opened
                + " times and was refused "
                + kills.refused
                + " times, the first one noticed "
                + kills.lost
                + " times; all "
                + kills.acknowledged.size()
                + " acknowledged values are there";
    }

    /** A child, and what it has said. */
    private final class Writer implements AutoCloseable {
        private final Process process;
        private final Thread reader;
        private final List<String> said = new ArrayList<>();
        private boolean isKilled;

        Writer() throws IOException {
            process =
                    Child.builder(LockChild.class, directory.toString(), "w" + children++)
                            .redirectError(
                                    ProcessBuilder.Redirect.appendTo(
                                            directory.resolve("child-errors.txt").toFile()))
                            .start();
            reader = new Thread(this::read, "reader");
            reader.start();
        }

        private void read() {
            try (BufferedReader out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
                for (String line; (line = out.readLine()) != null; ) {
                    synchronized (said) {
                        said.add(line);
                        said.notifyAll();
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        boolean said(String word) {
            synchronized (said) {
                return said.stream().anyMatch(line -> line.startsWith(word));
            }
        }

        /** Waits until it has said something, or is done. */
        void await(int lines) throws InterruptedException {
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
            synchronized (said) {
                while (said.size() < lines && reader.isAlive() && System.nanoTime() < until) {
                    said.wait(100);
                }
            }
        }

        void awaitEnd() throws InterruptedException {
            boolean ended = process.waitFor(PATIENCE_S, TimeUnit.SECONDS);
            require(ended, "it goes on although another writer has opened the store");
            reader.join();
        }

        void kill() throws InterruptedException {
            isKilled |= process.isAlive();
            process.toHandle().destroyForcibly();
            process.waitFor();
            reader.join();
        }

        List<String> acknowledged() {
            return said.stream().filter(line -> line.startsWith("w")).toList();
        }

        @Override
        public void close() {
            process.toHandle().destroyForcibly();
        }
    }

    private void round() throws Exception {
        try (Writer first = new Writer()) {
            first.await(2 + random.nextInt(20));
            pause(MOST_APPENDING_MS);
            boolean killsFirst = random.nextInt(4) == 0;
            removeSome();
            if (killsFirst) {
                first.kill();
            }
            try (Writer second = new Writer()) {
                boolean killsEarly = random.nextInt(4) == 0;
                if (killsEarly) {
                    pause(MOST_OPENING_MS);
                } else {
                    second.await(1 + random.nextInt(20));
                }
                boolean wasOpened = second.said(LockChild.OPENED);
                opened += wasOpened ? 1 : 0;
                if (wasOpened && !killsFirst && random.nextInt(3) > 0) {
                    first.awaitEnd();
                }
                first.kill();
                second.kill();
                count(first, second, killsFirst);
            }
        }
    }

    private void count(Writer first, Writer second, boolean killedFirst) throws IOException {
        boolean isLost = first.said(LockChild.LOST);
        lost += isLost ? 1 : 0;
        boolean isRefused = second.said(LockChild.REFUSED);
        refused += isRefused ? 1 : 0;
        require(!killedFirst || !isRefused, "a writer was refused after the first had ended");
        require(isLost || first.isKilled, "the first writer failed: " + errors());
        acknowledged.addAll(first.acknowledged());
        acknowledged.addAll(second.acknowledged());
    }

    private String errors() throws IOException {
        return Files.readString(directory.resolve("child-errors.txt"));
    }

    /** Removes or replaces some of the files by which writers know of each other. */
    private void removeSome() throws IOException {
        List<Path> files =
                List.of(
                        directory.resolve("store/lock"),
                        directory.resolve("segments/lock"),
                        directory.resolve("store/ends"));
        boolean all = random.nextInt(3) == 0;
        for (Path file : files) {
            if (!Files.exists(file) || (!all && random.nextInt(3) == 0)) {
                continue;
            }
            if (random.nextInt(3) > 0) {
                Files.delete(file);
            } else {
                Path copy = file.resolveSibling("copy");
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private void pause(int mostMs) {
        LockSupport.parkNanos(random.nextInt(1 + mostMs * 1_000) * 1_000L);
    }

    private void check() {
        Map<String, Integer> found = new HashMap<>();
        try (LogStore store = LockChild.open(directory);
                Tailer tailer = LockChild.partition(store).openTailer()) {
            while (tailer.poll(
                            record -> {
                                String value = new String(record.copy().value(), UTF_8).strip();
                                found.merge(value, 1, Integer::sum);
                                return Action.CONTINUE;
                            },
                            1_000)
                    > 0) {
                continue;
            }
        }
        for (String value : acknowledged) {
            int count = found.getOrDefault(value, 0);
            require(count == 1, value + " was acknowledged, and is there " + count + " times");
        }
    }

    private static void require(boolean isKept, String message) {
        if (!isKept) {
            throw new IllegalStateException(message);
        }
    }
}
