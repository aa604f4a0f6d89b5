package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.CleanupPolicy;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.Partition;
import io.firn.PartitionReader.CompactionMetrics;
import io.firn.PartitionReader.CompactionResult;
import io.firn.StoredRecord;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.format.BatchFormat;
import io.firn.host.HostedAppender;
import io.firn.kafka.KafkaBatches;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compactions that meet full segments, other clocks, and callers who change their mind. */
class CompactionEdgesTest {
    private static final long DAY_MS = 86_400_000;

    /** A key takes 24 bytes, and a tenth of the map stays free. */
    private static final int KEY_BYTES = 26;

    private final ManualClock clock = new ManualClock();

    @TempDir Path directory;

    private LogStore open(Tiers tiers) {
        return tiers.at(directory).invokerMode().clock(clock).open();
    }

    private static Topic topic(LogStore store) {
        return store.ensureTopic("t", options());
    }

    private static TopicOptions options() {
        return Stores.small()
                .withMinimumClass(Survives.PROCESS_CRASH)
                .withCleanup(CleanupPolicy.COMPACT)
                .withMinDirtyRatio(1); // only on request
    }

    private void append(LogStore store, KeyedRecords records, int count) {
        try (Appender appender = topic(store).partition(0).openAppender()) {
            for (int done = 0; done < count; done += 200) {
                records.append(appender, 200, clock.time());
                Stores.work(store);
            }
        }
        Stores.work(store);
    }

    @Test
    void shouldCompactSegmentsThatWereSealedBeforeTheClockWasSetBack() {
        KeyedRecords records = new KeyedRecords(9, 100, 20);
        try (LogStore store = open(Tiers.FILES)) {
            append(store, records, 2_000);
            clock.advance(-DAY_MS);
            CompactionResult result = store.compact("t", 0);
            assertTrue(result.removedRecords() > 1_000, result.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldRemoveTheTombstonesOfSegmentsThatWereFull(Tiers tiers) {
        try (LogStore store = open(tiers)) {
            Partition partition = topic(store).partition(0);
            try (Appender appender = partition.openAppender()) {
                for (int i = 0; partition.metrics().rolls() < 4; i += 50) {
                    Batch batch = appender.newBatch();
                    for (int k = i; k < i + 50; k++) {
                        batch.add(Stores.bytes("key-" + k), null);
                    }
                    appender.append(batch);
                    Stores.work(store);
                }
                CompactionResult first;
                do {
                    first = store.compact("t", 0);
                } while (first.compactedTo() < first.endOffset());
                clock.advance(2 * DAY_MS);
                for (int i = 0; i < 3; i++) {
                    appender.append(Stores.bytes("key-0"), new byte[31_000]);
                    Stores.work(store);
                }
                assertEquals(List.of(), store.compact("t", 0).skipped());
            }
            try (Tailer tailer = partition.openTailer()) {
                StoredRecord earliest = Stores.read(tailer, 1).get(0);
                assertTrue(earliest.offset() > partition.nextOffset() / 2, earliest.toString());
            }
        }
    }

    @Test
    void shouldCompactFullSegmentsWhoseBatchesAClientCompressedBetter() {
        Random random = new Random(1);
        try (LogStore store = open(Tiers.FILES)) {
            Partition partition = topic(store).partition(0);
            try (Appender appender = partition.openAppender()) {
                for (int i = 0; partition.metrics().bytes() < 5 * Stores.SEGMENT_BYTES; i++) {
                    HostedAppender.of(appender).appendBatch(wellCompressed(i, random));
                    Stores.work(store);
                }
            }
            CompactionResult result = store.compact("t", 0);
            assertTrue(result.bytesAfter() > result.bytesBefore(), result.toString());
            assertEquals(List.of(), result.skipped());
        }
    }

    /** As a producer with {@code compression.gzip.level=9} sends it. */
    private static ByteBuffer wellCompressed(int number, Random random) {
        MemoryRecordsBuilder batch =
                new MemoryRecordsBuilder(
                        new ByteBufferOutputStream(1 << 20),
                        RecordBatch.CURRENT_MAGIC_VALUE,
                        Compression.gzip().level(9).build(),
                        TimestampType.CREATE_TIME,
                        0,
                        -1,
                        RecordBatch.NO_PRODUCER_ID,
                        RecordBatch.NO_PRODUCER_EPOCH,
                        RecordBatch.NO_SEQUENCE,
                        false,
                        false,
                        RecordBatch.NO_PARTITION_LEADER_EPOCH,
                        1 << 20);
        for (int i = 0; i < 400; i++) {
            String key = i == 0 ? "same" : "key-" + number + "-" + i;
            String value =
                    Long.toHexString(random.nextLong())
                            + " the quick brown fox jumps over the lazy dog "
                            + i % 13;
            batch.append(1_700_000_000_000L + i, Stores.bytes(key), Stores.bytes(value));
        }
        return batch.build().buffer();
    }

    @Test
    void shouldKeepWhatABatchSupersedesThatEndsInDamage() {
        try (LogStore store = open(Tiers.FILES)) {
            Topic topic = store.createTopic("t", options().withCleanup(CleanupPolicy.DELETE));
            Partition partition = topic.partition(0);
            try (Appender appender = partition.openAppender()) {
                appender.append(Stores.bytes("key"), Stores.bytes("old"));
                fillSegment(store, appender);
                HostedAppender.of(appender).appendBatch(withoutItsLastRecord("key"));
                fillSegment(store, appender);
            }
            topic.changeOptions(options());
            CompactionResult result = store.compact("t", 0);
            assertEquals(1, result.skipped().size(), result.toString());
            assertTrue(result.removedRecords() > 0, result.toString());
            try (Tailer tailer = partition.openTailer()) {
                tailer.seek(0);
                assertEquals("old", Stores.text(Stores.read(tailer, 1).get(0).value()));
            }
        }
    }

    private static void fillSegment(LogStore store, Appender appender) {
        for (int i = 0; i < 4; i++) {
            appender.append(Stores.bytes("other"), new byte[31_000]);
            Stores.work(store);
        }
    }

    /** A client's batch of two records that says that it has three. */
    private static ByteBuffer withoutItsLastRecord(String key) {
        StoredRecord each =
                new StoredRecord(0, 0, 1_000, Stores.bytes(key), Stores.bytes("new"), List.of());
        ByteBuffer encoded = KafkaBatches.of(io.firn.Compression.GZIP).encode(List.of(each, each));
        byte[] batch = new byte[encoded.remaining()];
        encoded.get(batch);
        ByteBuffer b = ByteBuffer.wrap(batch);
        b.putInt(BatchFormat.LAST_OFFSET_DELTA, 2).putInt(BatchFormat.COUNT, 3);
        int crc = BatchFormat.computeCrc(new CRC32C(), batch, 0, batch.length);
        return b.putInt(BatchFormat.CRC, crc);
    }

    @Test
    void shouldWaitBeforeTheNextAttemptWhenTheFirstSegmentIsSkipped() throws Exception {
        KeyedRecords records = new KeyedRecords(10, 5_000, 20);
        CountDownLatch moveEnds = new CountDownLatch(1);
        try (LogStore store =
                Stores.at(directory)
                        .tier(FileTier.at(directory.resolve("cold")))
                        .clock(clock)
                        .compactionMemory(200 * KEY_BYTES)
                        .open()) {
            try {
                Partition first = partitionWhoseHeadIsMoved(store, "first", records, moveEnds);
                store.createTopic("other", options().withMinDirtyRatio(0));
                compactOnce(store, "first");
                Stores.await(
                        "the first to be compacted but for its head",
                        () -> {
                            CompactionResult last =
                                    first.metrics()
                                            .compaction()
                                            .orElseThrow()
                                            .lastRun()
                                            .orElse(null);
                            return last.compactedTo() == last.endOffset();
                        });
                // One thread takes them in turn; a segment may be finished meanwhile, and counts.
                Stores.await(
                        "the first to rest",
                        () -> {
                            long runs = first.metrics().compaction().orElseThrow().runs();
                            compactOther(store, records);
                            compactOther(store, records);
                            return first.metrics().compaction().orElseThrow().runs() == runs;
                        });
                assertEquals(
                        1,
                        first.metrics()
                                .compaction()
                                .orElseThrow()
                                .lastRun()
                                .orElseThrow()
                                .skipped()
                                .size());
            } finally {
                moveEnds.countDown(); // the close waits for the move
            }
        }
    }

    /** Appends until the store compacts a topic. */
    private void compactOther(LogStore store, KeyedRecords records) {
        Partition other = store.openTopic("other").partition(0);
        long runs = other.metrics().compaction().orElseThrow().runs();
        try (Appender appender = other.openAppender()) {
            records.append(appender, 1_000, clock.time());
        }
        Stores.await(
                "a compaction", () -> other.metrics().compaction().orElseThrow().runs() > runs);
    }

    /** A topic that is not compacted yet, with a move of its first segment that has begun. */
    private Partition partitionWhoseHeadIsMoved(
            LogStore store, String name, KeyedRecords records, CountDownLatch moveEnds)
            throws InterruptedException {
        Topic topic = store.createTopic(name, options().withCleanup(CleanupPolicy.DELETE));
        Partition partition = topic.partition(0);
        try (Appender appender = partition.openAppender()) {
            records.append(appender, 3_000, clock.time());
        }
        CountDownLatch begun = new CountDownLatch(1);
        Stores.start(() -> store.migrate(name, 0, 0, "tier-1", held(begun, moveEnds)));
        begun.await();
        return partition;
    }

    private static MoveControl held(CountDownLatch begun, CountDownLatch ends) {
        return (copied, total, next) -> {
            begun.countDown();
            try {
                ends.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return 0;
        };
    }

    /** Lets the store compact a topic, and waits for that. */
    private static void compactOnce(LogStore store, String name) {
        Topic topic = store.openTopic(name);
        CompactionMetrics before = topic.partition(0).metrics().compaction().orElse(null);
        long runs = before == null ? 0 : before.runs();
        topic.changeOptions(
                options()
                        .withMinDirtyRatio(0)
                        .withRetentionAge(Duration.ofMillis(1_000_000 + runs))); // any change
        Stores.await(
                "a compaction",
                () -> topic.partition(0).metrics().compaction().orElseThrow().runs() > runs);
    }

    @Test
    void shouldEndWhenItIsCancelledOnce() {
        KeyedRecords records = new KeyedRecords(11, 100, 20);
        try (LogStore store = open(Tiers.FILES)) {
            append(store, records, 3_000);
            int[] asked = {0};
            CompactionResult result =
                    store.compact(
                            "t",
                            0,
                            (copied, total, next) -> asked[0]++ == 400 ? MoveControl.CANCEL : 0);
            assertEquals(401, asked[0]);
            assertTrue(result.compactedTo() < result.endOffset(), result.toString());
        }
    }

    @Test
    void shouldEndWhenTheTopicIsNoLongerCompacted() {
        KeyedRecords records = new KeyedRecords(12, 100, 20);
        try (LogStore store = open(Tiers.FILES)) {
            append(store, records, 3_000);
            Topic topic = topic(store);
            CompactionResult result =
                    store.compact(
                            "t",
                            0,
                            (copied, total, next) -> {
                                topic.changeOptions(options().withCleanup(CleanupPolicy.DELETE));
                                return 0;
                            });
            assertEquals(0, result.removedRecords());
            assertTrue(result.compactedTo() < result.endOffset(), result.toString());
        }
    }

    @Test
    void shouldRefuseACompactionInACompaction() {
        KeyedRecords records = new KeyedRecords(13, 100, 20);
        try (LogStore store = open(Tiers.FILES)) {
            append(store, records, 3_000);
            MoveControl nested =
                    (copied, total, next) -> {
                        store.compact("t", 0);
                        return 0;
                    };
            assertThrows(IllegalStateException.class, () -> store.compact("t", 0, nested));
            CompactionResult result = store.compact("t", 0);
            records.assertLeft(topic(store).partition(0), result.compactedTo(), false);
        }
    }
}
