package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.format.BatchFormat;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.log.BatchInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions in topics that are compacted. */
class CompactedTransactionsTest {
    private static final Duration HORIZON = Duration.ofMinutes(10);

    @TempDir private Path directory;
    private final ManualClock clock = new ManualClock();

    private LogStore open() {
        return Stores.at(directory).clock(clock).invokerMode().open();
    }

    private static Topic create(LogStore store) {
        return store.createTopic(
                "t",
                Stores.small().withCleanup(CleanupPolicy.COMPACT).withTombstoneRetention(HORIZON));
    }

    private static void transaction(
            LogStore store, Partition partition, boolean commits, String key, String value) {
        try (Transaction tx = store.beginTransaction()) {
            tx.append(
                    partition,
                    partition.topic().newBatch().add(Stores.bytes(key), Stores.bytes(value)));
            if (commits) {
                tx.commit();
            }
        }
    }

    /** Fills segments with records that supersede each other. */
    private void fill(LogStore store, Partition partition) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < 40; i++) {
                appender.append(Stores.bytes("filling"), new byte[8_000]);
                clock.advance(10);
                Stores.work(store);
            }
        }
    }

    private static Map<String, String> read(Partition partition, IsolationLevel isolation) {
        Map<String, String> latest = new TreeMap<>();
        try (Tailer tailer =
                partition
                        .topic()
                        .openTailer(
                                TailerOptions.defaults()
                                        .withIsolation(isolation)
                                        .withPartitions(0))) {
            for (StoredRecord each : Stores.readAll(tailer)) {
                String value = each.value().length > 100 ? "long" : Stores.text(each.value());
                latest.put(Stores.text(each.key()), value);
            }
        }
        return latest;
    }

    private static int markers(Partition partition) {
        int markers = 0;
        BatchInfo info = new BatchInfo();
        BatchReader reader =
                HostedPartition.of(partition).openBatchReader(IsolationLevel.READ_UNCOMMITTED);
        long offset = partition.logStartOffset();
        while (offset < partition.visibleOffset(IsolationLevel.READ_UNCOMMITTED)) {
            try (BatchRun run = reader.read(offset, 1 << 20, true)) {
                ByteBuffer bytes = run.bytes();
                int at = bytes.position();
                while (at < bytes.limit()) {
                    markers += info.read(bytes, at).isControl() ? 1 : 0;
                    at += BatchFormat.size(bytes, at);
                }
                offset = run.nextOffset();
            }
        }
        return markers;
    }

    @Test
    void shouldKeepTheLatestCommittedValueAndNothingOfAbortedTransactions() {
        try (LogStore store = open()) {
            Partition partition = create(store).partition(0);
            transaction(store, partition, true, "a", "committed");
            transaction(store, partition, false, "a", "aborted");
            transaction(store, partition, false, "b", "aborted");
            transaction(store, partition, true, "c", "first");
            transaction(store, partition, true, "c", "second");
            fill(store, partition);
            store.compact("t", 0);
            Map<String, String> expected =
                    Map.of("a", "committed", "c", "second", "filling", "long");
            assertEquals(expected, read(partition, IsolationLevel.READ_COMMITTED));
            assertEquals(expected, read(partition, IsolationLevel.READ_UNCOMMITTED));
        }
    }

    @Test
    void shouldRemoveMarkersOfWhichNoBatchIsLeftAfterTheirHorizon() throws IOException {
        try (LogStore store = open()) {
            Partition partition = create(store).partition(0);
            transaction(store, partition, true, "a", "kept");
            for (int i = 0; i < 20; i++) {
                transaction(store, partition, i % 2 == 0, "b", "superseded");
            }
            transaction(store, partition, true, "b", "last");
            fill(store, partition);
            store.compact("t", 0);
            assertEquals(22, markers(partition), "before the horizon all markers stay");
            clock.advance(HORIZON.toMillis() + 1);
            fill(store, partition);
            store.compact("t", 0);
            assertEquals(2, markers(partition), "those with batches stay");
        }
        for (Path file : Stores.filesIn(directory.resolve("store"))) {
            if (file.getFileName().toString().startsWith("producers")) {
                Files.delete(file); // recovery then goes by the batches
            }
        }
        try (LogStore store = open()) {
            Partition partition = store.openTopic("t").partition(0);
            assertEquals(
                    Map.of("a", "kept", "b", "last", "filling", "long"),
                    read(partition, IsolationLevel.READ_COMMITTED));
            assertEquals(partition.nextOffset(), partition.visibleOffset());
        }
    }

    @Test
    void shouldNotCompactBeyondAnOpenTransaction() {
        try (LogStore store = open()) {
            Partition partition = create(store).partition(0);
            transaction(store, partition, true, "a", "committed");
            try (Transaction tx = store.beginTransaction()) {
                tx.append(
                        partition,
                        partition.topic().newBatch().add(Stores.bytes("a"), Stores.bytes("open")));
                fill(store, partition);
                var result = store.compact("t", 0);
                assertEquals(0, result.removedRecords());
            }
            fill(store, partition);
            assertTrue(store.compact("t", 0).removedRecords() > 0);
            assertEquals("committed", read(partition, IsolationLevel.READ_COMMITTED).get("a"));
        }
    }
}
