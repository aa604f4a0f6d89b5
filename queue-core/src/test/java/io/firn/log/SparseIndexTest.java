package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.kafka.SeededTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.storage.internals.log.OffsetIndex;
import org.apache.kafka.storage.internals.log.OffsetPosition;
import org.apache.kafka.storage.internals.log.TimeIndex;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparseIndexTest {
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final long BASE_OFFSET = 7_000_000_000L;

    private record Batch(int position, int size, int lastOffset, long maxTimestamp) {}

    @SeededTest
    void shouldLeadToTheBatchBeforeEveryOffset(long seed) {
        List<Batch> batches = batches(new Random(seed));
        SparseIndex index = index(batches, SEGMENT_BYTES);

        assertLeads(index, batches);
        assertLeads(copy(index), batches);
    }

    @SeededTest
    void shouldSkipOnlyBatchesThatAreOlder(long seed) {
        List<Batch> batches = batches(new Random(seed));
        SparseIndex index = index(batches, SEGMENT_BYTES);
        index.complete();

        assertSkipsOlder(index, batches);
        assertSkipsOlder(copy(index), batches);
        long latest = batches.stream().mapToLong(Batch::maxTimestamp).max().orElseThrow();
        assertEquals(latest, index.maxTimestamp());
        assertEquals(latest, copy(index).maxTimestamp());
    }

    @Test
    void shouldHaveRoomForAllEntriesOfASegmentOfBatchesThatEachGetOne() {
        int size = SparseIndex.INTERVAL_BYTES + 1;
        int count = SEGMENT_BYTES / size;
        List<Batch> batches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            batches.add(new Batch(i * size, size, i, i));
        }
        SparseIndex index = index(batches, SEGMENT_BYTES);
        index.complete();

        assertEquals(count - 1, index.offsetBytes().length / 8, "none for the first");
        assertEquals(count - 1, index.timeBytes().length / 12);
        assertLeads(index, batches);
        assertSkipsOlder(index, batches);
    }

    @SeededTest
    void shouldKeepTheFirstEntriesAndTheLargestTimestampWhenDamagedBatchesNeedMoreRoom(long seed) {
        List<Batch> batches = batches(new Random(seed));
        SparseIndex whole = index(batches, SEGMENT_BYTES);
        SparseIndex index = index(batches, SEGMENT_BYTES / 8);
        whole.complete();
        index.complete();

        int entries = index.offsetBytes().length / 8;
        assertEquals(SEGMENT_BYTES / 8 / SparseIndex.INTERVAL_BYTES + 1, entries);
        assertArrayEquals(
                Arrays.copyOf(whole.offsetBytes(), index.offsetBytes().length),
                index.offsetBytes());
        assertEquals(whole.maxTimestamp(), copy(index).maxTimestamp());
        assertSkipsOlder(index, batches);
    }

    @Test
    void shouldHaveAnEntryForAboutEveryFourKibibytes() {
        List<Batch> batches = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            batches.add(new Batch(i * 1_000, 1_000, i, i));
        }
        int entries = index(batches, SEGMENT_BYTES).offsetBytes().length / 8;

        assertEquals(199, entries, "one for every five batches, none for the first");
    }

    @SeededTest
    void shouldBeReadByKafka(long seed, @TempDir Path directory) throws IOException {
        List<Batch> batches = batches(new Random(seed));
        SparseIndex index = index(batches, SEGMENT_BYTES);
        index.complete();
        String name = String.format("%020d", BASE_OFFSET);
        Path offsets = Files.write(directory.resolve(name + ".index"), index.offsetBytes());
        Path times = Files.write(directory.resolve(name + ".timeindex"), index.timeBytes());

        try (OffsetIndex kafka = new OffsetIndex(offsets.toFile(), BASE_OFFSET, -1, false)) {
            kafka.sanityCheck();
            assertEquals(index.offsetBytes().length / 8, kafka.entries());
            for (Batch batch : batches) {
                OffsetPosition found = kafka.lookup(BASE_OFFSET + batch.lastOffset);
                int entry = index.entryBefore(batch.lastOffset);
                assertEquals(entry < 0 ? 0 : index.position(entry), found.position());
            }
        }
        try (TimeIndex kafka = new TimeIndex(times.toFile(), BASE_OFFSET, -1, false)) {
            kafka.sanityCheck();
            for (Batch batch : batches) {
                long found = kafka.lookup(batch.maxTimestamp - 1).offset();
                int before = offsetBefore(index, batch.maxTimestamp);
                assertEquals(BASE_OFFSET + Math.max(before, 0), found);
            }
        }
    }

    @Test
    void shouldLeaveTimeOutWhereThereIsNone() {
        SparseIndex index = index(List.of(new Batch(0, 5_000, 0, -1)), SEGMENT_BYTES);
        index.complete();

        assertEquals(-1, index.maxTimestamp());
        assertEquals(0, index.timeBytes().length);
        assertEquals(-1, offsetBefore(index, 0));
        assertEquals(-1, index.entryBefore(0));
        assertNotNull(SparseIndex.ofBytes(new byte[0], new byte[0], SEGMENT_BYTES));
    }

    @Test
    void shouldRefuseBytesThatAreNoIndex() {
        byte[] offsets = ints(3, 100, 9, 200);
        byte[] times = times(1_000, 3, 2_000, 9);
        assertNotNull(SparseIndex.ofBytes(offsets, times, 300));

        assertNull(SparseIndex.ofBytes(null, times, 300));
        assertNull(SparseIndex.ofBytes(offsets, null, 300));
        assertNull(SparseIndex.ofBytes(new byte[9], times, 300), "cut");
        assertNull(SparseIndex.ofBytes(offsets, new byte[13], 300), "cut");
        assertNull(SparseIndex.ofBytes(offsets, times, 200), "after the end");
        assertNull(SparseIndex.ofBytes(ints(3, -1, 9, 200), times, 300), "before the start");
        assertNull(SparseIndex.ofBytes(ints(3, 100, 3, 200), times, 300), "an offset twice");
        assertNull(SparseIndex.ofBytes(ints(3, 100, 2, 200), times, 300), "offsets fall");
        assertNull(SparseIndex.ofBytes(ints(3, 100, 9, 100), times, 300), "a position twice");
        assertNull(SparseIndex.ofBytes(ints(3, 100, 9, 99), times, 300), "positions fall");
        assertNull(SparseIndex.ofBytes(offsets, times(1_000, 3, 1_000, 9), 300), "a time twice");
        assertNull(SparseIndex.ofBytes(offsets, times(1_000, 3, 999, 9), 300), "times fall");
        assertNull(SparseIndex.ofBytes(offsets, times(1_000, 3, 2_000, 3), 300), "a batch twice");
    }

    private static int offsetBefore(SparseIndex index, long timestamp) {
        int entry = index.timeBefore(timestamp);
        return entry < 0 ? -1 : index.timeOffset(entry);
    }

    private static void assertLeads(SparseIndex index, List<Batch> batches) {
        int last = batches.get(batches.size() - 1).lastOffset;
        for (int offset = 0; offset <= last; offset++) {
            int entry = index.entryBefore(offset);
            if (entry < 0) {
                continue;
            }
            int position = index.position(entry);
            Batch named =
                    batches.stream().filter(b -> b.position == position).findFirst().orElseThrow();
            assertEquals(named.lastOffset, index.lastOffset(entry));
            assertTrue(named.lastOffset <= offset);
            // No more than an interval and two batches between it and what is looked for.
            int target = offset;
            Batch wanted =
                    batches.stream().filter(b -> b.lastOffset >= target).findFirst().orElseThrow();
            assertTrue(wanted.position - position <= SparseIndex.INTERVAL_BYTES + 2 * 6_000);
        }
    }

    private static void assertSkipsOlder(SparseIndex index, List<Batch> batches) {
        for (Batch wanted : batches) {
            int before = offsetBefore(index, wanted.maxTimestamp);
            for (Batch batch : batches) {
                assertTrue(
                        batch.lastOffset > before || batch.maxTimestamp < wanted.maxTimestamp,
                        wanted + " is looked for after " + before + ", " + batch + " is missed");
            }
        }
    }

    private static List<Batch> batches(Random random) {
        List<Batch> batches = new ArrayList<>();
        int position = 0;
        int next = 0;
        long time = 1_000_000;
        while (position < SEGMENT_BYTES / 2) {
            int size = 70 + random.nextInt(6_000);
            next += 1 + random.nextInt(5);
            time += random.nextInt(20);
            // Some are late.
            long late = random.nextInt(5) == 0 ? random.nextInt(500) : 0;
            batches.add(new Batch(position, size, next - 1, time - late));
            position += size;
        }
        return batches;
    }

    private static SparseIndex index(List<Batch> batches, int segmentBytes) {
        SparseIndex index = new SparseIndex(segmentBytes);
        for (Batch batch : batches) {
            index.onBatch(batch.position, batch.size, batch.lastOffset, batch.maxTimestamp);
        }
        return index;
    }

    private static SparseIndex copy(SparseIndex index) {
        SparseIndex copy =
                SparseIndex.ofBytes(index.offsetBytes(), index.timeBytes(), SEGMENT_BYTES);
        assertNotNull(copy);
        return copy;
    }

    private static byte[] ints(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length);
        for (int value : values) {
            bytes.putInt(value);
        }
        return bytes.array();
    }

    private static byte[] times(long... timesAndOffsets) {
        ByteBuffer bytes = ByteBuffer.allocate(6 * timesAndOffsets.length);
        for (int i = 0; i < timesAndOffsets.length; i += 2) {
            bytes.putLong(timesAndOffsets[i]).putInt((int) timesAndOffsets[i + 1]);
        }
        return bytes.array();
    }
}
