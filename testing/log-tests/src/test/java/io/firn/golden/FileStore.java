package io.firn.golden;

import io.firn.LogStore;
import io.firn.PartitionReader;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.api.ObservedMedium;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A store on files with a clock of its own, and no threads: the same run gives the same bytes. */
final class FileStore implements AutoCloseable {
    /** Where the store's directory keeps its segments. */
    static final String TIER = "segments";

    private static final Duration ROLL_AGE = Duration.ofHours(1);
    private static final int ROUNDS = 1_000;

    private final Path directory;
    private final FileMedium medium = new ObservedMedium();
    private LogStore store;
    private long nowMs = 1_700_000_000_000L;

    /** Opens or creates the store in a directory. */
    FileStore(Path directory) {
        this.directory = directory;
        open();
    }

    private void open() {
        store =
                StoreBuilder.over(directory, medium)
                        .tier(
                                FileTier.at(directory.resolve(TIER))
                                        .withMedium(medium)
                                        .withDeclaredDurable())
                        .clock(() -> nowMs)
                        .invokerMode()
                        .open();
    }

    /** Options for topics whose segments {@link #sealAll} can seal. */
    static TopicOptions options() {
        return TopicOptions.defaults().withSegmentBytes(64 * 1024).withRollAge(ROLL_AGE);
    }

    LogStore store() {
        return store;
    }

    Topic topic(String name) {
        return store.hasTopic(name) ? store.openTopic(name) : store.createTopic(name, options());
    }

    long nowMs() {
        return nowMs;
    }

    void pass(Duration time) {
        nowMs += time.toMillis();
    }

    /** Closes the store and opens it again: from now on it writes with another epoch. */
    void reopen() {
        store.close();
        open();
    }

    /** Seals all segments, which no exclusive appender may hold. */
    void sealAll(Topic topic) throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            if (isSealed(topic)) {
                return;
            }
            store.doWork();
            pass(ROLL_AGE.dividedBy(2));
        }
        throw new AssertionError("not sealed: " + store.metrics());
    }

    private boolean isSealed(Topic topic) throws IOException {
        for (int i = 0; i < topic.partitionCount(); i++) {
            int number = i;
            int segments =
                    store.metrics().partitions().stream()
                            .filter(p -> p.topic().equals(topic.name()) && p.partition() == number)
                            .mapToInt(p -> p.segments())
                            .sum();
            if (sealedFiles(topic, i).size() != segments) {
                return false;
            }
        }
        return true;
    }

    /** The files of a partition's sealed segments, in order. */
    List<Path> sealedFiles(Topic topic, int partition) throws IOException {
        Path files =
                directory
                        .resolve(TIER)
                        .resolve(topic.id().toString())
                        .resolve(Integer.toString(partition));
        if (!Files.exists(files)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(files)) { // what was rewritten has its own directory
            return all.filter(file -> file.toString().endsWith(".log")).sorted().toList();
        }
    }

    /** Everything that a partition's readers see. */
    static List<StoredRecord> readAll(PartitionReader partition) {
        List<StoredRecord> records = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            int taken;
            do {
                taken =
                        tailer.poll(
                                record -> {
                                    records.add(record.copy());
                                    return Action.CONTINUE;
                                },
                                100);
            } while (taken > 0);
        }
        return records;
    }

    @Override
    public void close() {
        store.close();
    }
}
