package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.BusyException;
import io.firn.Cursor;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.RecordTooLargeException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions that are about as large as the journal takes, or larger. */
class TransactionSizeTest {
    private static final Path DIRECTORY = Path.of("/sim/store");
    private static final Path SEGMENTS = Path.of("/sim/tier");
    private static final Duration TIMEOUT = Duration.ofDays(10);
    private static final int MANY = 3_000;

    /** So many that without waiting for their markers an entry would be too large. */
    private static final int PARTITIONS = 400;

    /** So long that fewer than {@link #MANY} moves fill an entry. */
    private static final String LONG_NAME = "c".repeat(110);

    private static final String LONG_NOTE = "n".repeat(3_000);

    private SimulatedFileMedium medium = new SimulatedFileMedium();
    private LogStore store;
    private Topic read;
    private Topic topic;

    @BeforeEach
    void open() {
        store = openStore();
        TopicOptions small = TopicOptions.defaults().withSegmentBytes(64 * 1024);
        read = store.createTopic("read", small.withPartitions(MANY));
        topic = store.createTopic("t", small.withPartitions(PARTITIONS));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private LogStore openStore() {
        return StoreBuilder.over(DIRECTORY, medium)
                .journalSegmentBytes(256 * 1024)
                .tier(FileTier.at(SEGMENTS).withMedium(medium))
                .clock(new CachedEpochClock()) // stands
                .invokerMode()
                .open();
    }

    private void append(Transaction tx, int partition) {
        tx.append(topic.partition(partition), topic.newBatch().add(new byte[1]));
    }

    /** Moves a cursor in as many partitions as the transaction takes. */
    private int fill(Transaction tx) {
        int moves = take(tx);
        assertTrue(moves > MANY / 2 && moves < MANY, moves + " moves");
        return moves;
    }

    private int take(Transaction tx) {
        Cursor cursor = read.cursor(LONG_NAME);
        int moves = 0;
        try {
            while (moves < MANY) {
                tx.commitCursor(cursor, moves, 0);
                moves++;
            }
        } catch (RecordTooLargeException e) {
            assertTrue(e.getMessage().contains("smaller transactions"), e.getMessage());
        }
        return moves;
    }

    private boolean isStable(int partition) {
        Partition of = topic.partition(partition);
        of.force();
        return of.visibleOffset() == of.visibleOffset(IsolationLevel.READ_UNCOMMITTED);
    }

    @Test
    void shouldRefuseWhatATransactionCouldNotBeEndedWith() {
        try (Producer producer = store.openProducer("p", TIMEOUT);
                Transaction tx = producer.beginTransaction()) {
            append(tx, 0);
            int moves = fill(tx);
            int refused = 0;
            for (int i = 1; i < PARTITIONS; i++) {
                try {
                    append(tx, i);
                } catch (RecordTooLargeException e) {
                    refused++;
                }
            }
            assertTrue(refused > 0, "an entry has no room for all partitions");
            append(tx, 0); // it is in the transaction
            for (int i = 0; i < 3; i++) {
                tx.commitCursor(
                        read.cursor(LONG_NAME), moves - 1, 0); // there is a move, which it replaces
            }
            tx.commit();
        }
        assertEquals(State.COMMITTED, HostedStore.of(store).transactions().find("p").state());
        assertTrue(isStable(0));
        assertTrue(isStable(PARTITIONS - 1));
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
            topic.partition(partition).openExclusiveAppender().close();
            assertThrows(
                    BusyException.class,
                    () -> topic.partition(partition - 1).openExclusiveAppender());
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
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        var identity = coordinator.open("p", TIMEOUT, null);
        List<CursorMove> moves = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            moves.add(new CursorMove(read, LONG_NAME, i, 0, null));
        }
        assertThrows(
                RecordTooLargeException.class,
                () -> coordinator.commitCursors("p", identity, moves));
        assertEquals(State.EMPTY, coordinator.find("p").state());
        coordinator.commitCursors("p", identity, moves.subList(0, MANY / 2));
        coordinator.commitCursors("p", identity, moves.subList(0, MANY / 2)); // the same again
        coordinator.end("p", identity, true, false);
        assertEquals(State.COMMITTED, coordinator.find("p").state());
    }

    @Test
    void shouldRefuseALongerNoteThatATransactionCouldNotBeCommittedWith() {
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        var identity = coordinator.open("p", TIMEOUT, null);
        int noted = fillWithNotes(identity);
        coordinator.end("p", identity, true, false);
        assertEquals(State.COMMITTED, coordinator.find("p").state());
        assertEquals(noted, coordinator.notes("p").size());
    }

    @Test
    void shouldTakeShorterNotesIntoAFullTransaction() {
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        var identity = coordinator.open("p", TIMEOUT, null);
        int full = fillWithNotes(identity);
        CursorMove refused = noted(full, LONG_NOTE);
        assertTrue(isTaken(identity, noted(0, LONG_NOTE)), "it is as long as the one before");
        assertTrue(isTaken(identity, refused, noted(full, null)), "the last one counts");
        assertFalse(isTaken(identity, noted(full, null), refused), "the last one counts");
        assertTrue(isTaken(identity, noted(0, "short")));
        assertTrue(isTaken(identity, refused), "there is room again");
        assertFalse(isTaken(identity, noted(0, LONG_NOTE)));
        assertTrue(isTaken(identity, noted(0, LONG_NOTE), noted(1, null)), "one for the other");
        coordinator.end("p", identity, true, false);
        assertEquals(State.COMMITTED, coordinator.find("p").state());
        List<CursorMove> notes = coordinator.notes("p");
        assertEquals(full, notes.size());
        assertTrue(notes.contains(refused));
        assertTrue(notes.contains(noted(0, LONG_NOTE)));
        assertFalse(notes.contains(noted(1, LONG_NOTE)));
    }

    /** Moves cursors, and replaces each move by one with a note, for as long as that is taken. */
    private int fillWithNotes(ProducerIdentity identity) {
        int moves = 120; // with notes they are too large
        for (int i = 0; i < moves; i++) {
            assertTrue(isTaken(identity, noted(i, null)));
        }
        int noted = 0;
        while (noted < moves && isTaken(identity, noted(noted, LONG_NOTE))) {
            noted++;
        }
        assertTrue(noted > 0 && noted < moves, noted + " notes");
        return noted;
    }

    private CursorMove noted(int partition, String note) {
        return new CursorMove(read, "c", partition, 0, note);
    }

    private boolean isTaken(ProducerIdentity identity, CursorMove... moves) {
        try {
            HostedStore.of(store).transactions().commitCursors("p", identity, List.of(moves));
            return true;
        } catch (RecordTooLargeException e) {
            assertTrue(e.getMessage().contains("smaller transactions"), e.getMessage());
            return false;
        }
    }

    /** Fills an entry to the last partition: by notes, whose sizes are counted exactly. */
    @Test
    void shouldEndWhatItHasTakenFromAServersClient() {
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        String name = "\u20ac".repeat(249);
        var identity = coordinator.open(name, TIMEOUT, null);
        List<CursorMove> moves = new ArrayList<>();
        for (int i = 0; i < MANY / 2; i++) {
            moves.add(new CursorMove(read, LONG_NAME, i, 0, "note"));
        }
        coordinator.commitCursors(name, identity, moves);
        RecordTooLargeException full = null;
        for (int i = 0; i < MANY && full == null; i++) {
            try {
                coordinator.add(name, identity, List.of(read.partition(i)));
            } catch (RecordTooLargeException e) {
                full = e;
            }
        }
        assertNotNull(full, "an entry has no room for all partitions");
        coordinator.end(name, identity, true, false);
        assertEquals(State.COMMITTED, coordinator.find(name).state());
    }

    @Test
    void shouldCommitBesideMarkersThatAreNotDurable() {
        int moves;
        try (Transaction tx = store.openProducer("q", TIMEOUT).beginTransaction()) {
            moves = fill(tx);
        }
        try (Producer producer = store.openProducer("p", TIMEOUT)) {
            try (Transaction tx = producer.beginTransaction()) {
                for (int i = 0; i < PARTITIONS; i++) {
                    append(tx, i);
                }
                tx.commit();
            }
            try (Transaction tx = producer.beginTransaction()) {
                assertEquals(moves, fill(tx), "markers can be waited for");
                tx.commit();
            }
        }
        assertEquals(State.COMMITTED, HostedStore.of(store).transactions().find("p").state());
        assertTrue(isStable(PARTITIONS - 1));
    }

    @Test
    void shouldCommitBesideMovesThatNoCursorsFileHas() {
        read.cursor("first").commit(0, 0);
        store.doWork(); // writes files, and would next when the clock goes on
        try (Producer producer = store.openProducer("p", TIMEOUT)) {
            try (Transaction tx = producer.beginTransaction()) {
                for (int i = 0; i < MANY / 4; i++) {
                    tx.commitCursor(read.cursor("before"), i, 0);
                }
                tx.commit();
            }
            int beside;
            try (Transaction tx = producer.beginTransaction()) {
                append(tx, 0);
                beside = take(tx);
                tx.commit();
            }
            try (Transaction tx = producer.beginTransaction()) {
                tx.commitCursor(read.cursor("first"), 0, 0); // writes an entry with all of them
                read.cursor("before").force();
                read.cursor(LONG_NAME).force();
                int after = take(tx);
                assertTrue(after > beside, after + " after " + beside);
                tx.commit();
            }
        }
        assertEquals(State.COMMITTED, HostedStore.of(store).transactions().find("p").state());
        assertTrue(isStable(0));
    }

    @Test
    void shouldOpenAfterACrashWhenUnfinishedDecisionsAreLarge() {
        for (int p = 0; p < 8; p++) {
            Cursor cursor = read.cursor(p + LONG_NAME);
            try (Producer producer = store.openProducer("p" + p, TIMEOUT);
                    Transaction tx = producer.beginTransaction()) {
                append(tx, 0);
                for (int i = 0; i < MANY / 4; i++) {
                    tx.commitCursor(cursor, i, 0);
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
        for (int p = 0; p < 8; p++) {
            var found = HostedStore.of(store).transactions().find("p" + p);
            HostedStore.of(store)
                    .transactions()
                    .begin(found.name(), found.identity()); // its entry was written
        }
    }
}
