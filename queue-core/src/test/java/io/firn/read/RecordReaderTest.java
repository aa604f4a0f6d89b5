package io.firn.read;

import static io.firn.kafka.SameRecords.assertSame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.DamagedRangeException;
import io.firn.IsolationLevel;
import io.firn.OffsetOutOfRangeException;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.format.RecordFlyweight;
import io.firn.host.LostMarkerException;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SeededTest;
import io.firn.log.InMemory;
import io.firn.log.LogEvents;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.producer.PartitionTransactions;
import io.firn.spi.Block;
import io.firn.spi.MemoryTier;
import io.firn.spi.View;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordReaderTest {
    private static final long TIME = 1_700_000_000_000L;

    private static Sealed sealed(Random random, RandomRecords records) throws IOException {
        List<ByteBuffer> batches = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            batches.add(random.nextInt(3) == 0 ? any(random, records) : plain(random, records));
        }
        return Sealed.of(batches);
    }

    /** A batch of one record with only a value, of one of a few lengths. */
    private static ByteBuffer plain(Random random, RandomRecords records) {
        byte[] value = records.bytes(random.nextInt(4) == 0 ? random.nextInt(9_000) : 100);
        StoredRecord record =
                new StoredRecord(0, 0, TIME + random.nextInt(5), null, value, List.of());
        return KafkaBatches.of(Compression.NONE).encode(List.of(record));
    }

    private static ByteBuffer any(Random random, RandomRecords records) {
        Compression codec = Compression.values()[random.nextInt(Compression.values().length)];
        KafkaBatches format = KafkaBatches.of(codec);
        return (random.nextBoolean() ? format : format.appendTime(TIME))
                .encode(records.next(0, 0, 1 + random.nextInt(5), 300));
    }

    /** Every batch is opened by {@link BatchRecords}: the general way. */
    private static List<StoredRecord> opened(Sealed sealed) {
        BatchCursor cursor = new BatchCursor(sealed.log);
        BatchRecords records =
                new BatchRecords(
                        sealed.log, new ShownBatches(sealed.log, IsolationLevel.READ_COMMITTED));
        RecordFlyweight record = records.record();
        List<StoredRecord> found = new ArrayList<>();
        View view = cursor.pin();
        cursor.find(view.buffer());
        while (cursor.offset() < sealed.log.nextOffset()) {
            records.open(cursor, view);
            while (records.hasNext()) {
                int next = records.show();
                assertTrue(next > 0);
                found.add(record.copy());
                records.moveTo(next);
            }
            records.close(cursor);
        }
        cursor.unpin(view);
        return found;
    }

    @Test
    void shouldWaitForAForceBelowATransactionWhoseEndIsLost() throws IOException {
        RandomRecords records = new RandomRecords(1);
        SegmentedLog log = Sealed.of(List.of(plain(records.random(), records))).log;
        long end = log.nextOffset();
        PartitionTransactions transactions = (PartitionTransactions) log.readerLimit();
        transactions.hold(end + 10, 7);
        transactions.endIsLost(end + 10, "its marker is missing", log.readers());
        RecordReader reader = new RecordReader(log, IsolationLevel.READ_COMMITTED);
        reader.seek(end);
        assertEquals(0, reader.poll(record -> Action.CONTINUE, 1)); // others may be forced
        log.publishNext(end + 20, 0);
        log.publishDurable(end + 20);
        reader.seek(end + 10);
        assertThrows(LostMarkerException.class, () -> reader.poll(record -> Action.CONTINUE, 1));
    }

    @SeededTest
    void shouldHandOutTheSameRecordsByTheShortCutAsByTheGeneralWay(long seed) throws IOException {
        RandomRecords records = new RandomRecords(seed);
        Random random = records.random();
        Sealed sealed = sealed(random, records);
        List<StoredRecord> expected = opened(sealed);
        RecordReader reader = new RecordReader(sealed.log, IsolationLevel.READ_COMMITTED);
        for (int round = 0; round < 3; round++) { // the first one verifies
            reader.seek(0);
            List<StoredRecord> found = new ArrayList<>();
            while (reader.offset() < sealed.log.nextOffset()) {
                int limit = 1 + random.nextInt(20);
                int before = found.size();
                int taken =
                        reader.poll(
                                record -> {
                                    assertEquals(reader.offset(), record.offset());
                                    if (random.nextInt(10) == 0) {
                                        return Action.RETRY;
                                    }
                                    found.add(record.copy());
                                    return random.nextInt(10) == 0 ? Action.STOP : Action.CONTINUE;
                                },
                                limit);
                assertEquals(found.size() - before, taken);
                assertTrue(taken <= limit);
                if (random.nextInt(5) == 0) {
                    reader.seek(reader.offset());
                }
            }
            assertSame(expected, found);
        }
    }

    @SeededTest
    void shouldReportTheSameDamageByTheShortCutAsByTheGeneralWay(long seed) throws IOException {
        RandomRecords records = new RandomRecords(seed);
        Random random = records.random();
        for (int i = 0; i < 50; i++) {
            Sealed sealed = sealed(random, records);
            int at = random.nextInt(sealed.segment.written());
            sealed.memory.put(at, (byte) (sealed.memory.get(at) ^ (1 << random.nextInt(8))));
            String expected = damage(() -> opened(sealed));
            RecordReader reader = new RecordReader(sealed.log, IsolationLevel.READ_COMMITTED);
            String found = damage(() -> reader.poll(r -> Action.CONTINUE, Integer.MAX_VALUE));
            assertEquals(expected, found);
        }
    }

    private static String damage(Runnable reading) {
        try {
            reading.run();
            return "none"; // an epoch
        } catch (DamagedRangeException e) {
            return e.getMessage();
        }
    }

    @Test
    void shouldHandOutARecordAgainWhoseHandlerFailed() throws IOException {
        Random random = new Random(1);
        RandomRecords records = new RandomRecords(1);
        Sealed sealed = Sealed.of(List.of(plain(random, records), plain(random, records)));
        RecordReader reader = new RecordReader(sealed.log, IsolationLevel.READ_COMMITTED);
        int[] calls = {0};
        assertThrows(
                IllegalStateException.class,
                () ->
                        reader.poll(
                                record -> {
                                    if (calls[0]++ == 1) {
                                        throw new IllegalStateException();
                                    }
                                    return Action.CONTINUE;
                                },
                                10));
        assertEquals(1, reader.offset());
        assertThrows(NullPointerException.class, () -> reader.poll(record -> null, 10));
        assertEquals(1, reader.offset());
        assertEquals(1, reader.poll(record -> Action.STOP, 10));
        assertTrue(reader.stopped());
        assertEquals(0, reader.poll(record -> Action.CONTINUE, 10));
    }

    /** As in a read-only store, after another writer has opened the store. */
    @Test
    void shouldGoOnInTheObjectThatAFollowerHasPutInPlaceOfASegment() throws IOException {
        MemoryTier tier = InMemory.tier();
        SegmentedLog log = InMemory.log(tier);
        log.connect(
                nobody(LogEvents.ForceWaiters.class),
                nobody(LogEvents.AppendAlarm.class),
                nobody(LogEvents.class));
        Block block = InMemory.block(tier, 1);
        int first = InMemory.put(block.memory(), 0, 0, 1, 10);
        int second = InMemory.put(block.memory(), first, 10, 1, 10);
        Block next = InMemory.block(tier, 2);
        int third = InMemory.put(next.memory(), 0, 20, 2, 10);
        LogSegment before = new LogSegment(block, 0);
        before.raiseEnd(second, 20);
        log.publishFound(new LogSegment[] {before}, 0, 20, 20);
        RecordReader reader = new RecordReader(log, IsolationLevel.READ_COMMITTED);
        assertEquals(10, reader.poll(record -> Action.CONTINUE, 10));

        LogSegment again = new LogSegment(block, 0);
        again.raiseEnd(second, 20);
        again.roll(20);
        LogSegment after = new LogSegment(next, 20);
        after.raiseEnd(third, 30);
        log.publishFound(new LogSegment[] {again, after}, 0, 30, 30);
        assertEquals(20, reader.poll(record -> Action.CONTINUE, 100));
        assertEquals(30, reader.offset());
    }

    private static <T> T nobody(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(), new Class<?>[] {type}, (self, method, all) -> null));
    }

    @Test
    void shouldRefuseAnOffsetOutOfRange() throws IOException {
        Sealed sealed = Sealed.of(List.of());
        RecordReader reader = new RecordReader(sealed.log, IsolationLevel.READ_COMMITTED);
        assertEquals(0, reader.poll(record -> Action.CONTINUE, 1));
        reader.seek(1);
        assertThrows(
                OffsetOutOfRangeException.class, () -> reader.poll(record -> Action.CONTINUE, 1));
    }
}
