package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.firn.Appender;
import io.firn.Claim;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.host.VisibleListener;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What remains of producers of transactions: nothing that grows without bound. */
class TransactionProducersTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final Duration TEN_DAYS = Duration.ofDays(10);

    private final CachedEpochClock clock = new CachedEpochClock();
    private LogStore store;
    private Topic topic;

    private LogStoreBuilder newStore() {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        return StoreBuilder.over(Path.of("/sim/store"), medium)
                .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium))
                .clock(clock)
                .invokerMode();
    }

    @BeforeEach
    void open() {
        LOG.setLevel(Level.OFF);
        clock.update(1_700_000_000_000L);
        store = newStore().open();
        topic =
                store.createTopic(
                        "t",
                        TransactionTroubleTest.SMALL
                                .withDurability(Durability.WRITTEN)
                                .withPartitions(2));
    }

    private void append(Transaction tx, Partition to) {
        tx.append(to, to.topic().newBatch().add(new byte[1]));
    }

    private void pass(long ms) {
        clock.advance(ms);
        for (int i = 0; i < 5; i++) {
            clock.advance(1_000);
            store.doWork();
        }
    }

    /** Appends, and is not done before the other thing was done. */
    private static void appendAround(Partition partition, Runnable other) throws Exception {
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Thread slow =
                new Thread(
                        () -> {
                            try (Appender appender = partition.openAppender()) {
                                appender.append(new byte[1]);
                            }
                        });
        VisibleListener listener =
                () -> {
                    if (Thread.currentThread() == slow) {
                        isInside.countDown();
                        try {
                            goesOn.await();
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    }
                };
        HostedPartition.of(partition).addVisibleListener(listener);
        slow.start();
        isInside.await();
        other.run();
        goesOn.countDown();
        slow.join();
        HostedPartition.of(partition).removeVisibleListener(listener);
    }

    @Test
    void shouldUseAProducerAgainWhoseMarkerCameLate() throws Exception {
        try (Appender appender = topic.partition(0).openAppender()) {
            appender.append(new byte[1]);
        }
        for (int i = 0; i < 5; i++) {
            Transaction tx = store.beginTransaction();
            append(tx, topic.partition(1));
            append(tx, topic.partition(0));
            appendAround(topic.partition(0), tx::commit);
            pass(1_000);
            topic.partition(0).force();
            assertEquals(topic.partition(0).nextOffset(), topic.partition(0).visibleOffset());
        }
        assertEquals(
                1, HostedStore.of(store).transactions().producersOf(topic.partition(0)).size());
    }

    @Test
    void shouldEndATransactionWhosePartitionIsDeletedBeforeItHasItsMarker() {
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        ProducerIdentity identity = coordinator.open("p", TEN_DAYS, null);
        Topic gone = store.createTopic("gone", TransactionTroubleTest.SMALL);
        coordinator.add("p", identity, List.of(gone.partition(0), topic.partition(0)));
        ExclusiveAppender appender = gone.partition(0).openExclusiveAppender();
        appender.append(new byte[1]);
        Claim claim = appender.tryClaim(1);
        coordinator.end("p", identity, true, false);
        assertEquals(State.COMMITTING, coordinator.find("p").state());
        claim.abort();
        store.deleteTopic("gone");
        pass(1_000);
        assertEquals(State.COMMITTED, coordinator.find("p").state());
        coordinator.begin("p", identity);
        assertEquals(State.ONGOING, coordinator.find("p").state());
    }

    @Test
    void shouldForgetNamesAfterAWeekWhoseProducersHaveCommitted() {
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        for (int i = 0; i < 1_000; i++) {
            String name = "p" + i;
            ProducerIdentity identity = coordinator.open(name, TEN_DAYS, null);
            coordinator.add(name, identity, List.of(topic.partition(0)));
            coordinator.commitCursors(
                    name, identity, List.of(new CursorMove(topic, "reader", 0, 0)));
            coordinator.end(name, identity, true, false);
        }
        try (Producer local = store.openProducer("local", TEN_DAYS);
                Transaction tx = local.beginTransaction()) {
            append(tx, topic.partition(0));
            tx.commit();
        }
        topic.partition(0).force();
        pass(Duration.ofDays(8).toMillis());
        for (int i = 0; i < 5; i++) {
            pass(3_600_001);
        }
        assertNull(coordinator.find("local"));
        assertEquals(List.of(), coordinator.producers());
    }

    @Test
    void shouldForgetNamesAfterTheTimeThatTheStoreIsOpenedWith() {
        store.close();
        store = newStore().producerNameExpiry(Duration.ofHours(2)).open();
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        coordinator.open("unused", TEN_DAYS, null);
        ProducerIdentity open = coordinator.open("open", TEN_DAYS, null);
        coordinator.begin("open", open);
        pass(3_600_001);
        assertEquals(State.EMPTY, coordinator.find("unused").state());
        pass(3_600_001);
        pass(3_600_001);
        assertNull(coordinator.find("unused"));
        assertEquals(State.ONGOING, coordinator.find("open").state());
    }

    @Test
    void shouldForgetNamesThatWereUsedWhileTheClockWasAhead() {
        store.close();
        store = newStore().producerNameExpiry(Duration.ofHours(2)).open();
        pass(1_000 * 3_600_000L);
        HostedStore.of(store).transactions().open("unused", TEN_DAYS, null);
        pass(-1_000 * 3_600_000L);
        for (int i = 0; i < 4; i++) {
            pass(3_600_001);
        }
        assertNull(HostedStore.of(store).transactions().find("unused"));
    }
}
