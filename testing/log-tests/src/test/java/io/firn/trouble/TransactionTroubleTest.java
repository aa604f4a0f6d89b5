package io.firn.trouble;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.Durability;
import io.firn.FirnException;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.UnknownTopicException;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions whose disk is full, whose medium fails, whose topic is deleted. */
class TransactionTroubleTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final Path DIRECTORY = Path.of("/sim/store");
    private static final Path SEGMENTS = Path.of("/sim/segments");
    static final TopicOptions SMALL = TopicOptions.defaults().withSegmentBytes(64 * 1024);

    private final CachedEpochClock clock = new CachedEpochClock();
    private SimulatedFileMedium medium = new SimulatedFileMedium();
    private LogStore store;

    @BeforeEach
    void open() {
        LOG.setLevel(Level.OFF);
        clock.update(1_700_000_000_000L);
        store = openStore();
        store.createTopic("t", SMALL.withPartitions(3));
        for (int i = 0; i < 3; i++) {
            try (Appender appender = partition(i).openAppender()) {
                appender.append(new byte[1]);
            }
        }
        commit(0, 1); // the journal is there
    }

    private LogStore openStore() {
        return openStore(medium, clock);
    }

    /** Opens the store of a simulated medium; the test does its background's work. */
    static LogStore openStore(SimulatedFileMedium medium, EpochClock clock) {
        return StoreBuilder.over(DIRECTORY, medium)
                .tier(FileTier.at(SEGMENTS).withMedium(medium))
                .clock(clock)
                .invokerMode()
                .open();
    }

    private Partition partition(int index) {
        return store.openTopic("t").partition(index);
    }

    private void append(Transaction tx, Partition to, String value) {
        tx.append(to, to.topic().newBatch().add(value.getBytes(StandardCharsets.UTF_8)));
    }

    private void commit(int... partitions) {
        try (Transaction tx = store.beginTransaction()) {
            for (int each : partitions) {
                append(tx, partition(each), "committed");
            }
            tx.commit();
        }
    }

    private void pass(long ms) {
        for (int i = 0; i < 5; i++) {
            clock.advance(ms);
            store.doWork();
        }
    }

    private void fillDisk() {
        fillDisk(medium);
    }

    /** Leaves no byte to the store of a simulated medium. */
    static void fillDisk(SimulatedFileMedium medium) {
        try {
            medium.faults().limitBytes(Long.MAX_VALUE - 1);
            medium.faults().limitBytes(Long.MAX_VALUE - 1 - medium.usableBytes(DIRECTORY));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> read(Partition partition) {
        List<String> values = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                byte[] value = record.copy().value();
                                values.add(new String(value, StandardCharsets.UTF_8));
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        return values;
    }

    private static boolean isStable(Partition partition) {
        return partition.visibleOffset()
                == partition.visibleOffset(IsolationLevel.READ_UNCOMMITTED);
    }

    @Test
    void shouldKeepADecisionWhoseMarkerFindsNoRoomAndCarryItOutWhenThereIsRoom() {
        fillDisk();
        Partition full = partition(0);
        Transaction tx = store.beginTransaction();
        try {
            while (true) { // until there is no room for a batch, each smaller than a marker
                tx.append(full, full.topic().newBatch().add(new byte[1]));
            }
        } catch (StoreFullException e) {
            append(tx, partition(1), "decided");
        }
        tx.commit();
        assertTrue(read(partition(1)).contains("decided"));
        partition(0).force();
        assertFalse(isStable(full));
        commit(1, 2);
        assertTrue(read(partition(2)).contains("committed"), "others go on");
        medium.faults().limitBytes(Long.MAX_VALUE);
        pass(10_000);
        full.force();
        assertTrue(isStable(full));
        assertEquals(List.of(), HostedPartition.of(full).abortedTransactions(0, full.nextOffset()));
    }

    @Test
    void shouldCommitInOnePartitionThatHasNoRoomForTheMarker() {
        fillDisk();
        Partition full = partition(0);
        Transaction tx = store.beginTransaction();
        assertThrows(
                StoreFullException.class,
                () -> {
                    while (true) {
                        tx.append(full, full.topic().newBatch().add(new byte[1]));
                    }
                });
        long end = full.nextOffset();
        tx.commit();
        full.force();
        assertFalse(isStable(full));
        medium.faults().limitBytes(Long.MAX_VALUE);
        pass(10_000);
        full.force();
        assertTrue(isStable(full));
        assertEquals(List.of(), HostedPartition.of(full).abortedTransactions(0, full.nextOffset()));
        assertEquals(end + 1, full.nextOffset());
    }

    @Test
    void shouldCommitInOnePartitionWhileAnotherAppendThereTakesLong() throws Exception {
        Topic written = store.createTopic("w", SMALL.withDurability(Durability.WRITTEN));
        Partition busy = written.partition(0);
        Transaction tx = store.beginTransaction();
        CountDownLatch isTold = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Thread slow =
                new Thread(
                        () -> {
                            try (Appender appender = busy.openAppender()) {
                                appender.append(new byte[1]);
                            }
                        });
        HostedPartition.of(busy)
                .addVisibleListener(
                        () -> {
                            if (Thread.currentThread() == slow) {
                                isTold.countDown();
                                await(goesOn);
                            }
                        });
        append(tx, busy, "committed beside it");
        slow.start();
        assertTrue(isTold.await(HANGS_AFTER_S, TimeUnit.SECONDS));
        try {
            tx.commit();
        } finally {
            goesOn.countDown();
        }
        slow.join();
        pass(10_000);
        busy.force();
        assertTrue(read(busy).contains("committed beside it"));
        assertTrue(isStable(busy));
    }

    /** Takes the disk's space, and that of the journal's last segment. */
    private void fillJournal(Cursor cursor) {
        fillDisk();
        assertThrows(
                StoreFullException.class,
                () -> {
                    while (true) { // until the journal is full
                        Transaction filling = store.beginTransaction();
                        for (int p = 0; p < 500; p++) {
                            filling.commitCursor(cursor, p, 0);
                        }
                        filling.commit();
                    }
                });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldSayThatATransactionIsStillOpenWhichCanNeitherBeCommittedNorAborted() {
        Topic many = store.createTopic("many", SMALL.withPartitions(500));
        Cursor cursor = many.cursor("a cursor with a name as long as may be".repeat(3));
        Topic gone = store.createTopic("gone", SMALL);
        Producer producer = store.openProducer("p", Duration.ofDays(10));
        Transaction tx = producer.beginTransaction();
        append(tx, partition(1), "open");
        append(tx, gone.partition(0), "gone");
        fillJournal(cursor);
        append(tx, gone.partition(0), "not durable");
        store.deleteTopic("gone");
        fillDisk();
        StoreFullException why = assertThrows(StoreFullException.class, tx::commit);
        assertTrue(why.getMessage().contains("still open"), why.getMessage());
        assertEquals(State.ONGOING, HostedStore.of(store).transactions().find("p").state());
        medium.faults().limitBytes(Long.MAX_VALUE);
        pass(10_000);
        tx.abort();
        assertEquals(State.ABORTED, HostedStore.of(store).transactions().find("p").state());
        assertFalse(read(partition(1)).contains("open"));
    }

    @Test
    void shouldAbortEverywhereWhenThePartitionOfACommitFails() {
        Transaction tx = store.beginTransaction();
        append(tx, partition(0), "lost");
        append(tx, partition(1), "lost");
        boolean[] failed = {false};
        medium.faults()
                .failOperations(
                        number -> {
                            List<String> history = medium.history();
                            String last = history.get(history.size() - 1);
                            boolean fails = !failed[0] && last.startsWith("force [");
                            failed[0] |= fails;
                            return fails;
                        });
        FirnException why = assertThrows(FirnException.class, tx::commit);
        assertTrue(why.getMessage().contains("aborted"), why.getMessage());
        medium.faults().none();
        pass(1_000);
        commit(2);
        int poisoned = partition(0).metrics().isPoisoned() ? 0 : 1;
        assertTrue(partition(poisoned).metrics().isPoisoned());
        assertFalse(isStable(partition(poisoned)) && read(partition(poisoned)).contains("lost"));
        assertTrue(isStable(partition(1 - poisoned)));
        medium = medium.crash(Survival.NONE);
        store = openStore();
        for (int i = 0; i < 3; i++) {
            assertFalse(read(partition(i)).contains("lost"));
            assertTrue(isStable(partition(i)));
        }
    }

    @Test
    void shouldSayThatTheTopicIsGoneWhenItsCursorIsAdvanced() {
        Topic deleted = store.createTopic("deleted", SMALL);
        Cursor cursor = deleted.cursor("reader");
        try (Transaction tx = store.beginTransaction()) {
            store.deleteTopic("deleted");
            for (int partition : new int[] {0, 3}) {
                FirnException refused =
                        assertThrows(
                                UnknownTopicException.class,
                                () -> tx.commitCursor(cursor, partition, 0));
                assertEquals("topic deleted was deleted", refused.getMessage());
            }
            append(tx, partition(0), "goes on");
            tx.commit();
        }
    }

    @Test
    void shouldEndATransactionOneOfWhoseTopicsWasDeleted() {
        Topic gone = store.createTopic("gone", SMALL);
        Transaction tx = store.beginTransaction();
        append(tx, partition(0), "with it");
        append(tx, gone.partition(0), "gone");
        store.deleteTopic("gone");
        assertThrows(FirnException.class, tx::commit);
        tx.close();
        partition(0).force();
        assertTrue(isStable(partition(0)));
        assertFalse(read(partition(0)).contains("with it"));
        commit(0, 1);
        store.close();
        store = openStore();
        assertEquals(List.of(), store.findings());
        assertTrue(isStable(partition(0)));
    }

    @Test
    void shouldAbortWhatWasOpenWhenTheStoreIsClosed() {
        Transaction tx = store.beginTransaction();
        append(tx, partition(0), "open");
        append(tx, partition(1), "open");
        store.close();
        assertThrows(FirnException.class, tx::commit);
        tx.close();
        store = openStore();
        assertFalse(read(partition(0)).contains("open"));
        assertTrue(isStable(partition(0)) && isStable(partition(1)));
    }

    @Test
    void shouldSayThatTheJournalIsDamagedAndWhere() throws IOException {
        commit(0, 1);
        store.close();
        Path journal = null;
        for (String topic : medium.list(SEGMENTS)) {
            Path directory = SEGMENTS.resolve(topic);
            if (topic.contains("-") && medium.list(directory).equals(List.of("0"))) {
                journal = directory.resolve("0");
            }
        }
        String segment =
                medium.list(journal).stream()
                        .filter(name -> name.endsWith(".log") || name.endsWith(".active"))
                        .findFirst()
                        .orElseThrow();
        medium.rot(journal.resolve(segment), 100, 1);
        StoreOpenException why = assertThrows(StoreOpenException.class, this::openStore);
        assertTrue(why.getMessage().contains("journal"), why.getMessage());
        assertTrue(why.getMessage().contains(journal.toString()), why.getMessage());
    }

    @Test
    void shouldForgetANamedProducerAfterAWeekUnlessItsTransactionIsOpen() {
        Duration tenDays = Duration.ofDays(10);
        store.openProducer("idle", tenDays);
        append(store.openProducer("busy", tenDays).beginTransaction(), partition(0), "open");
        clock.advance(Duration.ofDays(8).toMillis());
        pass(3_600_001);
        assertEquals(null, HostedStore.of(store).transactions().find("idle"));
        assertTrue(HostedStore.of(store).transactions().find("busy") != null);
        clock.advance(-Duration.ofDays(30).toMillis());
        pass(1);
        commit(1, 2);
        assertTrue(HostedStore.of(store).transactions().find("busy") != null);
    }

    @Test
    void shouldOpenOnAFullDiskWithDecisionsThatAreNotCarriedOut() {
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        ProducerIdentity identity = coordinator.open("p", Duration.ofDays(10), null);
        coordinator.commitCursors("p", identity, List.of(new CursorMove(topic(), "reader", 0, 1)));
        coordinator.end("p", identity, true, false);
        commit(0, 1);
        Topic many = store.createTopic("many", SMALL.withPartitions(500));
        fillJournal(many.cursor("a cursor with a name as long as may be".repeat(3)));
        medium = medium.kill();
        SimulatedFileMedium full = medium;
        full.onOperation(number -> fillDisk());
        store = openStore();
        assertTrue(read(partition(1)).contains("committed"));
        assertEquals(1, topic().cursor("reader").offset(0));
        assertThrows(
                StoreFullException.class,
                () -> HostedStore.of(store).transactions().begin("p", identity));
        assertEquals(1, partition(1).deleteRecordsBefore(1));
        full.ignoreOperations();
        full.faults().limitBytes(Long.MAX_VALUE);
        pass(10_000);
        HostedStore.of(store).transactions().begin("p", identity);
        assertEquals(State.ONGOING, HostedStore.of(store).transactions().find("p").state());
        commit(0, 1);
        assertTrue(isStable(partition(0)) && isStable(partition(1)));
    }

    private Topic topic() {
        return store.openTopic("t");
    }
}
