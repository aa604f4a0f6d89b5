package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Compression;
import io.firn.StoredRecord;
import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.kafka.CompactedFiles;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SeededTest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A segment with damaged batches, walked over: each whole batch is found, each damaged one is
 * named, and nothing else is. Records contain whole batches that could be the segment's own.
 */
class SegmentWalkTest {
    private static final long BASE = 1_000;
    private static final int EPOCH = 5;

    private final ByteBuffer memory = ByteBuffer.allocate(1 << 20);
    private final List<Integer> positions = new ArrayList<>();
    private final List<Long> offsets = new ArrayList<>();
    private final BitSet damaged = new BitSet();
    private final BatchVerifier verifier = new BatchVerifier();
    private int end;
    private long next = BASE;
    private int epoch = EPOCH;

    /** What happens to a batch. */
    enum Damage {
        LENGTH,
        SHORT_LENGTH,
        MAGIC,
        BASE_OFFSET,
        NEAR_BASE_OFFSET,
        LAST_OFFSET,
        NEAR_LAST_OFFSET,
        CRC,
        RECORDS,
        HEADER;

        private void hit(ByteBuffer memory, int at, int size, Random random) {
            switch (this) {
                case LENGTH -> memory.putInt(at + 8, memory.getInt(at + 8) ^ nonZero(random));
                case SHORT_LENGTH -> memory.putInt(at + 8, 5);
                case MAGIC -> memory.put(at + 16, (byte) (3 + random.nextInt(100)));
                case BASE_OFFSET -> memory.putLong(at, random.nextLong());
                case NEAR_BASE_OFFSET ->
                        memory.putLong(at, memory.getLong(at) + 1 + random.nextInt(9));
                case LAST_OFFSET ->
                        memory.putInt(at + 23, memory.getInt(at + 23) ^ nonZero(random));
                case NEAR_LAST_OFFSET ->
                        memory.putInt(at + 23, memory.getInt(at + 23) + 1 + random.nextInt(9));
                case CRC -> memory.putInt(at + 17, memory.getInt(at + 17) ^ nonZero(random));
                case RECORDS -> {
                    int hit = at + 61 + random.nextInt(size - 61);
                    memory.put(hit, (byte) (memory.get(hit) ^ (1 + random.nextInt(255))));
                }
                case HEADER -> memory.put(at, new byte[61]);
            }
        }

        private static int nonZero(Random random) {
            return random.nextInt(Integer.MAX_VALUE - 1) + 1;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameBothOfTwoDamagedBatchesAndNothingBetween(Damage damage) {
        for (int i = 0; i < 300; i++) {
            append(Compression.NONE, plain(1, 100));
        }
        hit(50, damage, new Random(1));
        hit(250, damage, new Random(2));

        check();
    }

    /** The values of the damaged batch are batches with the offsets that could come next. */
    @ParameterizedTest
    @EnumSource
    void shouldNotTakeABatchInAValueForOneOfTheSegment(Damage damage) {
        for (Compression codec : Compression.values()) {
            for (int records : new int[] {1, 2, 7}) {
                for (int inner : new int[] {0, 1, 2, 5}) {
                    clear();
                    for (int i = 0; i < 20; i++) {
                        append(codec, withBatches(records, next + inner, 1));
                    }
                    hit(4, damage, new Random(3));
                    hit(9, damage, new Random(4));
                    hit(10, damage, new Random(5));

                    check();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0,1", "0,10", "18,19", "10,19", "0,20", "5,15"})
    void shouldNameDamagedBatchesThatFollowOneAnother(int from, int to) {
        for (Damage damage : Damage.values()) {
            clear();
            for (int i = 0; i < 20; i++) {
                append(Compression.NONE, plain(3, 200));
            }
            for (int i = from; i < to; i++) {
                hit(i, damage, new Random(i));
            }

            check();
        }
    }

    /** Nothing is left to show where the damaged one ends, and the next damage is like it. */
    @Test
    void shouldBelieveARunBetweenTwoPlacesThatAreOverwritten() {
        for (int i = 0; i < 30; i++) {
            append(Compression.GZIP, plain(20, 300));
        }
        overwrite(3);
        overwrite(11);
        overwrite(20);
        overwrite(29);

        check();
    }

    @Test
    void shouldNotBelieveARunWithAnEpochThatTheSegmentDoesNotHave() {
        for (int i = 0; i < 10; i++) {
            epoch = 77;
            List<StoredRecord> records = withBatches(10, next + 2, 3); // in front of the middle one
            epoch = EPOCH;
            append(Compression.NONE, records);
        }
        overwrite(4);
        overwrite(9);

        check();
    }

    @Test
    void shouldGoOnInALaterTermOfTheWriter() {
        for (int i = 0; i < 30; i++) {
            epoch = EPOCH + i / 10;
            append(Compression.NONE, plain(2, 100));
        }
        overwrite(9);
        overwrite(15);
        overwrite(29);

        check();
    }

    @SeededTest
    void shouldFindEachWholeBatchAndNameEachDamagedOne(long seed) {
        findAndName(seed, false);
    }

    @SeededTest
    void shouldFindEachWholeBatchAndNameEachDamagedOneAfterCompaction(long seed) {
        findAndName(seed, true);
    }

    private void findAndName(long seed, boolean isCompacted) {
        Random random = new Random(seed);
        RandomRecords records = new RandomRecords(seed);
        Compression[] codecs = Compression.values();
        Damage[] kinds = Damage.values();
        for (int round = 0; round < 300; round++) {
            clear();
            int batches = 1 + random.nextInt(40);
            boolean nested = random.nextBoolean();
            for (int i = 0; i < batches; i++) {
                int count = 1 + random.nextInt(6);
                Compression codec =
                        random.nextBoolean() ? Compression.NONE : codecs[random.nextInt(5)];
                if (nested && random.nextInt(3) > 0) {
                    append(codec, withBatches(count, next + random.nextInt(9), 1));
                } else {
                    append(codec, records.next(0, 0, count, 300));
                }
                epoch += random.nextInt(20) == 0 ? 1 : 0;
            }
            if (isCompacted) {
                compact(random);
                batches = positions.size();
            }
            int hits = random.nextInt(4) == 0 ? 10 : 1 + random.nextInt(3);
            StringBuilder what = new StringBuilder();
            int index = random.nextInt(batches);
            boolean anyNear = false;
            boolean anyFar = false;
            for (int i = 0; i < hits; i++) {
                Damage kind = kinds[random.nextInt(kinds.length)];
                // A whole batch with an offset that is possible is believed when nothing around it
                // is left to say otherwise.
                boolean isNear = kind == Damage.NEAR_BASE_OFFSET;
                boolean isFar = kind == Damage.HEADER || kind == Damage.BASE_OFFSET;
                kind = (isNear && anyFar) || (isFar && anyNear) ? Damage.LENGTH : kind;
                // So is one in a value when the length in front of it is hit as well.
                kind = nested && hits > 1 && kind == Damage.RECORDS ? Damage.CRC : kind;
                anyNear |= isNear;
                anyFar |= isFar;
                index = random.nextBoolean() ? random.nextInt(batches) : (index + 1) % batches;
                boolean isEmpty = sizeOf(index) == BatchFormat.HEADER_LENGTH;
                kind = isEmpty && kind == Damage.RECORDS ? Damage.CRC : kind;
                // A batch that has lost records says once how many offsets it has, not twice: the
                // ones around it have to say the rest.
                boolean isBeside = damaged.get(Math.max(0, index - 1)) || damaged.get(index + 1);
                if (!damaged.get(index) && !(isCompacted && isBeside)) {
                    what.append(index).append(' ').append(kind).append(", ");
                    hit(index, kind, random);
                }
            }

            check(what + "of " + batches + ", seed " + seed + ", round " + round);
        }
    }

    // ---- the segment

    private void clear() {
        positions.clear();
        offsets.clear();
        damaged.clear();
        end = 0;
        next = BASE;
        epoch = EPOCH;
    }

    private void append(Compression codec, List<StoredRecord> records) {
        ByteBuffer batch = encode(codec, records, next);
        positions.add(end);
        offsets.add(next);
        int size = batch.remaining();
        memory.put(end, batch, batch.position(), size);
        end += size;
        next += records.size();
    }

    /** Takes out runs of records: fillers come to be, and batches with fewer records. */
    private void compact(Random random) {
        long seed = random.nextLong();
        ByteBuffer all = ByteBuffer.allocate(end).put(0, memory, 0, end);
        ByteBuffer left =
                CompactedFiles.rewrite(
                        all, 0, each -> (seed ^ each.offset() / 3) * 0x9E37_79B9_7F4A_7C15L < 0);
        end = left.remaining();
        memory.put(0, left, 0, end);
        positions.clear();
        offsets.clear();
        for (int at = 0; at < end; at += BatchFormat.size(memory, at)) {
            positions.add(at);
            offsets.add(memory.getLong(at));
        }
    }

    private ByteBuffer encode(Compression codec, List<StoredRecord> records, long base) {
        ByteBuffer batch = KafkaBatches.of(codec).encode(records);
        return batch.putLong(0, base).putInt(BatchFormat.EPOCH, epoch);
    }

    private static List<StoredRecord> plain(int count, int length) {
        return new RandomRecords(count).next(0, 0, count, length);
    }

    /** Records with batches as values, from an offset on. */
    private List<StoredRecord> withBatches(int count, long from, int each) {
        List<StoredRecord> records = new ArrayList<>();
        long base = from;
        for (int i = 0; i < count; i++) {
            List<StoredRecord> inside = plain(each, 100);
            ByteBuffer batch = encode(Compression.NONE, inside, base);
            byte[] value = new byte[batch.remaining()];
            batch.get(value);
            records.add(new StoredRecord(0, 0, 1, null, value, List.of()));
            base += each;
        }
        return records;
    }

    private int sizeOf(int index) {
        int to = index + 1 == positions.size() ? end : positions.get(index + 1);
        return to - positions.get(index);
    }

    private void hit(int index, Damage damage, Random random) {
        damage.hit(memory, positions.get(index), sizeOf(index), random);
        damaged.set(index);
    }

    /** The first half of a batch, in which no number is left. */
    private void overwrite(int index) {
        byte[] garbage = new byte[sizeOf(index) / 2];
        new Random(index).nextBytes(garbage);
        memory.put(positions.get(index), garbage);
        damaged.set(index);
    }

    private void check() {
        check("");
    }

    private void check(String what) {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < positions.size(); i++) {
            if (!damaged.get(i)) {
                expected.add("batch " + offsets.get(i));
            } else {
                int to = damaged.nextClearBit(i);
                long toOffset = to == positions.size() ? next : offsets.get(to);
                expected.add("damage " + offsets.get(i) + " to " + toOffset);
                i = to - 1;
            }
        }
        List<String> found = new ArrayList<>();
        SegmentWalk walk =
                new SegmentWalk(new SegmentWalk.Bytes(memory, end, next, epoch), 0, BASE);
        long lostFrom = -1;
        long lostTo = -1;
        while (walk.next()) {
            if (!walk.isDamage()
                    && verifier.check(memory, walk.position(), end, walk.fromOffset()) < 0) {
                walk.reject(verifier.reason());
            }
            if (walk.isDamage()) {
                lostFrom = lostFrom < 0 ? walk.fromOffset() : lostFrom;
                lostTo = walk.toOffset();
                continue;
            }
            if (lostFrom >= 0) {
                found.add("damage " + lostFrom + " to " + lostTo);
                lostFrom = -1;
            }
            found.add("batch " + walk.fromOffset());
        }
        if (lostFrom >= 0) {
            found.add("damage " + lostFrom + " to " + lostTo);
        }
        assertEquals(expected, found, what);
    }
}
