package io.firn.kill;

import io.firn.LogStore;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.kill.Oracle.Violation;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * What readers in other processes have seen of each lane, and whether the log has it. Thread-safe.
 */
final class Sightings {
    private static final int UNSEEN = 0;

    private final int[][] sums = new int[Feed.LANES][1024];
    private final long[] ends = new long[Feed.LANES];
    private long count;
    private long compared;

    /** Notes a record; returns how it contradicts what was seen before, or null. */
    synchronized String see(String reader, int lane, long offset, int sum) {
        int at = Math.toIntExact(offset);
        if (at >= sums[lane].length) {
            sums[lane] = Arrays.copyOf(sums[lane], Math.max(at + 1, 2 * sums[lane].length));
        }
        int seen = sum == UNSEEN ? 1 : sum;
        int before = sums[lane][at];
        sums[lane][at] = seen;
        ends[lane] = Math.max(ends[lane], offset + 1);
        count++;
        return before == UNSEEN || before == seen
                ? null
                : reader
                        + " saw another record at "
                        + place(lane, offset)
                        + " than was seen before";
    }

    private static String place(int lane, long offset) {
        return Feed.topicOf(lane) + "-" + Feed.partitionOf(lane) + " offset " + offset;
    }

    synchronized long count() {
        return count;
    }

    /** Records of readers that were found in the log. */
    synchronized long compared() {
        return compared;
    }

    /** Compares what was seen with a log that was opened after a kill. */
    void check(LogStore store) throws Violation {
        for (int lane = 0; lane < Feed.LANES; lane++) {
            Partition log =
                    Feed.create(store, Feed.topicOf(lane)).partition(Feed.partitionOf(lane));
            long end = log.nextOffset();
            synchronized (this) {
                if (ends[lane] > end) {
                    throw new Violation(
                            "a reader saw "
                                    + place(lane, ends[lane] - 1)
                                    + ", the log that was opened again ends at "
                                    + end);
                }
            }
            compare(lane, log, end);
        }
    }

    private void compare(int lane, Partition log, long end) throws Violation {
        CRC32C crc = new CRC32C();
        String[] flaw = {null};
        try (Tailer tailer = log.openTailer()) {
            while (tailer.offset() < end && flaw[0] == null) {
                try {
                    tailer.poll(
                            record -> {
                                flaw[0] = find(lane, record.offset(), Feed.sumOf(record, crc));
                                return flaw[0] == null ? Action.CONTINUE : Action.STOP;
                            },
                            1_000);
                } catch (OffsetOutOfRangeException e) {
                    tailer.seek(e.logStartOffset()); // retention goes on
                }
            }
        }
        if (flaw[0] != null) {
            throw new Violation(flaw[0]);
        }
    }

    private synchronized String find(int lane, long offset, int sum) {
        int at = Math.toIntExact(offset);
        int seen = at < sums[lane].length ? sums[lane][at] : UNSEEN;
        if (seen == UNSEEN) {
            return null;
        }
        compared++;
        return seen == (sum == UNSEEN ? 1 : sum)
                ? null
                : "a reader saw another record at " + place(lane, offset) + " than the log has";
    }
}
