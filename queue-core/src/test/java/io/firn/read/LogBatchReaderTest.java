package io.firn.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.kafka.SeededTest;
import io.firn.log.InMemory;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whole batches as they lie in the log. */
class LogBatchReaderTest {
    private static final int HEADER = 61;

    private LogStore store;
    private Partition partition;

    @BeforeEach
    void open() {
        store = InMemory.store().open();
        partition = store.createTopic("t", InMemory.small()).partition(0);
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Appends records in batches of ten. */
    private static void fill(Appender appender, int records, int length) {
        Batch batch = appender.newBatch();
        for (int i = 0; i < records; i += 10) {
            batch.clear();
            for (int k = 0; k < 10; k++) {
                byte[] value = new byte[length];
                Arrays.fill(value, (byte) (i + k));
                batch.add(value);
            }
            appender.append(batch);
        }
    }

    /** Three batches of ten records; returns the size of one. */
    private int threeBatches() {
        try (Appender appender = partition.openAppender()) {
            fill(appender, 30, 100);
        }
        try (BatchRun one = HostedPartition.of(partition).openBatchReader().read(0, 1, true)) {
            assertEquals(10, one.nextOffset());
            return one.bytes().remaining();
        }
    }

    @Test
    void shouldTakeAsManyWholeBatchesAsFit() {
        int size = threeBatches();
        BatchReader reader = HostedPartition.of(partition).openBatchReader();
        try (BatchRun two = reader.read(0, 2 * size + size / 2, false)) {
            assertEquals(0, two.baseOffset());
            assertEquals(20, two.nextOffset());
            assertEquals(2 * size, two.bytes().remaining());
        }
        try (BatchRun last = reader.read(20, Integer.MAX_VALUE, false)) {
            assertEquals(30, last.nextOffset());
        }
        assertNull(reader.read(30, Integer.MAX_VALUE, true));
    }

    @Test
    void shouldBeginWithTheBatchThatHoldsTheOffset() {
        int size = threeBatches();
        try (BatchRun run = HostedPartition.of(partition).openBatchReader().read(15, size, false)) {
            assertEquals(10, run.baseOffset());
            ByteBuffer bytes = run.bytes();
            assertEquals(10, bytes.getLong(bytes.position()));
            assertEquals(2, bytes.get(bytes.position() + 16));
        }
    }

    @Test
    void shouldTakeABatchAboveTheLimitOnlyWhenAskedTo() {
        int size = threeBatches();
        BatchReader reader = HostedPartition.of(partition).openBatchReader();
        assertNull(reader.read(0, size - 1, false));
        try (BatchRun run = reader.read(0, 0, true)) {
            assertEquals(10, run.nextOffset());
        }
    }

    @Test
    void shouldSayWhatIsOutOfRange() {
        threeBatches();
        partition.deleteRecordsBefore(10);
        BatchReader reader = HostedPartition.of(partition).openBatchReader();
        assertThrows(OffsetOutOfRangeException.class, () -> reader.read(9, 1, true));
        assertThrows(OffsetOutOfRangeException.class, () -> reader.read(31, 1, true));
    }

    @Test
    void shouldReadThroughAllSegmentsAndHoldTheirBytesUntilClosed() {
        try (Appender appender = partition.openAppender()) {
            fill(appender, 2_000, 200);
        }
        BatchReader reader = HostedPartition.of(partition).openBatchReader();
        BatchRun first = reader.read(0, Integer.MAX_VALUE, false);
        byte[] before = bytesOf(first);
        long offset = first.nextOffset();
        int runs = 1;
        while (offset < 2_000) {
            try (BatchRun run = reader.read(offset, Integer.MAX_VALUE, false)) {
                assertEquals(offset, run.baseOffset());
                offset = run.nextOffset();
                runs++;
            }
        }
        assertTrue(runs > 3, runs + " runs");
        partition.deleteRecordsBefore(2_000);
        while (partition.metrics().segments() > 1) {
            assertTrue(store.doWork() > 0, "segments stay");
        }
        assertArrayEquals(before, bytesOf(first));
        first.close();
        first.close();
    }

    /** Headers of what this process has appended are not looked at, except for a few. */
    @SeededTest
    void shouldReadWholeBatchesUpToTheLimitOrTheSegmentsEndWhileMoreAreAppended(long seed) {
        Random random = new Random(seed);
        BatchReader one = HostedPartition.of(partition).openBatchReader();
        BatchReader reader = HostedPartition.of(partition).openBatchReader();
        List<byte[]> batches = new ArrayList<>();
        TreeMap<Long, Integer> numbers = new TreeMap<>();
        Set<Integer> segments = new HashSet<>();
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < 500; i++) {
                long base = partition.nextOffset();
                Batch batch = appender.newBatch();
                for (int records = random.nextInt(3); records >= 0; records--) {
                    batch.add(new byte[random.nextInt(1_000)]);
                }
                appender.append(batch);
                try (BatchRun run = one.read(base, 0, true)) {
                    batches.add(bytesOf(run));
                }
                numbers.put(base, i);
                segments.add(numbers.get(HostedPartition.of(partition).activeOffset()));

                long offset = random.nextLong(partition.nextOffset());
                int most = 1_100 + random.nextInt(1 << (11 + random.nextInt(6)));
                int first = numbers.floorEntry(offset).getValue();
                ByteArrayOutputStream expected = new ByteArrayOutputStream();
                int next = first;
                do {
                    expected.writeBytes(batches.get(next++));
                } while (next <= i
                        && !segments.contains(next)
                        && expected.size() + batches.get(next).length <= most);
                try (BatchRun run = reader.read(offset, most, true)) {
                    assertArrayEquals(expected.toByteArray(), bytesOf(run));
                    assertEquals(numbers.floorKey(offset), run.baseOffset());
                    assertEquals(next, numbers.headMap(run.nextOffset()).size());
                }
            }
        }
        assertTrue(segments.size() > 3, segments.size() + " segments");
    }

    private static byte[] bytesOf(BatchRun run) {
        byte[] bytes = new byte[run.bytes().remaining()];
        run.bytes().duplicate().get(bytes);
        assertTrue(bytes.length > HEADER);
        return bytes;
    }

    @Test
    void shouldTellWhoListensThatThereIsMore() {
        AtomicInteger told = new AtomicInteger();
        io.firn.host.VisibleListener listener = told::incrementAndGet;
        HostedPartition.of(partition).addVisibleListener(listener);
        threeBatches();
        int before = told.get();
        assertTrue(before >= 1);
        HostedPartition.of(partition).removeVisibleListener(listener);
        try (Appender appender = partition.openAppender()) {
            appender.append(new byte[1]);
        }
        assertEquals(before, told.get());
    }

    @Test
    void shouldFindRecordsByTimestampAndTheLatestOfAll() {
        assertNull(partition.findTimestamp(0));
        assertNull(partition.findLatestTimestamp());
        try (Appender appender = partition.openAppender()) {
            appender.append(appender.newBatch().add(new byte[] {1}, new byte[] {2}));
            TimestampedOffset only = partition.findLatestTimestamp();
            assertEquals(0, only.offset());
            assertEquals(only, partition.findTimestamp(only.timestampMs()));
            assertNull(partition.findTimestamp(only.timestampMs() + 1));
        }
    }

    @Test
    void shouldSayWhereTheSegmentBeginsThatIsWrittenTo() {
        assertEquals(0, HostedPartition.of(partition).activeOffset());
        try (Appender appender = partition.openAppender()) {
            fill(appender, 2_000, 200);
        }
        assertTrue(HostedPartition.of(partition).activeOffset() > 1_000);
        assertTrue(HostedPartition.of(partition).activeOffset() < 2_000);
    }
}
