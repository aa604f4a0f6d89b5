package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.AppenderBusyException;
import io.firn.Cursor;
import io.firn.Isolation;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.RecordTooLargeException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.TransactionCoordinator;
import io.firn.TransactionCoordinator.CursorMove;
import io.firn.TransactionCoordinator.State;
import io.firn.file.FileTier;
import io.firn.sim.SimulatedFileMedium;
import io.firn.store.StoreBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions that are about as large as the journal takes, or larger. */
class TransactionSizeTest {
    private static final Path DIRECTORY = Path.of("/sim/store");
    private static final Path SEGMENTS = Path.of("/sim/tier");
    private static final Duration TIMEOUT = Duration.ofDays(10);
    private static final int MANY = 3_000;

    /** So long that fewer than {@link #MANY} moves fill an entry. */
    private static final String LONG_NAME = "c".repeat(110);

    private SimulatedFileMedium medium = new SimulatedFileMedium();
    private LogStore store;
    private Topic read;
    private Topic topic;

    @BeforeEach
    void open() {
        store = openStore();
        TopicOptions small = TopicOptions.defaults().withSegmentBytes(64 * 1024);
        read = store.createTopic("read", small.withPartitions(MANY));
        topic = store.createTopic("t", small.withPartitions(100));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private LogStore openStore() {
        return StoreBuilder.over(DIRECTORY, medium)
                .journalSegmentBytes(256 * 1024)
                .tier(FileTier.builder(SEGMENTS).medium(medium).build())
                .invokerMode()
                .open();
    }

    private void append(Transaction tx, int partition) {
        tx.append(topic.partition(partition), topic.newBatch().add(new byte[1]));
    }

    /** Moves a cursor in as many partitions as the transaction takes. */
    private int fill(Transaction tx) {
        Cursor cursor = read.cursor(LONG_NAME);
        int moves = 0;
        try {
            while (moves < MANY) {
                tx.advance(cursor, moves, 0);
                moves++;
            }
        } catch (RecordTooLargeException e) {
            assertTrue(e.getMessage().contains("smaller transactions"), e.getMessage());
        }
        assertTrue(moves > MANY / 2 && moves < MANY, moves + " moves");
        return moves;
    }

    private boolean isStable(int partition) {
        Partition of = topic.partition(partition);
        of.force();
        return of.visibleOffset() == of.visibleOffset(Isolation.UNCOMMITTED);
    }

    @Test
    void shouldRefuseWhatATransactionCouldNotBeEndedWith() {
        try (Producer producer = store.openProducer("p", TIMEOUT);
                Transaction tx = producer.beginTransaction()) {
            append(tx, 0);
            int moves = fill(tx);
            int refused = 0;
            for (int i = 1; i < 100; i++) {
                try {
                    append(tx, i);
                } catch (RecordTooLargeException e) {
                    refused++;
                }
            }
            assertTrue(refused > 0, "an entry has no room for 100 partitions more");
            append(tx, 0); // it is in the transaction
            tx.advance(read.cursor(LONG_NAME), moves - 1, 0); // there is a move, which it replaces
            tx.commit();
        }
        assertEquals(State.COMMITTED, store.transactions().find("p").state());
        assertTrue(isStable(0));
        assertTrue(isStable(99));
    }

    @Test
    void shouldLeaveARefusedPartitionToOthersAndRefuseItAgainForTheSameReason() {
        try (Transaction tx = store.beginTransaction()) {
            append(tx, 0);
            fill(tx);
            int refused = 1;
            while (isTaken(tx, refused)) {
                refused++;
            }
            int partition = refused;
            assertThrows(RecordTooLargeException.class, () -> append(tx, partition));
            topic.partition(partition).openAppender().close();
            assertThrows(
                    AppenderBusyException.class,
                    () -> topic.partition(partition - 1).openAppender());
        }
    }

    private boolean isTaken(Transaction tx, int partition) {
        try {
            append(tx, partition);
            return true;
        } catch (RecordTooLargeException e) {
            return false;
        }
    }

    @Test
    void shouldRefuseAServersClientBeforeItBeginsATransaction() {
        TransactionCoordinator coordinator = store.transactions();
        var identity = coordinator.open("p", TIMEOUT, null);
        List<CursorMove> moves = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            moves.add(new CursorMove(read, LONG_NAME, i, 0, null));
        }
        assertThrows(
                RecordTooLargeException.class, () -> coordinator.advance("p", identity, moves));
        assertEquals(State.EMPTY, coordinator.find("p").state());
        coordinator.advance("p", identity, moves.subList(0, MANY / 2));
        coordinator.advance("p", identity, moves.subList(0, MANY / 2)); // the same again
        coordinator.end("p", identity, true, false);
        assertEquals(State.COMMITTED, coordinator.find("p").state());
    }

    @Test
    void shouldCommitBesideMarkersThatAreNotDurable() {
        try (Producer producer = store.openProducer("p", TIMEOUT)) {
            try (Transaction tx = producer.beginTransaction()) {
                for (int i = 0; i < 100; i++) {
                    append(tx, i);
                }
                tx.commit();
            }
            try (Transaction tx = producer.beginTransaction()) {
                fill(tx);
                tx.commit();
            }
        }
        assertEquals(State.COMMITTED, store.transactions().find("p").state());
        assertTrue(isStable(99));
    }

    @Test
    void shouldOpenAfterACrashWhenUnfinishedDecisionsAreLarge() {
        for (int p = 0; p < 8; p++) {
            Cursor cursor = read.cursor(p + LONG_NAME);
            try (Producer producer = store.openProducer("p" + p, TIMEOUT);
                    Transaction tx = producer.beginTransaction()) {
                append(tx, 0);
                for (int i = 0; i < MANY / 4; i++) {
                    tx.advance(cursor, i, 0);
                }
                tx.commit();
            }
        }
        medium = medium.kill();
        store = openStore();
        topic = store.openTopic("t");
        assertEquals(0, store.openTopic("read").cursor("7" + LONG_NAME).offset(1));
        assertTrue(isStable(0));
        assertEquals(List.of(), store.findings());
    }
}
