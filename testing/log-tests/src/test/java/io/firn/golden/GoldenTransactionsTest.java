package io.firn.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Batch;
import io.firn.Cursor;
import io.firn.IsolationLevel;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.PartitionReader;
import io.firn.Producer;
import io.firn.StoredRecord;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicReader;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.file.FileTier;
import io.firn.host.HostedCursor;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stores with transactions, as early versions wrote them, still open: their journals have entries
 * of all versions, one transaction is open, and the files of aborted ones are there. {@link #main}
 * wrote them.
 */
class GoldenTransactionsTest {
    private static final String FIRST = "transactions-1.zip";
    private static final String ADDED_MOVES = "transactions-2.zip";
    private static final String OUTSIDE = "transactions-3.zip";

    /** So many groups that their entry is long enough to be added to. */
    private static final int GROUPS = 100;

    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    @TempDir private Path directory;

    /** Wants the directory with the golden stores, and the name of one of these. */
    public static void main(String[] arguments) throws IOException {
        Path written = Files.createTempDirectory("golden");
        String name = arguments[1];
        try (FileStore files = new FileStore(written)) {
            LogStore store = files.store();
            Topic topic =
                    store.createTopic(
                            "t",
                            FileStore.options()
                                    .withMinimumClass(Survives.PROCESS_CRASH)
                                    .withPartitions(2));
            write(store, topic);
            if (name.equals(ADDED_MOVES)) {
                writeOneByOne(store, topic);
            } else if (name.equals(OUTSIDE)) {
                writeOutside(store, topic);
            }
            files.pass(Duration.ofSeconds(2));
            store.doWork();
        }
        GoldenZip.pack(written, Path.of(arguments[0]).resolve(name));
    }

    private static void write(LogStore store, Topic topic) {
        Cursor cursor = topic.cursor("reader");
        for (int i = 0; i < 3; i++) {
            try (Transaction tx = store.beginTransaction()) {
                tx.append(topic.partition(0), batch(topic, "committed " + i));
                tx.append(topic.partition(1), batch(topic, "committed " + i));
                tx.commitCursor(cursor, 0, i);
                tx.commit();
            }
            try (Transaction tx = store.beginTransaction()) {
                tx.append(topic.partition(0), batch(topic, "aborted " + i));
            }
        }
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        ProducerIdentity group = coordinator.open("copier", TIMEOUT, null);
        coordinator.commitCursors(
                "copier", group, List.of(new CursorMove(topic, "group", 1, 2, "a note")));
        coordinator.end("copier", group, true, true);
        Producer producer = store.openProducer("unfinished", TIMEOUT);
        Transaction tx = producer.beginTransaction(); // open when the store is closed
        tx.append(topic.partition(0), batch(topic, "open"));
    }

    /** Leaves a transaction open that moves many cursors, each by a request of its own. */
    private static void writeOneByOne(LogStore store, Topic topic) {
        ProducerIdentity identity =
                HostedStore.of(store).transactions().open("one by one", TIMEOUT, null);
        for (int i = 0; i < GROUPS; i++) {
            CursorMove move = new CursorMove(topic, "group " + i, 0, 1 + i % 2, "note " + i);
            HostedStore.of(store)
                    .transactions()
                    .commitCursors("one by one", identity, List.of(move));
        }
    }

    /** Leaves a transaction open that commits offsets outside the log. */
    private static void writeOutside(LogStore store, Topic topic) {
        ProducerIdentity identity =
                HostedStore.of(store).transactions().open("outside", TIMEOUT, null);
        List<CursorMove> moves =
                List.of(
                        new CursorMove(topic, "outside", 0, 10_000, "above"),
                        new CursorMove(topic, "outside", 1, -2));
        HostedStore.of(store).transactions().commitCursors("outside", identity, moves);
    }

    private static Batch batch(Topic topic, String value) {
        return topic.newBatch().add(value.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> read(PartitionReader partition, IsolationLevel isolation) {
        try (Tailer tailer =
                partition
                        .topic()
                        .openTailer(
                                TailerOptions.defaults()
                                        .withIsolation(isolation)
                                        .withPartitions(partition.index()))) {
            return tailer.stream().map(StoredRecord::value).map(String::new).toList();
        }
    }

    private static void assertHoldsWhatWasCommitted(TopicReader topic) {
        List<String> committed = List.of("committed 0", "committed 1", "committed 2");
        assertEquals(committed, read(topic.partition(0), IsolationLevel.READ_COMMITTED));
        assertEquals(committed, read(topic.partition(1), IsolationLevel.READ_COMMITTED));
        assertEquals(7, read(topic.partition(0), IsolationLevel.READ_UNCOMMITTED).size());
        assertEquals(
                3,
                HostedPartition.of(topic.partition(0))
                        .abortedTransactions(0, Long.MAX_VALUE)
                        .size());
        assertEquals(2, topic.cursor("reader").offset(0));
        assertEquals(2, topic.cursor("group").offset(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {FIRST, ADDED_MOVES, OUTSIDE})
    void shouldStillOpenAndCommitWhatWasOpen(String name) throws IOException {
        GoldenZip.unpack(name, directory);
        try (FileStore files = new FileStore(directory)) {
            assertEquals(List.of(), files.store().findings());
            Topic topic = files.topic("t");
            assertHoldsWhatWasCommitted(topic);
            TransactionCoordinator coordinator = HostedStore.of(files.store()).transactions();
            assertEquals(
                    List.of(new CursorMove(topic, "group", 1, 2, "a note")),
                    coordinator.notes("copier"));
            assertEquals(State.COMMITTED, coordinator.find("copier").state());
            var unfinished = coordinator.find("unfinished");
            assertEquals(State.ONGOING, unfinished.state());
            assertEquals(List.of(topic.partition(0)), unfinished.partitions());
            coordinator.end("unfinished", unfinished.identity(), true, true);
            files.reopen();
            topic = files.topic("t");
            assertEquals(4, read(topic.partition(0), IsolationLevel.READ_COMMITTED).size());
        }
    }

    @Test
    void shouldStillHaveMovesThatWereAddedToAnEntry() throws IOException {
        GoldenZip.unpack(ADDED_MOVES, directory);
        try (FileStore files = new FileStore(directory)) {
            TransactionCoordinator coordinator = HostedStore.of(files.store()).transactions();
            ProducerIdentity identity = coordinator.find("one by one").identity();
            Topic topic = files.topic("t");
            assertEquals(-1, topic.cursor("group 99").offset(0));
            coordinator.end("one by one", identity, true, true);
            for (int i = 0; i < GROUPS; i++) {
                assertEquals(1 + i % 2, topic.cursor("group " + i).offset(0));
            }
            assertEquals(GROUPS, coordinator.notes("one by one").size());
        }
    }

    @Test
    void shouldStillCommitOffsetsOutsideTheLog() throws IOException {
        GoldenZip.unpack(OUTSIDE, directory);
        try (FileStore files = new FileStore(directory)) {
            TransactionCoordinator coordinator = HostedStore.of(files.store()).transactions();
            ProducerIdentity identity = coordinator.find("outside").identity();
            Topic topic = files.topic("t");
            coordinator.end("outside", identity, true, true);
            assertEquals(10_000, HostedCursor.of(topic.cursor("outside")).committed(0).getAsLong());
            assertEquals(-2, HostedCursor.of(topic.cursor("outside")).committed(1).getAsLong());
            assertEquals(
                    List.of(new CursorMove(topic, "outside", 0, 10_000, "above")),
                    coordinator.notes("outside"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FIRST, ADDED_MOVES, OUTSIDE})
    void shouldBeReadWithoutBeingWritten(String name) throws IOException {
        GoldenZip.unpack(name, directory);
        try (LogReader store =
                LogStore.at(directory)
                        .tier(FileTier.at(directory.resolve(FileStore.TIER)).withDeclaredDurable())
                        .invokerMode()
                        .openReadOnly()) {
            assertEquals(List.of(), store.findings());
            assertHoldsWhatWasCommitted(store.openTopic("t"));
        }
    }
}
