package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.DamagedRangeException;
import io.firn.PartitionReader;
import io.firn.PartitionReader.DamagedRange;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.log.DamagedOffsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All that can be read of a partition, and what was named as lost on the way.
 *
 * @param records values by offset
 * @param lost ranges, in order
 */
record Found(TreeMap<Long, byte[]> records, List<DamagedRange> lost) {

    /** Reads from the log start to the end, around whatever is damaged. */
    static Found in(PartitionReader partition) {
        Found found = new Found(new TreeMap<>(), new ArrayList<>());
        try (Tailer tailer = partition.openTailer()) {
            long[] last = {partition.logStartOffset() - 1};
            while (tailer.offset() < partition.visibleOffset()) {
                long before = tailer.offset();
                try {
                    tailer.poll(
                            record -> {
                                assertTrue(record.offset() > last[0], "ascending offsets");
                                last[0] = record.offset();
                                found.records.put(record.offset(), record.copy().value());
                                return Action.CONTINUE;
                            },
                            1_000);
                    assertTrue(tailer.offset() > before, () -> "no way on from " + before);
                } catch (DamagedRangeException e) {
                    assertEquals(tailer.offset(), e.fromOffset(), e.getMessage());
                    assertTrue(e.toOffset() > e.fromOffset(), e.getMessage());
                    found.lost.add(
                            new DamagedOffsets(e.fromOffset(), e.toOffset(), e.getMessage()));
                    tailer.seek(e.toOffset());
                }
            }
        }
        return found;
    }

    /** Every record is right or, when it is not there, named as lost. */
    void assertRightOrNamed(Map<Long, byte[]> expected) {
        records.forEach(
                (offset, value) -> {
                    assertTrue(expected.containsKey(offset), () -> "invented offset " + offset);
                    assertArrayEquals(expected.get(offset), value, () -> "offset " + offset);
                });
        for (long offset : expected.keySet()) {
            assertTrue(
                    records.containsKey(offset) || isNamed(offset),
                    () -> "offset " + offset + " is gone, named are " + lost);
        }
    }

    /** What can be read is not named as lost. */
    void assertReadable(long from, long to) {
        for (long offset = from; offset < to; offset++) {
            long at = offset;
            assertTrue(records.containsKey(at), () -> "offset " + at + " is gone, named " + lost);
        }
    }

    private boolean isNamed(long offset) {
        return lost.stream().anyMatch(r -> r.fromOffset() <= offset && offset < r.toOffset());
    }
}
