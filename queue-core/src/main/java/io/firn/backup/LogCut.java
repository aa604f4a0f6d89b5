package io.firn.backup;

import io.firn.format.BatchFormat;
import io.firn.medium.MediumFile;
import io.firn.spi.Mark;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where a partition ends that is restored up to a limit: before the first batch that has an offset
 * or a timestamp beyond it.
 *
 * @param offset no record has this offset or a higher one
 * @param timeMs no record has a later timestamp
 */
record LogCut(long offset, long timeMs) {
    static final LogCut NONE = new LogCut(Long.MAX_VALUE, Long.MAX_VALUE);

    private static final int BUFFER = 1 << 16;

    /** Returns whether nothing of a partition that ends at an offset is cut off. */
    boolean isNone(long end) {
        return offset >= end && timeMs == Long.MAX_VALUE;
    }

    /**
     * Returns the mark of what stays of a segment: the same one if all of it does.
     *
     * <p>Where the headers do not lead to the end of the segment, the rest is damaged, and stays
     * with the segment: what is in it is not known.
     */
    Mark of(MediumFile file, Mark mark) throws IOException {
        if (offset >= mark.offset() && timeMs == Long.MAX_VALUE) {
            return mark;
        }
        if (offset <= mark.baseOffset()) {
            return SavedSegment.cut(mark, 0, mark.baseOffset());
        }
        byte[] bytes = new byte[BUFFER];
        ByteBuffer header = ByteBuffer.wrap(bytes);
        long from = 0;
        int held = 0;
        long next = mark.baseOffset();
        int at = 0;
        while (at + BatchFormat.HEADER_LENGTH <= mark.position()) {
            if (at < from || at + BatchFormat.HEADER_LENGTH > from + held) {
                from = at;
                held = Math.max(0, file.read(from, bytes, 0, bytes.length));
            }
            int in = (int) (at - from);
            if (held - in < BatchFormat.HEADER_LENGTH) {
                break;
            }
            int size = BatchFormat.size(header, in);
            long end = BatchFormat.nextOffset(header, in);
            boolean isBatch =
                    header.getLong(in + BatchFormat.BASE_OFFSET) == next
                            && size >= BatchFormat.HEADER_LENGTH
                            && size <= mark.position() - at
                            && end > next;
            if (!isBatch) {
                break;
            }
            if (end > offset || header.getLong(in + BatchFormat.MAX_TIMESTAMP) > timeMs) {
                return SavedSegment.cut(mark, at, next);
            }
            at += size;
            next = end;
        }
        return mark;
    }
}
