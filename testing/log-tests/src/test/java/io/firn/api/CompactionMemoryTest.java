package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.CompactionResult;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.format.BatchFormat;
import io.firn.host.HostedAppender;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.SameRecords;
import io.firn.sim.FirstRunOnly;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a compaction allocates does not depend on what its batches contain. */
@FirstRunOnly
class CompactionMemoryTest {
    private static final int MIB = 1 << 20;
    private static final long DAY_MS = 86_400_000;

    /** A client's batch of 1 KB has as much. */
    private static final int LARGE = 30 * MIB;

    /** What one decompressed batch would take. All that is allocated counts, not what is held. */
    private static final long MOST_ALLOCATED = LARGE;

    private final ManualClock clock = new ManualClock();
    private final Random random = new Random(42);

    /** What was appended, by offset. */
    private final TreeMap<Long, StoredRecord> appended = new TreeMap<>();

    private LogStore store;

    @TempDir Path directory;

    @BeforeEach
    void open() {
        store = Stores.at(directory).invokerMode().clock(clock).open();
        store.createTopic(
                "t",
                TopicOptions.defaults()
                        .withSegmentBytes(4 * MIB)
                        .withMaxRecordBytes(3 * MIB)
                        .withCleanup(CleanupPolicy.COMPACT)
                        .withMinDirtyRatio(1)); // only on request
    }

    private Partition partition() {
        return store.openTopic("t").partition(0);
    }

    private void append(Compression codec, List<StoredRecord> records) {
        try (Appender appender = partition().openAppender()) {
            long offset =
                    HostedAppender.of(appender).appendBatch(KafkaBatches.of(codec).encode(records));
            for (StoredRecord each : records) {
                appended.put(
                        offset,
                        new StoredRecord(
                                0,
                                offset,
                                each.timestamp(),
                                each.key(),
                                each.value(),
                                each.headers()));
                offset++;
            }
        }
        Stores.work(store);
    }

    private StoredRecord record(byte[] key, byte[] value) {
        return record(key, value, List.of());
    }

    private StoredRecord record(byte[] key, byte[] value, List<StoredRecord.Header> headers) {
        return new StoredRecord(0, 0, clock.time() + random.nextInt(1_000), key, value, headers);
    }

    private byte[] noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Seals what was appended, and compacts it; returns the most bytes that a run allocated. */
    private long compact(boolean areTombstonesOld) {
        long rolls = partition().metrics().rolls();
        while (partition().metrics().rolls() == rolls) {
            append(Compression.NONE, List.of(record(Stores.bytes("last"), noise(2 * MIB))));
        }
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long me = Thread.currentThread().getId();
        long allocated = 0;
        CompactionResult result;
        do { // there may be more keys than room for them
            long before = threads.getThreadAllocatedBytes(me);
            result = store.compact("t", 0);
            allocated = Math.max(allocated, threads.getThreadAllocatedBytes(me) - before);
            assertEquals(List.of(), result.skipped());
        } while (result.compactedTo() < result.endOffset());
        assertLatest(result.compactedTo(), areTombstonesOld);
        return allocated;
    }

    /** Each record is as it was appended; below an offset each key is there once, the latest. */
    private void assertLatest(long compactedTo, boolean areTombstonesOld) {
        Map<ByteBuffer, Long> latest = new HashMap<>();
        appended.headMap(compactedTo)
                .forEach((offset, each) -> latest.put(ByteBuffer.wrap(each.key()), offset));
        if (areTombstonesOld) {
            latest.values().removeIf(offset -> appended.get(offset).value() == null);
        }
        try (Tailer tailer = partition().openTailer()) {
            tailer.seek(0);
            int found = 0;
            for (StoredRecord each : Stores.readAll(tailer)) {
                StoredRecord was = appended.get(each.offset());
                assertNotNull(was, "offset " + each.offset());
                assertEquals(SameRecords.describe(was), SameRecords.describe(each));
                if (each.offset() < compactedTo) {
                    assertEquals(each.offset(), latest.get(ByteBuffer.wrap(each.key())));
                    found++;
                }
            }
            assertEquals(latest.size(), found);
        }
    }

    private static void assertFew(long allocated) {
        assertTrue(allocated < MOST_ALLOCATED, allocated + " bytes were allocated");
    }

    @ParameterizedTest
    @EnumSource(value = Compression.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void shouldCompactLargeTombstonesOfSmallBatchesPieceByPiece(Compression codec) {
        for (int i = 0; i < 3; i++) {
            byte[] key = new byte[LARGE];
            key[0] = (byte) (i % 2);
            append(codec, List.of(record(key, null)));
        }
        assertFew(compact(false));
        clock.advance(2 * DAY_MS);
        assertFew(compact(true));
    }

    @ParameterizedTest
    @EnumSource(value = Compression.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void shouldCompactLargeHeadersAndValuesOfSmallBatchesPieceByPiece(Compression codec) {
        var headers = List.of(new StoredRecord.Header("h", new byte[LARGE / 2]));
        for (int i = 0; i < 3; i++) {
            append(
                    codec,
                    List.of(
                            record(Stores.bytes("deleted"), null, headers),
                            record(Stores.bytes("key-" + i % 2), new byte[LARGE / 2]),
                            record(Stores.bytes("often"), Stores.bytes("value " + i))));
        }
        assertFew(compact(false));
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldCompactManySmallRecordsOfOneBatchPieceByPiece(Compression codec) {
        for (int round = 0; round < 2; round++) {
            List<StoredRecord> records = new ArrayList<>();
            for (int i = 0; i < 100_000; i++) {
                byte[] value = i % 5 == 0 ? null : noise(random.nextInt(12));
                records.add(record(Stores.bytes("key-" + (i + round * 50_000)), value));
            }
            append(codec, records);
        }
        assertFew(compact(false));
    }

    @Test
    void shouldLeaveABatchAsItIsWhoseWindowIsLargerThanThereIsMemory() throws IOException {
        try (Appender appender = partition().openAppender()) {
            HostedAppender.of(appender).appendBatch(withWindow(24));
        }
        for (int i = 0; i < 4; i++) {
            append(Compression.NONE, List.of(record(Stores.bytes("other"), noise(2 * MIB))));
        }
        long bytes = partition().metrics().bytes();
        CompactionResult result = store.compact("t", 0);
        assertTrue(bytes > partition().metrics().bytes(), "the others are compacted");
        assertEquals(1, result.skipped().size(), result.toString());
        String why = result.skipped().get(0);
        assertTrue(why.contains("a window") && why.contains(" 8388608 bytes"), why);
    }

    /** A batch of one record, compressed with a window of a size that only its frame says. */
    private ByteBuffer withWindow(int log) throws IOException {
        StoredRecord only = record(Stores.bytes("key"), new byte[1_000]);
        ByteBuffer plain = KafkaBatches.of(Compression.NONE).encode(List.of(only));
        byte[] all = new byte[plain.remaining()];
        plain.get(all);
        ByteArrayOutputStream made = new ByteArrayOutputStream();
        made.write(all, 0, BatchFormat.HEADER_LENGTH);
        try (OutputStream out = new ZstdOutputStreamNoFinalizer(made).setLong(log)) {
            int length = all.length - BatchFormat.HEADER_LENGTH;
            out.write(all, BatchFormat.HEADER_LENGTH, length);
        }
        byte[] bytes = made.toByteArray();
        ByteBuffer batch = ByteBuffer.wrap(bytes);
        batch.putShort(BatchFormat.ATTRIBUTES, (short) 4);
        batch.putInt(BatchFormat.LENGTH, bytes.length - BatchFormat.LENGTH_OVERHEAD);
        int crc = BatchFormat.computeCrc(new CRC32C(), bytes, 0, bytes.length);
        return batch.putInt(BatchFormat.CRC, crc);
    }
}
