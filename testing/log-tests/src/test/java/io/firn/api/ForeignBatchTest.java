package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.readAll;
import static io.firn.api.Stores.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.DamagedRangeException;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.RecordTooLargeException;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.format.BatchEncoder;
import io.firn.format.BatchFormat;
import io.firn.host.HostedAppender;
import io.firn.host.HostedStore;
import io.firn.host.InvalidBatchException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches that somebody else made. */
@ParameterizedClass
@EnumSource(Tiers.class)
class ForeignBatchTest {
    @Parameter Tiers tier;
    @TempDir private Path directory;
    private LogStore store;
    private Partition partition;
    private Appender appender;

    @BeforeEach
    void open() {
        store = tier.at(directory).open();
        partition =
                store.createTopic("t", Stores.small().withDurability(Durability.WRITTEN))
                        .partition(0);
        appender = partition.openAppender();
    }

    @AfterEach
    void close() {
        store.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldStoreABatchAsItCame(Compression compression) {
        ByteBuffer heap = ForeignBatches.of(compression, "a", "b", "c");
        ByteBuffer direct = ByteBuffer.allocateDirect(heap.capacity()).put(heap.duplicate());
        direct.flip();
        appender.append(bytes("before"));
        assertEquals(1, HostedAppender.of(appender).appendBatch(heap));
        assertEquals(4, HostedAppender.of(appender).appendBatch(direct));
        assertEquals(7, HostedAppender.of(appender).appendBatch(heap.asReadOnlyBuffer()));
        assertEquals(10, HostedAppender.of(appender).tryAppendBatch(heap));
        appender.append(bytes("after"));
        assertEquals(3, heap.position());
        assertEquals(123_456_789, heap.getLong(3), "the buffer stays as it is");
        List<String> expected = new ArrayList<>(List.of("before"));
        for (int i = 0; i < 4; i++) {
            expected.addAll(List.of("a", "b", "c"));
        }
        expected.add("after");
        List<StoredRecord> found = readAll(partition.openTailer());
        assertEquals(expected, texts(found));
        assertEquals(1234, found.get(5).timestamp());
        for (int i = 0; i < found.size(); i++) {
            assertEquals(i, found.get(i).offset());
        }
    }

    @Test
    void shouldKnowTheProducerOfAForeignBatch() {
        long id = HostedStore.of(store).newProducerId();
        BatchEncoder encoder = new BatchEncoder(() -> 1, Compression.GZIP, 1000);
        encoder.add(bytes("once")).producer(id, 0, 0);
        ByteBuffer batch = ForeignBatches.of(encoder);
        assertEquals(0, HostedAppender.of(appender).appendBatch(batch));
        assertEquals(0, HostedAppender.of(appender).appendBatch(batch));
        assertEquals(1, partition.nextOffset());
    }

    @Test
    void shouldRefuseABatchWithAnyBitFlipped() {
        ByteBuffer batch = ForeignBatches.of(Compression.NONE, "some", "values");
        for (int bit = 0; bit < 8 * batch.remaining(); bit++) {
            int at = batch.position() + bit / 8;
            boolean ours = bit / 8 < 8 || (bit / 8 >= 12 && bit / 8 < 16);
            batch.put(at, (byte) (batch.get(at) ^ 1 << bit % 8));
            if (!ours) { // base offset and epoch are set by the log
                assertThrows(
                        InvalidBatchException.class,
                        () -> HostedAppender.of(appender).appendBatch(batch),
                        "bit " + bit);
            }
            batch.put(at, (byte) (batch.get(at) ^ 1 << bit % 8));
        }
        assertEquals(0, partition.nextOffset());
        assertEquals(0, HostedAppender.of(appender).appendBatch(batch));
    }

    @Test
    void shouldRefuseWhatIsNotExactlyOneBatch() {
        ByteBuffer batch = ForeignBatches.of(Compression.NONE, "value");
        for (int length = 0; length < batch.remaining(); length++) {
            ByteBuffer cut = batch.duplicate();
            cut.limit(cut.position() + length);
            assertThrows(
                    InvalidBatchException.class,
                    () -> HostedAppender.of(appender).appendBatch(cut));
        }
        ByteBuffer two = ByteBuffer.allocate(2 * batch.remaining());
        two.put(batch.duplicate()).put(batch.duplicate()).flip();
        assertThrows(
                InvalidBatchException.class, () -> HostedAppender.of(appender).appendBatch(two));
        ByteBuffer swapped = batch.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        assertThrows(
                InvalidBatchException.class,
                () -> HostedAppender.of(appender).appendBatch(swapped));
    }

    @Test
    void shouldRefuseACountThatIsNotTrue() {
        for (int count : new int[] {0, -1, 1, 3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            ByteBuffer batch =
                    ForeignBatches.withCount(ForeignBatches.of(Compression.NONE, "a", "b"), count);
            assertThrows(
                    InvalidBatchException.class,
                    () -> HostedAppender.of(appender).appendBatch(batch));
        }
        ByteBuffer uneven = ForeignBatches.of(Compression.NONE, "a", "b");
        uneven.putInt(uneven.position() + BatchFormat.LAST_OFFSET_DELTA, 5);
        ForeignBatches.withCrc(uneven);
        assertThrows(
                InvalidBatchException.class, () -> HostedAppender.of(appender).appendBatch(uneven));
    }

    @Test
    void shouldRefuseControlAndTransactionalBatches() {
        for (int flag : new int[] {BatchFormat.CONTROL_FLAG, BatchFormat.TRANSACTIONAL_FLAG, 7}) {
            ByteBuffer batch = ForeignBatches.of(Compression.NONE, "a");
            batch.putShort(batch.position() + BatchFormat.ATTRIBUTES, (short) flag);
            ForeignBatches.withCrc(batch);
            assertThrows(
                    InvalidBatchException.class,
                    () -> HostedAppender.of(appender).appendBatch(batch));
        }
    }

    @Test
    void shouldRefuseABatchThatNoSegmentHolds() {
        BatchEncoder encoder = new BatchEncoder(() -> 1, Compression.NONE, 1 << 20);
        encoder.add(new byte[Stores.SEGMENT_BYTES]);
        ByteBuffer batch = ForeignBatches.of(encoder);
        assertThrows(
                RecordTooLargeException.class,
                () -> HostedAppender.of(appender).appendBatch(batch));
        assertEquals(0, appender.append(bytes("works still")));
    }

    /** A compressed batch is not looked into when it is stored, so it may lie. */
    @Test
    void shouldHandOutNoOffsetBeyondABatchWithTooManyRecords() {
        ByteBuffer lies =
                ForeignBatches.withCount(
                        ForeignBatches.of(Compression.GZIP, "a", "b", "c", "d"), 2);
        HostedAppender.of(appender).appendBatch(lies);
        appender.append(bytes("next"));
        assertAscendingAndContinueAfter();
    }

    @Test
    void shouldContinueAfterABatchWithTooFewRecords() {
        ByteBuffer lies =
                ForeignBatches.withCount(ForeignBatches.of(Compression.GZIP, "a", "b"), 10);
        HostedAppender.of(appender).appendBatch(lies);
        appender.append(bytes("next"));
        assertAscendingAndContinueAfter();
    }

    @Test
    void shouldContinueAfterABatchThatCannotBeDecompressed() {
        ByteBuffer lies = ForeignBatches.of(Compression.GZIP, "a", "b");
        for (int i = lies.position() + BatchFormat.HEADER_LENGTH; i < lies.limit(); i++) {
            lies.put(i, (byte) 0x5a);
        }
        HostedAppender.of(appender).appendBatch(ForeignBatches.withCrc(lies));
        appender.append(bytes("next"));
        assertAscendingAndContinueAfter();
    }

    private void assertAscendingAndContinueAfter() {
        List<StoredRecord> found = new ArrayList<>();
        Tailer tailer = partition.openTailer();
        for (int i = 0; i < 10; i++) {
            try {
                tailer.poll(
                        record -> {
                            found.add(record.copy());
                            return Action.CONTINUE;
                        },
                        100);
            } catch (DamagedRangeException e) {
                assertTrue(e.toOffset() > tailer.offset());
                tailer.seek(e.toOffset());
            }
        }
        for (int i = 1; i < found.size(); i++) {
            assertTrue(
                    found.get(i).offset() > found.get(i - 1).offset(),
                    () -> "not ascending: " + Stores.offsets(found));
        }
        StoredRecord last = found.get(found.size() - 1);
        assertEquals("next", Stores.text(last.value()));
        assertEquals(partition.nextOffset() - 1, last.offset());
    }
}
