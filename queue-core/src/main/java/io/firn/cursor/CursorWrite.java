package io.firn.cursor;

import io.firn.FirnException;
import java.util.Map;

/**
 * A write of a cursor's offsets that has begun.
 *
 * @param offsets what the file will say, by partition; none is above the durable offset (O7)
 * @param values the same, and the positions that are lost
 * @param outside by partition, an offset outside the log that was committed beside the position
 * @param changes how often the cursor had changed
 * @param decisions by partition, the last decision of a transaction that moved the cursor
 * @param failure why some offset is not the cursor's; null when all are
 */
record CursorWrite(
        long[] offsets,
        Map<Integer, Long> values,
        Map<Integer, Long> outside,
        long changes,
        Map<Integer, Long> decisions,
        FirnException failure) {}
