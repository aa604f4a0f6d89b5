package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Batch;
import io.firn.Cursor;
import io.firn.DurabilityClass;
import io.firn.Isolation;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.ProducerIdentity;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.TransactionCoordinator;
import io.firn.TransactionCoordinator.CursorMove;
import io.firn.TransactionCoordinator.State;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store with transactions, as an early version wrote it, still opens: its journal has entries of
 * both versions, one transaction is open, and the files of aborted ones are there. {@link #main}
 * wrote it.
 */
class GoldenTransactionsTest {
    private static final String NAME = "transactions-1.zip";
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    @TempDir private Path directory;

    /** Wants the directory with the golden stores. */
    public static void main(String[] arguments) throws IOException {
        Path written = Files.createTempDirectory("golden");
        try (FileStore files = new FileStore(written)) {
            LogStore store = files.store();
            Topic topic =
                    store.createTopic(
                            "t",
                            FileStore.options()
                                    .withMinimumClass(DurabilityClass.PROCESS_CRASH)
                                    .withPartitions(2));
            write(store, topic);
            files.pass(Duration.ofSeconds(2));
            store.doWork();
        }
        GoldenZip.pack(written, Path.of(arguments[0]).resolve(NAME));
    }

    private static void write(LogStore store, Topic topic) {
        Cursor cursor = topic.cursor("reader");
        for (int i = 0; i < 3; i++) {
            try (Transaction tx = store.beginTransaction()) {
                tx.append(topic.partition(0), batch(topic, "committed " + i));
                tx.append(topic.partition(1), batch(topic, "committed " + i));
                tx.advance(cursor, 0, i);
                tx.commit();
            }
            try (Transaction tx = store.beginTransaction()) {
                tx.append(topic.partition(0), batch(topic, "aborted " + i));
            }
        }
        TransactionCoordinator coordinator = store.transactions();
        ProducerIdentity group = coordinator.open("copier", TIMEOUT, null);
        coordinator.advance(
                "copier", group, List.of(new CursorMove(topic, "group", 1, 2, "a note")));
        coordinator.end("copier", group, true, true);
        Producer producer = store.openProducer("unfinished", TIMEOUT);
        Transaction tx = producer.beginTransaction(); // open when the store is closed
        tx.append(topic.partition(0), batch(topic, "open"));
    }

    private static Batch batch(Topic topic, String value) {
        return topic.newBatch().add(value.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> read(Partition partition, Isolation isolation) {
        try (Tailer tailer = partition.topic().openTailer(isolation, partition.index())) {
            return tailer.stream().map(StoredRecord::value).map(String::new).toList();
        }
    }

    private static void assertHoldsWhatWasCommitted(Topic topic) {
        List<String> committed = List.of("committed 0", "committed 1", "committed 2");
        assertEquals(committed, read(topic.partition(0), Isolation.COMMITTED));
        assertEquals(committed, read(topic.partition(1), Isolation.COMMITTED));
        assertEquals(7, read(topic.partition(0), Isolation.UNCOMMITTED).size());
        assertEquals(3, topic.partition(0).abortedTransactions(0, Long.MAX_VALUE).size());
        assertEquals(2, topic.cursor("reader").offset(0));
        assertEquals(2, topic.cursor("group").offset(1));
    }

    @Test
    void shouldStillOpenAndCommitWhatWasOpen() throws IOException {
        GoldenZip.unpack(NAME, directory);
        try (FileStore files = new FileStore(directory)) {
            assertEquals(List.of(), files.store().findings());
            Topic topic = files.topic("t");
            assertHoldsWhatWasCommitted(topic);
            TransactionCoordinator coordinator = files.store().transactions();
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
            assertEquals(4, read(topic.partition(0), Isolation.COMMITTED).size());
        }
    }

    @Test
    void shouldBeReadWithoutBeingWritten() throws IOException {
        GoldenZip.unpack(NAME, directory);
        try (LogStore store =
                LogStore.in(directory)
                        .tier(FileTier.at(directory.resolve(FileStore.TIER)))
                        .readOnly()
                        .invokerMode()
                        .open()) {
            assertEquals(List.of(), store.findings());
            assertHoldsWhatWasCommitted(store.openTopic("t"));
        }
    }
}
