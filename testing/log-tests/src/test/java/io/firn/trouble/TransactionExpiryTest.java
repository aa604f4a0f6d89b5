package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.ProducerFencedException;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Many transactions whose time is out, one after another. */
class TransactionExpiryTest {
    private static final int PRODUCERS = 300;
    private static final int PARTITIONS = 3;
    private static final int LEAST_TIMEOUT_MS = 1_000;

    /** Between two time-outs; the store looks for them twice as often. */
    private static final int STEP_MS = 200;

    private final CachedEpochClock clock = new CachedEpochClock();
    private final List<Transaction> all = new ArrayList<>();
    private final List<ProducerIdentity> identities = new ArrayList<>();
    private final List<String> expected = new ArrayList<>();
    private Topic topic;

    private LogStore openStore() {
        clock.update(1_700_000_000_000L);
        SimulatedFileMedium medium = new SimulatedFileMedium();
        return StoreBuilder.over(Path.of("/sim/store"), medium)
                .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium))
                .clock(clock)
                .nanoClock(() -> clock.time() * 1_000_000)
                .invokerMode()
                .open();
    }

    @Test
    void shouldCommitOrAbortEachAsAWholeWhenItsTimeIsOut() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (LogStore store = openStore()) {
            topic = store.createTopic("t", TransactionTroubleTest.SMALL.withPartitions(PARTITIONS));
            for (int i = 0; i < PRODUCERS; i++) {
                begin(store, i);
            }
            store.doWork();
            clock.advance(LEAST_TIMEOUT_MS);
            for (int i = 0; i < PRODUCERS; i += 3) {
                all.get(i).commit(); // in time
                note(i);
                pass(store);
                int racing = i + 1;
                CyclicBarrier start = new CyclicBarrier(2);
                Future<Boolean> isCommitted =
                        other.submit(
                                () -> {
                                    start.await();
                                    return isCommitted(all.get(racing));
                                });
                start.await();
                pass(store);
                if (isCommitted.get()) {
                    note(racing);
                } else {
                    assertExpired(store, racing);
                }
                pass(store);
                assertExpired(store, i + 2);
            }
            assertFound();
        } finally {
            other.shutdown();
        }
    }

    /** Lets the time of one transaction be out. */
    private void pass(LogStore store) {
        clock.advance(STEP_MS / 2);
        store.doWork();
        clock.advance(STEP_MS / 2);
        store.doWork();
    }

    private void assertExpired(LogStore store, int i) {
        String name = "p" + i;
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        assertEquals(State.ABORTED, coordinator.find(name).state(), name);
        ProducerIdentity before = identities.get(i);
        assertThrows(
                ProducerFencedException.class,
                () -> coordinator.add(name, before, List.of(topic.partition(0))));
        Transaction expired = all.get(i);
        try (Producer again = store.openProducer(name, Duration.ofDays(10));
                Transaction next = again.beginTransaction()) {
            append(next, i, 0);
            assertHasEnded(() -> append(expired, i, 0));
            assertHasEnded(expired::commit);
            assertHasEnded(expired::commit);
            assertHasEnded(() -> append(expired, i, 0));
            assertEquals(State.ONGOING, coordinator.find(name).state(), name);
        }
    }

    private void assertFound() {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            Partition partition = topic.partition(i);
            partition.force();
            assertEquals(
                    partition.visibleOffset(IsolationLevel.READ_UNCOMMITTED),
                    partition.visibleOffset());
            read(partition, found);
        }
        Collections.sort(found);
        Collections.sort(expected);
        assertEquals(expected, found);
    }

    private void begin(LogStore store, int i) {
        Producer producer =
                store.openProducer(
                        "p" + i, Duration.ofMillis(LEAST_TIMEOUT_MS + STEP_MS * (i + 1L) - 1));
        identities.add(HostedStore.of(store).transactions().find(producer.name()).identity());
        Transaction tx = producer.beginTransaction();
        append(tx, i, i % PARTITIONS);
        append(tx, i, (i + 1) % PARTITIONS);
        all.add(tx);
    }

    private void append(Transaction tx, int producer, int partition) {
        byte[] value = ("value of " + producer).getBytes(StandardCharsets.UTF_8);
        tx.append(topic.partition(partition), topic.newBatch().add(value));
    }

    private void note(int i) {
        expected.add("value of " + i);
        expected.add("value of " + i);
    }

    private static void assertHasEnded(Executable call) {
        assertThrows(ProducerFencedException.class, call);
    }

    private static boolean isCommitted(Transaction tx) {
        try {
            tx.commit();
            return true;
        } catch (ProducerFencedException e) {
            return false; // its time was out
        }
    }

    private static void read(Partition partition, List<String> to) {
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                to.add(new String(record.copy().value(), StandardCharsets.UTF_8));
                                return Action.CONTINUE;
                            },
                            1_000)
                    > 0) {
                continue;
            }
        }
    }
}
