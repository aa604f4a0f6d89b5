package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.FirnException;
import io.firn.Isolation;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.TransactionCoordinator.State;
import io.firn.Verdict;
import io.firn.file.FileTier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many transactions whose time is out while they are ended. */
class TransactionExpiryTest {
    private static final int PRODUCERS = 500;
    private static final int PARTITIONS = 3;

    @TempDir private Path directory;

    @Test
    void shouldCommitOrAbortEachAsAWholeWhenOneExpiresEachMillisecond() throws Exception {
        try (LogStore store =
                LogStore.in(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")))
                        .open()) {
            Topic topic =
                    store.createTopic("t", TransactionTroubleTest.SMALL.withPartitions(PARTITIONS));
            List<Transaction> all = new ArrayList<>();
            for (int i = 0; i < PRODUCERS; i++) {
                Duration timeout = Duration.ofMillis(100 + i);
                Transaction tx = store.openProducer("p" + i, timeout).beginTransaction();
                all.add(tx);
                try {
                    append(tx, topic, i, i % PARTITIONS);
                    append(tx, topic, i, (i + 1) % PARTITIONS);
                } catch (FirnException e) {
                    continue; // it has expired already
                }
            }
            List<String> expected = commitAll(all);
            awaitEnds(store);
            List<String> found = new ArrayList<>();
            for (int i = 0; i < PARTITIONS; i++) {
                Partition partition = topic.partition(i);
                partition.force();
                assertEquals(
                        partition.visibleOffset(Isolation.UNCOMMITTED), partition.visibleOffset());
                read(partition, found);
            }
            Collections.sort(found);
            assertEquals(expected, found);
        }
    }

    private static void append(Transaction tx, Topic topic, int producer, int partition) {
        byte[] value = ("value of " + producer).getBytes(StandardCharsets.UTF_8);
        tx.append(topic.partition(partition), topic.newBatch().add(value));
    }

    /** Commits all in any order; returns the values of those whose commits returned, sorted. */
    private static List<String> commitAll(List<Transaction> all) throws Exception {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            order.add(i);
        }
        Collections.shuffle(order, new Random(1));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<String> committed = new ArrayList<>();
        List<Future<Boolean>> ends = new ArrayList<>();
        for (int each : order) {
            ends.add(threads.submit(() -> isCommitted(all.get(each))));
        }
        for (int i = 0; i < PRODUCERS; i++) {
            if (ends.get(i).get()) {
                committed.add("value of " + order.get(i));
                committed.add("value of " + order.get(i));
            }
        }
        threads.shutdown();
        Collections.sort(committed);
        return committed;
    }

    private static boolean isCommitted(Transaction tx) {
        try {
            tx.commit();
            return true;
        } catch (FirnException e) {
            return false; // its time was out
        }
    }

    /** Those that were not committed expire. */
    private static void awaitEnds(LogStore store) throws InterruptedException {
        while (store.transactions().producers().stream()
                .anyMatch(each -> each.state() == State.ONGOING)) {
            Thread.sleep(1);
        }
    }

    private static void read(Partition partition, List<String> to) {
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                to.add(new String(record.copy().value(), StandardCharsets.UTF_8));
                                return Verdict.CONTINUE;
                            },
                            1_000)
                    > 0) {
                continue;
            }
        }
    }
}
