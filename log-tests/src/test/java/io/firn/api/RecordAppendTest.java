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
            assertEquals(1, appender.append(bytes("k"), bytes("v"), HEADERS));
            assertEquals(2, appender.append(null, null));
            assertEquals(3, appender.tryAppend(bytes("a"), bytes("b")));
            assertEquals(4, appender.tryAppend(null, bytes("b"), HEADERS));
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
            appender.append(bytes("k"), bytes("v"), HEADERS);
            StoredRecord read = readAll(partition.openTailer()).get(0);
            appender.append(read.key(), read.value(), read.headers());
        }
        assertRecord(readAll(partition.openTailer()).get(1), "k", "v", 2);
    }

    @Test
    void shouldAppendTheNextRecordAfterOneThatWasRefused() {
        try (Appender appender = partition.openExclusiveAppender()) {
            assertThrows(
                    RecordTooLargeException.class,
                    () -> appender.append(bytes("k"), new byte[40_000], HEADERS));
            assertThrows(
                    NullPointerException.class,
                    () -> appender.append(bytes("k"), bytes("v"), null));
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
                                        appender.append(own, own, List.of(new Header("h", own)));
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
            assertArrayEquals(record.key(), record.headers().get(0).value());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCompleteAFutureOnceTheRecordIsDurable(boolean isExclusive) throws Exception {
        try (Appender appender = appender(isExclusive)) {
            List<CompletableFuture<RecordId>> futures =
                    List.of(
                            appender.appendFuture(bytes("v")),
                            appender.appendFuture(bytes("k"), bytes("v")),
                            appender.appendFuture(bytes("k"), bytes("v"), HEADERS),
                            appender.appendFuture(
                                    appender.newBatch().add(bytes("x")).add(bytes("y"))));
            for (int i = 0; i < futures.size(); i++) {
                CompletableFuture<RecordId> future = futures.get(i);
                Stores.await("the force", future::isDone);
                assertEquals(new RecordId(0, i), future.get());
                assertTrue(partition.durableOffset() > (i == 3 ? 4 : i));
            }
        }
    }

    @Test
    void shouldNotCompleteAFutureBeforeTheForce() throws Exception {
        store.close();
        try (LogStore idle = Stores.at(directory).invokerMode().open();
                Appender appender = idle.openTopic("t").partition(0).openExclusiveAppender()) {
            CompletableFuture<RecordId> future = appender.appendFuture(bytes("v"));
            assertFalse(future.isDone(), "nobody has forced");
            Stores.work(idle);
            assertEquals(new RecordId(0, 0), future.get());
        }
    }

    @Test
    void shouldCompleteAFutureOfAWrittenTopicAtOnce() throws Exception {
        Topic written = store.createTopic("w", Stores.small().withDurability(Durability.WRITTEN));
        Appender appender = written.partition(0).openExclusiveAppender();
        for (int i = 0; i < 20; i++) { // over several segments
            CompletableFuture<RecordId> future = appender.appendFuture(new byte[10_000]);
            assertTrue(future.isDone());
            assertEquals(i, future.get().offset());
        }
        appender.close();
        assertThrows(ClosedException.class, () -> appender.appendFuture(bytes("v")));
    }

    @Test
    void shouldOfferTheSameForATopic() throws Exception {
        try (TopicAppender appender = topic.openAppender()) {
            byte[] key = bytes("key");
            int expected = appender.partitionFor(key);
            RecordId id = appender.append(key, bytes("v"), HEADERS);
            assertEquals(new RecordId(expected, 0), id);
            assertEquals(new RecordId(expected, 1), appender.tryAppend(key, bytes("v")));
            assertEquals(new RecordId(expected, 2), appender.tryAppend(key, null, HEADERS));
            CompletableFuture<RecordId> future = appender.appendFuture(key, bytes("last"));
            appender.awaitDurable(new RecordId(expected, 3));
            Stores.await("the future", future::isDone);
            assertEquals(new RecordId(expected, 3), future.get());
            List<StoredRecord> all = readAll(topic.partition(expected).openTailer());
            assertRecord(all.get(0), "key", "v", 2);
            assertRecord(all.get(2), "key", null, 2);
            assertRecord(all.get(3), "key", "last", 0);

            Batch batch = appender.newBatch().add(bytes("a")).add(bytes("b"));
            RecordId first = appender.append(batch);
            RecordId second = appender.tryAppend(batch);
            RecordId third = appender.appendFuture(batch).get();
            assertEquals(first.partition(), second.partition(), "less than a batch's worth");
            assertEquals(first.offset() + 2, second.offset());
            assertEquals(second.offset() + 2, third.offset());
        }
    }
}
