package io.firn.format;

import static io.firn.kafka.SameRecords.assertSame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Batch;
import io.firn.Compression;
import io.firn.InvalidOptionException;
import io.firn.RecordTooLargeException;
import io.firn.StoredRecord;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SeededTest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchEncoderTest {
    private static final int MAX_RECORD_BYTES = 1 << 20;
    private static final long NOW = 1_700_000_000_000L;

    @ParameterizedTest
    @EnumSource
    void shouldBeReadByKafkaWithEveryCompression(Compression codec) {
        RandomRecords random = new RandomRecords(42);
        BatchEncoder encoder = encoder(codec);
        for (int count : new int[] {1, 2, 63, 64, 65, 1000}) {
            List<StoredRecord> records = random.next(0, 0, count, 2_000);
            encoder.clear();
            records.forEach(record -> add(encoder, record));

            assertSame(records, KafkaBatches.decode(0, bytes(encoder, 0)));
        }
    }

    @SeededTest
    void shouldBeReadByKafkaWhateverTheRecordsAre(long seed) {
        RandomRecords random = new RandomRecords(seed);
        for (Compression codec : Compression.values()) {
            BatchEncoder encoder = encoder(codec);
            for (int round = 0; round < 10; round++) {
                long offset = random.random().nextLong() >>> 2;
                int count = 1 + random.random().nextInt(50);
                List<StoredRecord> records = random.next(0, offset, count, 20_000);
                encoder.clear();
                records.forEach(record -> add(encoder, record));

                assertSame(records, KafkaBatches.decode(0, bytes(encoder, offset)));
            }
        }
    }

    @Test
    void shouldRefuseABatchWhoseLastRecordWasDescribedAndNotAdded() {
        BatchEncoder encoder = encoder(Compression.NONE);
        encoder.key(new byte[] {1}).value(new byte[] {2}).add();
        encoder.key(new byte[] {3}).value(new byte[] {4});
        assertThrows(InvalidOptionException.class, encoder::finish);
        encoder.add();
        assertEquals(2, KafkaBatches.decode(0, bytes(encoder, 0)).size());
    }

    @ParameterizedTest
    @EnumSource
    void shouldTakeBytesFromWhereverTheyLie(Sources place) {
        RandomRecords random = new RandomRecords(7);
        BatchEncoder encoder = encoder(Compression.NONE);
        List<StoredRecord> records = new ArrayList<>();
        int[] sizes = {0, 1, 63, 64, 5_000};
        for (int i = 0; i < sizes.length; i++) {
            byte[] key = random.bytes(sizes[sizes.length - 1 - i]);
            byte[] value = random.bytes(sizes[i]);
            place.hand(encoder, key, value);
            encoder.timestamp(NOW + i).add();
            records.add(new StoredRecord(0, i, NOW + i, key, value, List.of()));
        }

        assertSame(records, KafkaBatches.decode(0, bytes(encoder, 0)));
    }

    @Test
    void shouldWriteTheProducerIntoTheHeader() {
        BatchEncoder encoder = encoder(Compression.NONE);
        encoder.producer(77, 5, 100).add(new byte[] {1}).add(new byte[] {2});

        RecordBatch batch = kafka(bytes(encoder, 0));
        assertEquals(77, batch.producerId());
        assertEquals(5, batch.producerEpoch());
        assertEquals(100, batch.baseSequence());
        assertEquals(101, batch.lastSequence());
    }

    @Test
    void shouldForgetTheProducerWhenCleared() {
        BatchEncoder encoder = encoder(Compression.NONE);
        encoder.producer(77, 5, 100).add(new byte[] {1}).clear().add(new byte[] {2});

        RecordBatch batch = kafka(bytes(encoder, 0));
        assertEquals(-1, batch.producerId());
        assertEquals(-1, batch.producerEpoch());
        assertEquals(-1, batch.baseSequence());
    }

    @Test
    void shouldForgetWhatWasDescribedAndNotAddedWhenCleared() {
        BatchEncoder encoder = encoder(Compression.NONE);
        encoder.key(new byte[] {1}).header("h", null).timestamp(5).clear().add(new byte[] {2});

        assertSame(
                List.of(new StoredRecord(0, 0, NOW, null, new byte[] {2}, List.of())),
                KafkaBatches.decode(0, bytes(encoder, 0)));
    }

    @Test
    void shouldTellTheLargestTimestamp() {
        BatchEncoder encoder = encoder(Compression.NONE);
        for (long time : new long[] {500, 900, 0, 700}) {
            encoder.timestamp(time).add(new byte[1]);
        }
        encoder.timestamp(1000);
        assertThrows(RecordTooLargeException.class, () -> encoder.add(new byte[MAX_RECORD_BYTES]));

        assertEquals(900, kafka(bytes(encoder, 0)).maxTimestamp());
    }

    /** The numbers before a value take another byte at 64 and at 8192, zigzagged as they are. */
    @Test
    void shouldBeReadByKafkaWhereverANumberBeforeTheValueGrows() {
        long[] now = {NOW};
        BatchEncoder encoder = new BatchEncoder(() -> now[0], Compression.NONE, MAX_RECORD_BYTES);
        List<StoredRecord> expected = new ArrayList<>();
        for (int length : new int[] {0, 1, 57, 58, 59, 63, 64, 65, 8184, 8186, 8191, 8192, 8200}) {
            for (int step = 0; step < 7; step++) {
                byte[] value = new byte[length];
                Arrays.fill(value, (byte) (0x80 + expected.size()));
                encoder.add(value);
                expected.add(new StoredRecord(0, expected.size(), now[0], null, value, List.of()));
                now[0] += step == 3 ? -2 : 1;
            }
        }

        assertSame(expected, KafkaBatches.decode(0, bytes(encoder, 0)));
        assertEquals(encoder.finish().length(), encoder.sizeBytes());
    }

    @Test
    void shouldCountRecordsAndBytes() {
        BatchEncoder encoder = encoder(Compression.NONE);
        assertEquals(0, encoder.count());
        encoder.add(new byte[10]).add(null, new byte[20]).add((byte[]) null);

        assertEquals(3, encoder.count());
        assertEquals(encoder.finish().length(), encoder.sizeBytes());
    }

    @Test
    void shouldGiveTheSameBytesWhenFinishedTwice() {
        BatchEncoder encoder = encoder(Compression.GZIP);
        encoder.add(new byte[100]);
        ByteBuffer first = bytes(encoder, 0);

        assertEquals(first, bytes(encoder, 0));
    }

    @Test
    void shouldRefuseAnEmptyBatch() {
        BatchEncoder encoder = encoder(Compression.NONE);

        String message = assertThrows(InvalidOptionException.class, encoder::finish).getMessage();
        assertTrue(message.contains("at least one record"), message);
    }

    @Test
    void shouldRefuseATimestampBelowZero() {
        BatchEncoder encoder = encoder(Compression.NONE);

        String message =
                assertThrows(InvalidOptionException.class, () -> encoder.timestamp(-1))
                        .getMessage();
        assertTrue(message.contains("-1"), message);
    }

    @Test
    void shouldRefuseAProducerOutOfRange() {
        BatchEncoder encoder = encoder(Compression.NONE);

        assertThrows(InvalidOptionException.class, () -> encoder.producer(-1, 0, 0));
        assertThrows(InvalidOptionException.class, () -> encoder.producer(1, -1, 0));
        assertThrows(InvalidOptionException.class, () -> encoder.producer(1, 32_768, 0));
        assertThrows(InvalidOptionException.class, () -> encoder.producer(1, 0, -1));
    }

    @Test
    void shouldTakeARecordUpToTheLimitAndNoneAbove() {
        BatchEncoder encoder = new BatchEncoder(() -> NOW, Compression.NONE, 100);
        // Attributes, timestamp, offset, no key, 2 for the value's length, no headers.
        encoder.add(new byte[93]);
        String message =
                assertThrows(RecordTooLargeException.class, () -> encoder.add(new byte[94]))
                        .getMessage();

        assertTrue(message.contains("101") && message.contains("100"), message);
        assertEquals(1, encoder.count());
    }

    @Test
    void shouldRefuseToCompressMoreThanAReaderDecompresses() {
        BatchEncoder encoder = encoder(Compression.GZIP);
        byte[] value = new byte[MAX_RECORD_BYTES - 100];
        while (encoder.sizeBytes() - BatchFormat.HEADER_LENGTH <= BatchFormat.MAX_DECOMPRESSED) {
            encoder.add(value);
        }

        RecordTooLargeException e =
                assertThrows(RecordTooLargeException.class, () -> encoder.finish());

        assertTrue(e.getMessage().contains("up to 134217728"), e.getMessage());
    }

    @Test
    void shouldForgetTheWholeRecordWhenAPartOfItIsTooLarge() {
        BatchEncoder encoder = new BatchEncoder(() -> NOW, Compression.NONE, 100);
        encoder.key(new byte[] {1}).header("h", new byte[] {1}).timestamp(5);
        assertThrows(RecordTooLargeException.class, () -> encoder.value(new byte[101]));
        encoder.add(new byte[] {2});
        encoder.key(new byte[60]).value(new byte[60]).timestamp(5);
        assertThrows(RecordTooLargeException.class, encoder::add);
        encoder.add(new byte[] {3});

        assertSame(
                List.of(
                        new StoredRecord(0, 0, NOW, null, new byte[] {2}, List.of()),
                        new StoredRecord(0, 1, NOW, null, new byte[] {3}, List.of())),
                KafkaBatches.decode(0, bytes(encoder, 0)));
    }

    private static BatchEncoder encoder(Compression codec) {
        return new BatchEncoder(() -> NOW, codec, MAX_RECORD_BYTES);
    }

    private static void add(Batch batch, StoredRecord record) {
        batch.key(record.key()).value(record.value()).timestamp(record.timestamp());
        record.headers().forEach(header -> batch.header(header.key(), header.value()));
        batch.add();
    }

    private static ByteBuffer bytes(BatchEncoder encoder, long offset) {
        Scratch scratch = encoder.finish();
        ByteBuffer copy = ByteBuffer.allocate(scratch.length());
        copy.put(scratch.bytes(), 0, scratch.length());
        copy.putLong(BatchFormat.BASE_OFFSET, offset).putInt(BatchFormat.EPOCH, 3);
        return copy.flip();
    }

    private static RecordBatch kafka(ByteBuffer batch) {
        RecordBatch only = MemoryRecords.readableRecords(batch).batches().iterator().next();
        only.ensureValid();
        return only;
    }
}
