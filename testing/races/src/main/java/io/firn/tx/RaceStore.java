package io.firn.tx;

import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The store of a JVM that runs races of transactions: one for all of them, as it takes long. */
final class RaceStore {
    static final Duration LONG = Duration.ofHours(1);

    /** More than there are states at a time, and fewer than a store may have. */
    private static final int NAMES = 40_000;

    private static final int SEGMENT_BYTES = 1 << 20;

    private static final RaceStore ONE = new RaceStore();

    private final LogStore store;
    private final Topic topic;
    private final AtomicInteger next = new AtomicInteger();

    private RaceStore() {
        try {
            // In memory if there is such a place: each of millions of ends is forced.
            Path memory = Path.of("/dev/shm");
            Path directory =
                    Files.isWritable(memory)
                            ? Files.createTempDirectory(memory, "race")
                            : Files.createTempDirectory("race");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
            store =
                    LogStore.at(directory.resolve("store"))
                            .tier(FileTier.at(directory.resolve("tier")))
                            .open();
            topic =
                    store.createTopic(
                            "races",
                            TopicOptions.defaults()
                                    .withDurability(Durability.WRITTEN)
                                    .withSegmentBytes(SEGMENT_BYTES)
                                    .withRetentionBytes(4L * SEGMENT_BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException | UncheckedIOException e) {
            System.err.println(directory + " is left: " + e);
        }
    }

    /** Returns a name that no open state has. */
    static String name() {
        return "producer-" + ONE.next.getAndIncrement() % NAMES;
    }

    static Producer open(String name) {
        return ONE.store.openProducer(name, LONG);
    }

    static Partition partition() {
        return ONE.topic.partition(0);
    }

    static long append(Transaction transaction) {
        return transaction.append(partition(), ONE.topic.newBatch().add(new byte[] {1}));
    }

    /** Returns 1 if a producer's batch at an offset is one of an aborted transaction. */
    static int isAborted(Producer producer, long offset) {
        return HostedPartition.of(partition()).abortedTransactions(offset, offset + 1).stream()
                        .anyMatch(
                                each ->
                                        each.producerId()
                                                        == HostedStore.of(ONE.store)
                                                                .transactions()
                                                                .find(producer.name())
                                                                .identity()
                                                                .id()
                                                && each.firstOffset() == offset)
                ? 1
                : 0;
    }
}
