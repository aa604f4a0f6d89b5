package io.firn.replica;

import io.firn.InvalidOptionException;
import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.log.LogSegment;
import io.firn.log.SegmentIndexes;
import io.firn.log.SegmentWalk;
import io.firn.log.SegmentedLog;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where a log is cut.
 *
 * @param offset the offset that the log ends at afterwards: the first one of the batch that
 *     contains the wanted offset
 * @param segment the segment that keeps a part of its batches; null if the cut is between two
 * @param position the position of the cut in that segment
 * @param hasTransactions whether some of what goes belongs to transactions
 */
public record TruncationPoint(
        long offset, LogSegment segment, int position, boolean hasTransactions) {

    /** Returns the place before the batch that contains an offset. All segments are sealed. */
    public static TruncationPoint find(SegmentedLog log, long offset) throws IOException {
        long cut = offset;
        LogSegment kept = null;
        int position = 0;
        boolean hasTransactions = false;
        for (LogSegment segment : log.segments()) {
            if (segment.endOffset() <= offset || segment.written() == 0) {
                continue;
            }
            View view = segment.pin();
            try {
                ByteBuffer memory = view.buffer();
                SegmentWalk walk =
                        SegmentIndexes.walkTo(
                                segment,
                                SegmentIndexes.of(segment),
                                memory,
                                new BatchVerifier(),
                                Math.max(offset, segment.baseOffset()));
                while (walk.next()) {
                    if (walk.toOffset() <= offset) {
                        continue;
                    }
                    if (walk.fromOffset() <= offset) {
                        cut = walk.fromOffset();
                        position = walk.position();
                        kept = position > 0 ? segment : null;
                    }
                    hasTransactions |= walk.isDamage() || isOfTransaction(memory, walk.position());
                }
            } finally {
                view.unpin();
            }
        }
        if (cut < log.logStartOffset()) {
            throw new InvalidOptionException(
                    log
                            + ": the batch with offset "
                            + offset
                            + " begins at "
                            + cut
                            + ", below the log start "
                            + log.logStartOffset()
                            + ": delete the topic, and replicate it anew");
        }
        return new TruncationPoint(cut, kept, position, hasTransactions);
    }

    private static boolean isOfTransaction(ByteBuffer memory, int at) {
        int attributes = memory.getShort(at + BatchFormat.ATTRIBUTES);
        return (attributes & BatchFormat.TRANSACTIONAL_FLAG) != 0;
    }
}
