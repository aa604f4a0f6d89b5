package io.firn;

import java.util.List;

/** What a compaction of a partition has done. Immutable; equal when all of it is. */
public interface CompactionResult {

    /**
     * Returns the offset below which the latest record of each key is known now. It is less than
     * {@link #endOffset} when there were more keys than the memory for them has room for, which is
     * {@link LogStoreBuilder#compactionMemory} or less if little is to be compacted, and when the
     * compaction was cancelled; the next one continues there.
     */
    long compactedTo();

    /** Returns the offset up to which there was something that may be compacted. */
    long endOffset();

    /** Returns the number of different keys in the part that was not compacted before. */
    long keys();

    /** Returns the number of segments that were looked at. */
    int segmentsBefore();

    /** Returns the number of segments that are left of these. */
    int segmentsAfter();

    /** Returns the bytes of the batches in the segments that were looked at. */
    long bytesBefore();

    /** Returns the bytes of the batches in the segments that are left of these. */
    long bytesAfter();

    /** Returns the number of records that were removed. */
    long removedRecords();

    /**
     * Returns the number of records without a key that were met in segments that were rewritten.
     * They stay.
     */
    long keylessRecords();

    /**
     * Returns the segments that stay as they are although they were to be compacted, each with the
     * reason: because they are being moved, are damaged, their medium failed, or there is no room.
     * Their superseded records stay, and so do the tombstones after them. Some of them are tried
     * again only after 15 seconds or more: those whose medium failed, and those that were skipped
     * while there were more keys than memory.
     */
    List<String> skipped();

    /**
     * Returns the segments that have tombstones which stay although nothing is left that they
     * delete, each with their number: the time from which they may be removed takes some bytes, and
     * the segment, with all of its records, fills a block of its tier. When some of them are
     * superseded there is room.
     */
    List<String> full();
}
