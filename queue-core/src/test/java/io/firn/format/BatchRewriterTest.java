package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.StoredRecord;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SameRecords;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is left of a batch is read with Kafka's own classes. */
class BatchRewriterTest {
    private static final long BASE = 5_000_000_000L;
    private static final int EPOCH = 77;
    private static final long HORIZON_MS = 1_800_000_000_123L;

    private final RandomRecords random = new RandomRecords(20261123);
    private final BatchRewriter rewriter = new BatchRewriter(new KeyHash());

    private static byte[] stored(KafkaBatches kind, List<StoredRecord> records) {
        ByteBuffer batch = kind.encode(records);
        byte[] bytes = new byte[batch.remaining()];
        batch.get(bytes);
        ByteBuffer.wrap(bytes)
                .putLong(BatchFormat.BASE_OFFSET, BASE)
                .putInt(BatchFormat.EPOCH, EPOCH);
        return bytes;
    }

    private byte[] rewrite(byte[] batch, List<StoredRecord> kept, long horizonMs)
            throws IOException {
        open(batch);
        int i = 0;
        while (rewriter.next()) {
            if (i < kept.size() && kept.get(i).offset() == rewriter.offset()) {
                rewriter.keep();
                i++;
            }
        }
        assertEquals(kept.size(), rewriter.keptCount());
        int size = rewriter.finish(horizonMs);
        ByteArrayOutputStream made = new ByteArrayOutputStream();
        rewriter.writeTo(made);
        assertEquals(size, made.size());
        return made.toByteArray();
    }

    private void open(byte[] batch) throws IOException {
        rewriter.open(ByteBuffer.wrap(batch), 0, batch.length);
    }

    private List<StoredRecord> some(List<StoredRecord> records) {
        List<StoredRecord> some = new ArrayList<>(records);
        some.removeIf(record -> random.random().nextInt(3) == 0);
        return some.isEmpty() ? records.subList(0, 1) : some;
    }

    private static MutableRecordBatch only(byte[] batch) {
        return MemoryRecords.readableRecords(ByteBuffer.wrap(batch)).batches().iterator().next();
    }

    private static void assertRest(List<StoredRecord> kept, byte[] before, byte[] after) {
        SameRecords.assertSame(kept, KafkaBatches.decode(0, ByteBuffer.wrap(after)));
        MutableRecordBatch old = only(before);
        MutableRecordBatch rest = only(after);
        assertEquals(old.baseOffset(), rest.baseOffset());
        assertEquals(old.lastOffset(), rest.lastOffset());
        assertEquals(old.producerId(), rest.producerId());
        assertEquals(old.producerEpoch(), rest.producerEpoch());
        assertEquals(old.baseSequence(), rest.baseSequence());
        assertEquals(old.lastSequence(), rest.lastSequence());
        assertEquals(old.compressionType(), rest.compressionType());
        assertEquals(old.timestampType(), rest.timestampType());
        assertEquals(EPOCH, rest.partitionLeaderEpoch());
        assertEquals(
                kept.stream().mapToLong(StoredRecord::timestamp).max().orElseThrow(),
                rest.maxTimestamp());
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldLeaveWhatKafkaReadsAsTheRecordsThatWereKept(Compression codec) throws IOException {
        for (int round = 0; round < 200; round++) {
            List<StoredRecord> all = random.next(0, BASE, 1 + random.random().nextInt(30), 300);
            byte[] batch = stored(KafkaBatches.of(codec).producer(9, 3, 1000), all);
            List<StoredRecord> kept = some(all);
            byte[] rest = rewrite(batch, kept, BatchRewriter.NO_HORIZON);
            assertRest(kept, batch, rest);
            assertEquals(OptionalLong.empty(), only(rest).deleteHorizonMs());
            List<StoredRecord> fewer = some(kept);
            assertRest(fewer, batch, rewrite(rest, fewer, BatchRewriter.NO_HORIZON));
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldKeepTimestampsWhenAHorizonIsSet(Compression codec) throws IOException {
        for (int round = 0; round < 200; round++) {
            List<StoredRecord> all = random.next(0, BASE, 1 + random.random().nextInt(30), 300);
            byte[] batch = stored(KafkaBatches.of(codec).producer(9, 3, 1000), all);
            List<StoredRecord> kept = some(all);
            byte[] rest = rewrite(batch, kept, HORIZON_MS);
            assertRest(kept, batch, rest);
            assertEquals(OptionalLong.of(HORIZON_MS), only(rest).deleteHorizonMs());
            open(rest);
            assertEquals(HORIZON_MS, rewriter.horizonMs());
            List<StoredRecord> fewer = some(kept);
            byte[] least = rewrite(rest, fewer, BatchRewriter.NO_HORIZON);
            assertRest(fewer, batch, least);
            assertEquals(OptionalLong.of(HORIZON_MS), only(least).deleteHorizonMs());
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldKeepTheTimeOfTheLog(Compression codec) throws IOException {
        List<StoredRecord> all = random.next(0, BASE, 20, 300);
        List<StoredRecord> timed = new ArrayList<>();
        for (StoredRecord r : all) {
            timed.add(new StoredRecord(0, r.offset(), 1_234_567, r.key(), r.value(), r.headers()));
        }
        byte[] batch = stored(KafkaBatches.of(codec).appendTime(1_234_567), all);
        List<StoredRecord> kept = some(timed);
        assertRest(kept, batch, rewrite(batch, kept, BatchRewriter.NO_HORIZON));
        assertRest(kept, batch, rewrite(batch, kept, HORIZON_MS));
    }

    @Test
    void shouldKeepEachByteOfRecordsWhenNoHorizonIsSet() throws IOException {
        List<StoredRecord> all = random.next(0, BASE, 20, 300);
        byte[] batch = stored(KafkaBatches.of(Compression.NONE), all);
        assertArrayEquals(batch, rewrite(batch, all, BatchRewriter.NO_HORIZON));
    }

    @Test
    void shouldSayThatABatchHasNoRecords() throws IOException {
        byte[] filler = new byte[FillerBatch.LENGTH];
        FillerBatch.put(ByteBuffer.wrap(filler), 0, BASE, BASE + 7, EPOCH);
        open(filler);
        assertFalse(rewriter.next());
        assertEquals(0, rewriter.count());
        assertEquals(BASE + 7, rewriter.nextOffset());
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldRefuseABatchWithAnotherNumberOfRecordsThanItSays(Compression codec) {
        byte[] batch = stored(KafkaBatches.of(codec), random.next(0, BASE, 5, 100));
        ByteBuffer.wrap(batch).putInt(BatchFormat.COUNT, 4);
        IOException e = assertThrows(IOException.class, () -> readAll(batch));
        assertTrue(e.getMessage().contains("5 records"), e.getMessage());
    }

    @Test
    void shouldRefuseMoreRecordsThanItHasBitsForBeforeItReadsThem() {
        byte[] batch = stored(KafkaBatches.of(Compression.NONE), random.next(0, BASE, 5, 100));
        ByteBuffer.wrap(batch).putInt(BatchFormat.COUNT, BatchRewriter.KeptRecords.MOST + 1);
        IOException e = assertThrows(IOException.class, () -> readAll(batch));
        assertTrue(e.getMessage().contains("more records than the 4194304"), e.getMessage());
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldWriteALargeBatchPieceByPiece(Compression codec) throws IOException {
        List<StoredRecord> all = random.next(0, BASE, 8_000, 600);
        byte[] batch = stored(KafkaBatches.of(codec).producer(9, 3, 1000), all);
        List<StoredRecord> kept = some(all);
        byte[] rest = rewrite(batch, kept, HORIZON_MS);
        assertTrue(rest.length > HeldBatch.MOST, rest.length + " bytes");
        assertRest(kept, batch, rest);
        assertRest(kept, batch, rewrite(batch, kept, BatchRewriter.NO_HORIZON));
    }

    @ParameterizedTest
    @EnumSource(value = Compression.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void shouldRefuseBytesThatTheCodecDidNotWrite(Compression codec) {
        byte[] batch = stored(KafkaBatches.of(codec), random.next(0, BASE, 50, 500));
        for (int i = 0; i < 20; i++) {
            batch[BatchFormat.HEADER_LENGTH + i] ^= (byte) 0x5A;
        }
        assertThrows(IOException.class, () -> readAll(batch));
    }

    private void readAll(byte[] batch) throws IOException {
        open(batch);
        while (rewriter.next()) {
            rewriter.keep();
        }
    }
}
