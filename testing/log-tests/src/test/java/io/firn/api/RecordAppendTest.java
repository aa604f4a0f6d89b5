package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.readAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.ClosedException;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordId;
import io.firn.RecordTooLargeException;
import io.firn.StoredRecord;
import io.firn.StoredRecord.Header;
import io.firn.Topic;
import io.firn.TopicAppender;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records with keys and headers, and futures. */
class RecordAppendTest {
    private static final List<Header> HEADERS =
            List.of(new Header("trace", bytes("7")), new Header("empty", null));

    @TempDir private Path directory;
    private LogStore store;
    private Topic topic;
    private Partition partition;

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
        topic =
                store.createTopic(
                        "t", Stores.small().withPartitions(2).withCompression(Compression.GZIP));
        partition = topic.partition(0);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Appender appender(boolean isExclusive) {
        return isExclusive ? partition.openExclusiveAppender() : partition.openAppender();
    }

    private static Batch record(Batch batch, String key, String value) {
        byte[] keyBytes = key == null ? null : bytes(key);
        return batch.key(keyBytes).value(bytes(value)).headers(HEADERS).add();
    }

    private static void assertRecord(StoredRecord record, String key, String value, int headers) {
        assertEquals(key, Stores.text(record.key()));
        assertEquals(value, Stores.text(record.value()));
        assertEquals(headers, record.headers().size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAppendKeysAndHeaders(boolean isExclusive) {
        try (Appender appender = appender(isExclusive)) {
            assertEquals(0, appender.append(bytes("k"), bytes("v")));
            assertEquals(1, partition.durableOffset());
            assertEquals(1, appender.append(record(appender.newBatch(), "k", "v")));
            assertEquals(2, appender.append(null, null));
            assertEquals(3, appender.tryAppend(appender.newBatch().add(bytes("a"), bytes("b"))));
            assertEquals(4, appender.tryAppend(record(appender.newBatch(), null, "b")));
            appender.awaitDurable(4);
        }
        List<StoredRecord> all = readAll(partition.openTailer());
        assertRecord(all.get(0), "k", "v", 0);
        assertRecord(all.get(1), "k", "v", 2);
        assertEquals("trace", all.get(1).headers().get(0).key());
        assertArrayEquals(bytes("7"), all.get(1).headers().get(0).value());
        assertNull(all.get(1).headers().get(1).value());
        assertRecord(all.get(2), null, null, 0);
        assertRecord(all.get(3), "a", "b", 0);
        assertRecord(all.get(4), null, "b", 2);
    }

    @Test
    void shouldAppendARecordAsItWasRead() {
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = record(appender.newBatch(), "k", "v");
            appender.append(batch);
            StoredRecord read = readAll(partition.openTailer()).get(0);
            batch.clear().key(read.key()).value(read.value()).headers(read.headers()).add();
            appender.append(batch);
        }
        assertRecord(readAll(partition.openTailer()).get(1), "k", "v", 2);
    }

    @Test
    void shouldAppendTheNextRecordAfterOneThatWasRefused() {
        try (Appender appender = partition.openExclusiveAppender()) {
            assertThrows(
                    RecordTooLargeException.class,
                    () -> appender.append(bytes("k"), new byte[40_000]));
            appender.append(bytes("next"), bytes("v"));
        }
        List<StoredRecord> all = readAll(partition.openTailer());
        assertEquals(1, all.size());
        assertRecord(all.get(0), "next", "v", 0);
    }

    @Test
    void shouldKeepApartTheRecordsOfManyThreads() throws Exception {
        List<Stores.Task<Void>> tasks = new ArrayList<>();
        try (Appender appender = partition.openAppender()) {
            for (int t = 0; t < 4; t++) {
                byte[] own = bytes("" + t);
                tasks.add(
                        Stores.start(
                                () -> {
                                    for (int i = 0; i < 200; i++) {
                                        appender.append(own, own);
                                    }
                                    return null;
                                }));
            }
            for (Stores.Task<Void> task : tasks) {
                task.result();
            }
        }
        List<StoredRecord> all = readAll(partition.openTailer());
        assertEquals(800, all.size());
        for (StoredRecord record : all) {
            assertArrayEquals(record.key(), record.value());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCompleteAFutureOnceTheRecordIsDurable(boolean isExclusive) throws Exception {
        try (Appender appender = appender(isExclusive)) {
            List<CompletableFuture<RecordId>> futures =
                    List.of(
                            appender.appendFuture(appender.newBatch().add(bytes("v"))),
                            appender.appendFuture(record(appender.newBatch(), "k", "v")),
                            appender.appendFuture(
                                    appender.newBatch().add(bytes("x")).add(bytes("y"))));
            for (int i = 0; i < futures.size(); i++) {
                CompletableFuture<RecordId> future = futures.get(i);
                Stores.await("the force", future::isDone);
                assertEquals(new RecordId(0, i), future.get());
                assertTrue(partition.durableOffset() > (i == 2 ? 3 : i));
            }
        }
    }

    @Test
    void shouldNotCompleteAFutureBeforeTheForce() throws Exception {
        store.close();
        try (LogStore idle = Stores.at(directory).invokerMode().open();
                Appender appender = idle.openTopic("t").partition(0).openExclusiveAppender()) {
            Batch batch = appender.newBatch().add(bytes("v"));
            CompletableFuture<RecordId> future = appender.appendFuture(batch);
            assertFalse(future.isDone(), "nobody has forced");
            Stores.work(idle);
            assertEquals(new RecordId(0, 0), future.get());
        }
    }

    @Test
    void shouldCompleteAFutureOfAWrittenTopicAtOnce() throws Exception {
        Topic written = store.createTopic("w", Stores.small().withDurability(Durability.WRITTEN));
        Appender appender = written.partition(0).openExclusiveAppender();
        Batch batch = appender.newBatch().add(new byte[10_000]);
        for (int i = 0; i < 20; i++) { // over several segments
            CompletableFuture<RecordId> future = appender.appendFuture(batch);
            assertTrue(future.isDone());
            assertEquals(i, future.get().offset());
        }
        appender.close();
        assertThrows(ClosedException.class, () -> appender.appendFuture(batch));
    }

    @Test
    void shouldOfferTheSameForATopic() throws Exception {
        try (TopicAppender appender = topic.openAppender()) {
            byte[] key = bytes("key");
            int expected = appender.partitionFor(key);
            Batch withHeaders = record(appender.newBatch(), "key", "v");
            assertEquals(new RecordId(expected, 0), appender.append(withHeaders));
            assertEquals(new RecordId(expected, 1), appender.append(key, null));
            CompletableFuture<RecordId> future = appender.appendFuture(withHeaders);
            appender.awaitDurable(new RecordId(expected, 2));
            Stores.await("the future", future::isDone);
            assertEquals(new RecordId(expected, 2), future.get());
            List<StoredRecord> all = readAll(topic.partition(expected).openTailer());
            assertRecord(all.get(0), "key", "v", 2);
            assertRecord(all.get(1), "key", null, 0);

            Batch batch = appender.newBatch().add(bytes("a")).add(bytes("b"));
            RecordId first = appender.append(batch);
            RecordId second = appender.appendFuture(batch).get();
            assertEquals(first.partition(), second.partition(), "less than a batch's worth");
            assertEquals(first.offset() + 2, second.offset());
        }
    }

    @Test
    void shouldAppendABatchToThePartitionOfItsKeysAndRefuseOneOfDifferentPartitions() {
        try (TopicAppender appender = topic.openAppender()) {
            List<String> ofOne = new ArrayList<>();
            List<String> ofOther = new ArrayList<>();
            for (int i = 0; ofOne.size() < 3 || ofOther.isEmpty(); i++) {
                boolean isOne = appender.partitionFor(bytes("" + i)) == 1;
                (isOne ? ofOne : ofOther).add("" + i);
            }
            Batch batch = appender.newBatch().add(bytes("no key"));
            ofOne.forEach(key -> batch.add(bytes(key), bytes("v")));
            assertEquals(new RecordId(1, 0), appender.append(batch));
            int wrong = batch.count();
            batch.add(bytes(ofOther.get(0)), bytes("v"));
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> appender.append(batch));
            assertTrue(e.getMessage().contains("record " + wrong + " to partition 0"), e::toString);
            assertEquals(0, topic.partition(0).nextOffset());
            assertEquals(wrong, topic.partition(1).nextOffset());
        }
    }
}
