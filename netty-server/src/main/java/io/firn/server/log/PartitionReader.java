package io.firn.server.log;

import io.firn.format.BatchFormat;
import io.firn.format.FillerBatch;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads what is sent of one partition. What is sent neither begins with fillers, the empty batches
 * that compaction leaves, nor consists of them: some clients ask for twice as much after each
 * response without records, and some fail. Only where nothing else follows up to the visible end,
 * the last filler is sent, so that the client's position comes to the end. Fillers behind a record
 * are sent with it.
 *
 * <p>Remembers which fillers it has passed, so that long runs of them are passed in steps, and
 * once. For one thread at a time.
 */
final class PartitionReader {
    /** The most bytes of fillers that one step reads in one segment: about 1,000. */
    private static final int FILLERS_AT_ONCE = 64 << 10;

    private static final int MAX_RUNS = 16;

    private final BatchReader reader;

    // Between these two offsets there are only fillers.
    private long fillersFrom = -1;
    private long fillersTo = -1;

    PartitionReader(BatchReader reader) {
        this.reader = reader;
    }

    /** How many more steps over fillers a read may take, for all of its partitions. */
    static final class Steps {
        private int left;
        private boolean usedUp;

        Steps(int most) {
            left = most;
        }

        private boolean take() {
            usedUp |= left == 0;
            return left-- > 0;
        }

        /** Returns whether the read has to go on with another one. */
        boolean areUsedUp() {
            return usedUp;
        }
    }

    /**
     * Reads batches.
     *
     * @param from the first offset that is wanted
     * @param room the most bytes
     * @param atLeastOne whether to return the first batch even if it is larger
     * @return pinned batches, which the caller closes
     */
    List<BatchRun> read(long from, int room, boolean atLeastOne, Steps steps) {
        List<BatchRun> runs = new ArrayList<>(2);
        try {
            BatchRun run = first(from, room, atLeastOne, steps);
            int left = room;
            while (run != null) {
                runs.add(run);
                left -= run.bytes().remaining();
                // Behind the last filler a record may just have become visible.
                boolean goesOn = left > 0 && runs.size() < MAX_RUNS && !isFiller(runs);
                run = goesOn ? reader.read(run.nextOffset(), left, false) : null;
            }
        } catch (RuntimeException e) {
            if (runs.isEmpty()) {
                throw e;
            }
            // What was read before the failure is good; the next fetch reports the failure.
        }
        return runs;
    }

    /**
     * Returns whether a read would need nothing but what is in memory, so that an event loop can do
     * it.
     */
    boolean isInMemory(long from, int room) {
        boolean isFiller = fillersFrom <= from && from < fillersTo;
        return !isFiller && reader.isInMemory(from, room);
    }

    /** Returns whether what was read for an offset is nothing but a filler. */
    static boolean isFiller(List<BatchRun> runs) {
        return runs.size() == 1
                && runs.get(0).bytes().remaining() == FillerBatch.LENGTH
                && beginsWithFiller(runs.get(0));
    }

    private static boolean beginsWithFiller(BatchRun run) {
        ByteBuffer bytes = run.bytes();
        return FillerBatch.isAt(bytes, bytes.position());
    }

    private BatchRun first(long from, int room, boolean atLeastOne, Steps steps) {
        boolean isKnown = fillersFrom <= from && from < fillersTo;
        if (!isKnown) {
            BatchRun run = reader.read(from, room, atLeastOne);
            if (run == null || !beginsWithFiller(run)) {
                return run;
            }
            fillersFrom = from;
            pass(run);
        }
        while (steps.take()) {
            BatchRun next = reader.read(fillersTo, FILLERS_AT_ONCE, true);
            if (next == null) {
                BatchRun last = reader.read(fillersTo - 1, room, atLeastOne);
                if (last == null || last.nextOffset() == fillersTo) {
                    return last;
                }
                last.close(); // more is visible now
            } else if (!beginsWithFiller(next)) {
                next.close();
                return reader.read(fillersTo, room, atLeastOne);
            } else {
                pass(next);
            }
        }
        return null;
    }

    /** Notes the fillers that a run begins with, and closes it. */
    private void pass(BatchRun run) {
        try {
            ByteBuffer bytes = run.bytes();
            int at = bytes.position();
            while (at < bytes.limit() && FillerBatch.isAt(bytes, at)) {
                fillersTo = BatchFormat.nextOffset(bytes, at);
                at += FillerBatch.LENGTH;
            }
        } finally {
            run.close();
        }
    }
}
