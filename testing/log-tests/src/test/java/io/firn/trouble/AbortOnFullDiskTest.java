package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.BusyException;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.host.HostedStore;
import io.firn.host.TransactionStateException;
import io.firn.sim.SimulatedFileMedium;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions that are given up while the journal has no room for their abort. */
class AbortOnFullDiskTest {
    private static final Duration TEN_DAYS = Duration.ofDays(10);
    private static final byte ABORTED = 1;
    private static final byte COMMITTED = 2;

    private final CachedEpochClock clock = new CachedEpochClock();
    private SimulatedFileMedium medium = new SimulatedFileMedium();
    private LogStore store;
    private Producer producer;

    @BeforeEach
    void open() {
        Logger.getLogger("io.firn").setLevel(Level.OFF);
        clock.update(1_700_000_000_000L);
        store = TransactionTroubleTest.openStore(medium, clock);
        store.createTopic("t", TransactionTroubleTest.SMALL.withPartitions(2));
        producer = store.openProducer("p", TEN_DAYS);
        try (Transaction first = producer.beginTransaction()) {
            append(first, COMMITTED);
            first.commit(); // the partitions have segments
        }
    }

    private Partition partition(int index) {
        return store.openTopic("t").partition(index);
    }

    private void append(Transaction tx, byte value) {
        for (int i = 0; i < 2; i++) {
            tx.append(partition(i), new byte[] {value});
        }
    }

    /** Takes the disk's space, and that of the journal's last segment. */
    private void fillJournal() {
        TransactionTroubleTest.fillDisk(medium);
        assertThrows(
                StoreFullException.class,
                () -> {
                    while (true) {
                        store.openProducer("other", TEN_DAYS); // smaller than an abort
                    }
                });
    }

    private void makeRoom() {
        medium.faults().limitBytes(Long.MAX_VALUE);
        pass(10_000);
    }

    private void pass(long ms) {
        for (int i = 0; i < 5; i++) {
            clock.advance(ms);
            store.doWork();
        }
    }

    private void commit() {
        try (Transaction tx = producer.beginTransaction()) {
            append(tx, COMMITTED);
            tx.commit();
        }
    }

    private static List<Byte> read(Partition partition) {
        List<Byte> values = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                values.add(record.copy().value()[0]);
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        return values;
    }

    /** Checks what committed reads see, and that nothing holds them up. */
    private void assertCommitted(int count) {
        for (int i = 0; i < 2; i++) {
            Partition each = partition(i);
            each.force();
            assertEquals(
                    each.visibleOffset(IsolationLevel.READ_UNCOMMITTED),
                    each.visibleOffset(),
                    "stable");
            List<Byte> values = read(each);
            assertFalse(values.contains(ABORTED), values.toString());
            assertEquals(count, values.size());
        }
    }

    @Test
    void shouldEndATransactionForItsOwnerAndAbortItWhenThereIsRoom() {
        Transaction tx = producer.beginTransaction();
        append(tx, ABORTED);
        fillJournal();
        assertThrows(StoreFullException.class, tx::commit);
        tx.close();
        tx.abort(); // does nothing
        assertThrows(TransactionStateException.class, tx::commit);
        assertThrows(TransactionStateException.class, () -> append(tx, COMMITTED));
        partition(0).openExclusiveAppender().close(); // it is not kept away
        pass(10_000); // tries in vain
        BusyException why = assertThrows(BusyException.class, producer::beginTransaction);
        assertTrue(why.getMessage().contains("just ending"), why.getMessage());
        assertEquals(List.of(COMMITTED), read(partition(0)));
        makeRoom();
        commit();
        assertCommitted(2);
    }

    @Test
    void shouldNotFenceAProducerWhoseAbortFoundNoRoomUntilItsTimeOut() {
        Transaction tx = producer.beginTransaction();
        append(tx, ABORTED);
        fillJournal();
        tx.abort();
        clock.advance(TEN_DAYS.toMillis());
        pass(TEN_DAYS.toMillis());
        makeRoom();
        commit();
        assertCommitted(2);
    }

    @Test
    void shouldCloseAProducerAndOpenItAgainWhenThereIsRoom() {
        append(producer.beginTransaction(), ABORTED);
        fillJournal();
        producer.close();
        assertThrows(StoreFullException.class, () -> store.openProducer("p", TEN_DAYS));
        medium.faults().limitBytes(Long.MAX_VALUE);
        clock.advance(60_000);
        store.doWork();
        producer = store.openProducer("p", TEN_DAYS);
        commit();
        pass(10_000);
        assertCommitted(2);
    }

    @Test
    void shouldLetNobodyCommitATransactionThatWasGivenUp() {
        Transaction tx = producer.beginTransaction();
        append(tx, ABORTED);
        fillJournal();
        tx.abort();
        medium.faults().limitBytes(Long.MAX_VALUE);
        assertThrows(
                TransactionStateException.class,
                () ->
                        HostedStore.of(store)
                                .transactions()
                                .end(
                                        "p",
                                        HostedStore.of(store).transactions().find("p").identity(),
                                        true,
                                        false));
        makeRoom();
        assertEquals(State.ABORTED, HostedStore.of(store).transactions().find("p").state());
        assertCommitted(1);
    }

    @Test
    void shouldAbortATransactionThatWasGivenUpBeforeAKill() {
        Transaction tx = producer.beginTransaction();
        append(tx, ABORTED);
        fillJournal();
        tx.abort();
        medium = medium.kill();
        medium.faults().limitBytes(Long.MAX_VALUE);
        store = TransactionTroubleTest.openStore(medium, clock);
        producer = store.openProducer("p", TEN_DAYS);
        commit();
        assertCommitted(2);
    }

    @Test
    void shouldAbortAnUnnamedTransactionWhoseMarkersFindNoRoom() {
        TransactionTroubleTest.fillDisk(medium);
        Transaction tx = store.beginTransaction();
        for (int i = 0; i < 2; i++) {
            Partition full = partition(i);
            assertThrows(
                    StoreFullException.class,
                    () -> {
                        while (true) { // each smaller than a marker
                            tx.append(full, new byte[] {ABORTED});
                        }
                    });
        }
        tx.close();
        makeRoom();
        for (int i = 0; i < 2; i++) {
            try (Appender appender = partition(i).openAppender()) {
                appender.append(new byte[] {COMMITTED});
            }
        }
        assertCommitted(2);
    }
}
