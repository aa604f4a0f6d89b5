package io.firn.format;

import static io.firn.kafka.SameRecords.assertSame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.StoredRecord;
import io.firn.host.InvalidBatchException;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SeededTest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForeignBatchTest {
    @ParameterizedTest
    @EnumSource
    void shouldTakeWhatKafkaMakes(Compression codec) {
        KafkaBatches plain = KafkaBatches.of(codec);
        for (int count : new int[] {1, 2, 500}) {
            List<StoredRecord> records = new RandomRecords(count).next(0, 0, count, 3_000);

            assertEquals(count, ForeignBatch.check(plain.encode(records), false));
            assertEquals(count, ForeignBatch.check(plain.appendTime(5).encode(records), false));
            assertEquals(count, ForeignBatch.check(plain.producer(1, 0, 7).encode(records), false));
        }
    }

    @Test
    void shouldTakeABatchWhereverItLies() {
        ByteBuffer batch = threeRecords();
        int size = batch.remaining();
        for (ByteBuffer memory : List.of(allocate(size), ByteBuffer.allocateDirect(size + 20))) {
            memory.position(11).put(batch.duplicate()).flip().position(11);
            for (ByteBuffer buffer : List.of(memory, memory.asReadOnlyBuffer(), memory.slice())) {
                int position = buffer.position();

                assertEquals(3, ForeignBatch.check(buffer, false));
                assertEquals(position, buffer.position());
                assertEquals(size, buffer.remaining());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, -1})
    void shouldRefuseAnotherMagic(int magic) {
        ByteBuffer batch = threeRecords().put(BatchFormat.MAGIC, (byte) magic);

        assertRefused(batch, "expected magic 2, found " + magic);
    }

    @Test
    void shouldRefuseEveryFlippedBitUnderTheCrc() {
        ByteBuffer batch = threeRecords();
        for (int bit = BatchFormat.CRC * 8; bit < batch.limit() * 8; bit++) {
            flip(batch, bit);
            assertRefused(batch, "its CRC says");
            flip(batch, bit);
        }
    }

    @Test
    void shouldNameBothCrcs() {
        ByteBuffer batch = threeRecords();
        int crc = batch.getInt(BatchFormat.CRC);
        batch.putInt(BatchFormat.CRC, 0x12345678);

        assertRefused(batch, String.format("its CRC says 12345678, its bytes give %08x", crc));
    }

    @Test
    void shouldRefuseATruncatedBatchAtEveryLength() {
        ByteBuffer batch = threeRecords();
        int size = batch.limit();
        for (int length = 0; length < size; length++) {
            batch.limit(length);
            assertRefused(
                    batch,
                    length < BatchFormat.HEADER_LENGTH
                            ? "at least 61 bytes, found " + length
                            : "one batch of " + length + " bytes, its header says " + size);
        }
    }

    @Test
    void shouldRefuseTwoBatches() {
        ByteBuffer batch = threeRecords();
        int size = batch.limit();
        ByteBuffer two = ByteBuffer.allocate(2 * size).put(batch.duplicate()).put(batch).flip();

        assertRefused(two, "exactly one batch of " + 2 * size + " bytes, its header says " + size);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 48, 49, Integer.MAX_VALUE})
    void shouldRefuseALengthThatLies(int length) {
        ByteBuffer batch = threeRecords().putInt(BatchFormat.LENGTH, length);

        assertRefused(batch, "its header says " + (length + 12L));
    }

    @Test
    void shouldRefuseACountThatLies() {
        ByteBuffer batch = threeRecords();
        for (int count : new int[] {Integer.MIN_VALUE, -1, 0, 2, 4, Integer.MAX_VALUE}) {
            batch.putInt(BatchFormat.COUNT, count);
            assertRefused(
                    sealed(batch), "record count " + count + " and last offset delta 2 do not");
        }
    }

    /** As many records as a batch can hold, in as few bytes as there are. */
    @ParameterizedTest
    @EnumSource
    void shouldTakeManyRecordsThatCompressToFewBytes(Compression codec) {
        StoredRecord empty = new StoredRecord(0, 0, 1_000, null, null, List.of());
        ByteBuffer batch =
                KafkaBatches.of(codec).encode(java.util.Collections.nCopies(50_000, empty));

        assertEquals(50_000, ForeignBatch.check(batch, false));
        boolean isDense = batch.remaining() < 50_000 * 7;
        assertEquals(codec != Compression.NONE, isDense);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void shouldRefuseMoreRecordsThanACompressedBatchHolds(Compression codec) {
        StoredRecord empty = new StoredRecord(0, 0, 1_000, null, null, List.of());
        for (int count : new int[] {40_001, 100_000, Integer.MAX_VALUE}) {
            ByteBuffer batch =
                    KafkaBatches.of(codec).encode(java.util.Collections.nCopies(40_000, empty));
            count(batch, count);

            assertRefused(batch, "record count " + count + " in " + batch.remaining());
        }
        ByteBuffer fewer =
                KafkaBatches.of(codec).encode(java.util.Collections.nCopies(60_000, empty));
        count(fewer, 59_999);
        assertRefused(fewer, "more than these follow");
    }

    /** A batch whose compressed bytes are none. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldRefuseACountThatSoFewBytesCannotHold(int codec) {
        ByteBuffer batch = ByteBuffer.allocate(80);
        batch.put(threeRecords().limit(80)).flip();
        batch.putInt(BatchFormat.LENGTH, 80 - BatchFormat.LENGTH_OVERHEAD);
        batch.putShort(BatchFormat.ATTRIBUTES, (short) codec);
        count(batch, Integer.MAX_VALUE);

        assertRefused(batch, "record count 2147483647 in 80 bytes");
    }

    @Test
    void shouldRefuseALastOffsetThatLies() {
        ByteBuffer batch = threeRecords();
        for (int delta : new int[] {-1, 0, 1, 3, Integer.MAX_VALUE}) {
            batch.putInt(BatchFormat.LAST_OFFSET_DELTA, delta);
            assertRefused(sealed(batch), "count 3 and last offset delta " + delta + " do not");
        }
    }

    @Test
    void shouldRefuseFewerOrMoreRecordsThanTheHeaderSays() {
        ByteBuffer batch = threeRecords();
        count(batch, 4);
        assertRefused(batch, "record 3 of 4 is malformed");

        count(batch, 2);
        String message = refusal(batch);
        assertTrue(message.matches(".* \\d+ bytes follow the last record"), message);
    }

    @Test
    void shouldRefuseAControlBatch() {
        MemoryRecords marker =
                MemoryRecords.withEndTransactionMarker(
                        7, (short) 0, new EndTransactionMarker(ControlRecordType.COMMIT, 0));

        assertRefused(marker.buffer(), "only the log itself appends control batches");

        ByteBuffer control = threeRecords();
        control.putShort(BatchFormat.ATTRIBUTES, (short) BatchFormat.CONTROL_FLAG);
        assertRefused(sealed(control), "only the log itself appends control batches");
    }

    @ParameterizedTest
    @EnumSource
    void shouldTakeABatchOfATransactionOnlyWithAProducer(Compression codec) {
        ByteBuffer batch =
                KafkaBatches.of(codec).producer(7, 0, 0).transactional().encode(null, new byte[9]);
        assertEquals(1, ForeignBatch.check(batch, false));

        ByteBuffer without = threeRecords();
        without.putShort(BatchFormat.ATTRIBUTES, (short) BatchFormat.TRANSACTIONAL_FLAG);
        assertRefused(sealed(without), "a batch of a transaction has a producer");
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6, 7})
    void shouldRefuseAnUnknownCompression(int codec) {
        ByteBuffer batch = threeRecords().putShort(BatchFormat.ATTRIBUTES, (short) codec);

        assertRefused(sealed(batch), "unknown compression " + codec);
    }

    @Test
    void shouldRefuseALittleEndianBuffer() {
        assertRefused(
                threeRecords().order(ByteOrder.LITTLE_ENDIAN), "the buffer must be big-endian");
    }

    @Test
    void shouldRefuseAProducerWithoutEpochOrSequence() {
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).producer(7, 3, 4).encode(null, null);
        batch.putShort(BatchFormat.PRODUCER_EPOCH, (short) -1);
        assertRefused(sealed(batch), "producer 7 with epoch -1, sequence 4");

        batch.putShort(BatchFormat.PRODUCER_EPOCH, (short) 3);
        batch.putInt(BatchFormat.BASE_SEQUENCE, -1);
        assertRefused(sealed(batch), "producer 7 with epoch 3, sequence -1");
    }

    @Test
    void shouldRefuseRecordsWhoseOffsetsDoNotCountUp() {
        ByteBuffer batch = threeRecords();
        // Length, attributes and timestamp of the first record take a byte each.
        int offsetDelta = BatchFormat.HEADER_LENGTH + 3;
        assertEquals(0, batch.get(offsetDelta));
        batch.put(offsetDelta, (byte) 2);

        assertRefused(sealed(batch), "record 0 of 3 is malformed");
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellWhichRecordsHaveNoKey(Compression codec) {
        List<StoredRecord> records = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            byte[] key = i == 1 || i > 2 ? null : new byte[i];
            records.add(new StoredRecord(0, 0, 1_000, key, new byte[300], List.of()));
        }
        ByteBuffer batch = KafkaBatches.of(codec).encode(records);
        ByteBuffer placed = ByteBuffer.allocate(batch.remaining() + 11).position(11);
        placed.put(batch.duplicate()).position(11);

        assertThrows(InvalidBatchException.class, () -> ForeignBatch.check(batch, true));
        assertEquals(List.of(1, 3, 4), ForeignBatch.withoutKey(batch, 10));
        assertEquals(List.of(1, 3), ForeignBatch.withoutKey(batch, 2));
        assertEquals(List.of(1, 3, 4), ForeignBatch.withoutKey(placed, 10));
        count(batch, 1_000);
        assertEquals(List.of(1, 3, 4), ForeignBatch.withoutKey(batch, 10));
    }

    @Test
    void shouldTellNothingOfTheRecordsAfterAMalformedOne() {
        ByteBuffer batch = threeRecords();
        int second = BatchFormat.HEADER_LENGTH + (batch.limit() - BatchFormat.HEADER_LENGTH) / 3;
        batch.put(second + 3, (byte) 0); // as if it were the first

        assertEquals(List.of(0), ForeignBatch.withoutKey(sealed(batch), 10));
    }

    /** Whatever is wrong with the records: what Kafka's consumers could not read is not taken. */
    @SeededTest
    void shouldTakeNoRecordsThatKafkaReadsOtherwise(long seed) {
        RandomRecords random = new RandomRecords(seed);
        Random numbers = random.random();
        int taken = 0;
        for (int round = 0; round < 5_000; round++) {
            List<StoredRecord> records = random.next(0, 0, 1 + numbers.nextInt(4), 100);
            ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(records);
            int changes = 1 + numbers.nextInt(3);
            for (int i = 0; i < changes; i++) {
                int at = at(numbers, batch);
                batch.put(at, (byte) (batch.get(at) ^ (1 << numbers.nextInt(8))));
            }
            sealed(batch);
            List<StoredRecord> ours = read(batch);
            if (ours != null) {
                taken++;
                assertSame(KafkaBatches.decode(0, batch.duplicate()), ours);
            }
        }
        assertTrue(taken > 0, "nothing was taken, so nothing was compared");
    }

    /** An int has 32 bits in five bytes at most, a long ten bytes; Kafka gives up on more. */
    @ParameterizedTest
    @ValueSource(strings = {"8080808010", "808080808000", "80808080808080808080 00"})
    void shouldRefuseNumbersThatAreTooLong(String zero) {
        byte[] tooLong = HexFormat.of().parseHex(zero.replace(" ", ""));
        String[] fields = {"timestamp", "offset", "key", "value", "headers"};
        for (int tooLongField = zero.length() > 20 ? 0 : 1; tooLongField < 5; tooLongField++) {
            ByteBuffer body = ByteBuffer.allocate(40).put((byte) 0);
            for (int field = 0; field < fields.length; field++) {
                body.put(field == tooLongField ? tooLong : new byte[1]);
            }
            ByteBuffer batch = ByteBuffer.allocate(200);
            batch.put(KafkaBatches.of(Compression.NONE).encode(null, new byte[0]));
            batch.position(BatchFormat.HEADER_LENGTH).put((byte) (2 * body.position()));
            batch.put(body.flip()).flip();
            batch.putInt(BatchFormat.LENGTH, batch.limit() - BatchFormat.LENGTH_OVERHEAD);

            String message = refusal(sealed(batch));
            assertTrue(message.contains("record 0 of 1"), fields[tooLongField] + ": " + message);
        }
    }

    private static List<StoredRecord> read(ByteBuffer batch) {
        int count;
        try {
            count = ForeignBatch.check(batch, false);
        } catch (InvalidBatchException e) {
            return null;
        }
        List<StoredRecord> records = new ArrayList<>();
        RecordFlyweight record = new RecordFlyweight();
        record.wrap(batch);
        long baseTime = batch.getLong(BatchFormat.BASE_TIMESTAMP);
        record.batch(0, 0, count, baseTime, false, batch.limit());
        int at = BatchFormat.HEADER_LENGTH;
        for (int i = 0; i < count; i++) {
            at = record.show(at);
            records.add(record.copy());
        }
        return records;
    }

    private static int at(Random numbers, ByteBuffer batch) {
        int records = batch.limit() - BatchFormat.HEADER_LENGTH;
        return BatchFormat.HEADER_LENGTH + numbers.nextInt(records);
    }

    private static ByteBuffer threeRecords() {
        StoredRecord small = new StoredRecord(0, 0, 1_000, null, new byte[20], List.of());
        return KafkaBatches.of(Compression.NONE).encode(List.of(small, small, small));
    }

    private static ByteBuffer allocate(int batchBytes) {
        return ByteBuffer.allocate(batchBytes + 20);
    }

    private static void count(ByteBuffer batch, int count) {
        batch.putInt(BatchFormat.COUNT, count);
        batch.putInt(BatchFormat.LAST_OFFSET_DELTA, count - 1);
        sealed(batch);
    }

    /** The batch with the CRC that it should have. */
    private static ByteBuffer sealed(ByteBuffer batch) {
        CRC32C crc = new CRC32C();
        crc.update(batch.duplicate().position(BatchFormat.ATTRIBUTES));
        return batch.putInt(BatchFormat.CRC, (int) crc.getValue());
    }

    private static void flip(ByteBuffer batch, int bit) {
        batch.put(bit / 8, (byte) (batch.get(bit / 8) ^ (1 << (bit % 8))));
    }

    private static void assertRefused(ByteBuffer batch, String why) {
        String message = refusal(batch);
        assertTrue(message.contains(why), message);
    }

    private static String refusal(ByteBuffer batch) {
        return assertThrows(InvalidBatchException.class, () -> ForeignBatch.check(batch, false))
                .getMessage();
    }
}
