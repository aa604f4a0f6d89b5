/**
 * Finds batches and records, and hands them out. Main classes: {@link io.firn.read.BatchCursor},
 * {@link io.firn.read.LogTailer}.
 *
 * <pre>
 * Tailer.poll(handler, limit)
 *   LogTailer           takes turns between the partitions it reads, and visits those that have news (Unread)
 *     RecordReader        offset &lt; visible end?  pin the segment's view → hand out records → unpin
 *     BatchCursor         finds and verifies the batch at an offset; its Javadoc has the diagram of its states
 *     SingleRecords       a short cut: uncompressed batches of one record, as embedded appends write them
 *     BatchRecords        shows the records where they lie, or decompressed or copied
 *     TrustedBytes        which batches need no CRC check: verified through the same view, or appended here
 *                         (VerifiedRange); and whose headers a BatchReader need not look at again
 *     BatchVerifier       copies through a small array, CRC; a fault in the mapping becomes an exception, not a crash
 *     RecordFlyweight     views that point into the log
 *     PlainShape          a record that begins with the same bytes as the one before is not parsed again
 *     BatchWalk           steps from batch to batch by their headers; SegmentWalk continues after damaged ranges
 *     Resync              decides where a segment continues after corruption
 *     SegmentIndexes      the sparse index: the writer's, the sidecar's, or rebuilt
 * </pre>
 *
 * <p>A tailer over several partitions has a byte for each, which the thread that publishes a new
 * visible end sets ({@code UnreadPartitions}, {@code TopicTailers}), so that a poll costs nothing
 * for partitions without news. Without such a tailer, an append pays a few reads; with one, two
 * stores.
 *
 * <p>A {@code CursorTailer} ({@code io.firn.cursor}) wraps a tailer: {@code HandledRecords}
 * remembers per partition what was handled since the cursor was advanced last. {@code TailerLoop}
 * uses the same class for its cursor. {@code BackwardIterator} reads forwards in growing pieces,
 * each of which costs one search in the sparse index.
 *
 * <p>A tailer pins a segment only inside {@code poll}. A batch is verified once for each mapping of
 * its segment, and again after that was mapped again. Corruption is reported as a {@code
 * DamagedRangeException} with the range of offsets; the reader continues after a seek past the
 * range.
 *
 * <p>What is decompressed is in a {@code ReadBuffer}, and all of them share the store's {@code
 * ReadMemory} ({@code readMemory}). A reader holds its buffer during a poll. Between two polls
 * other readers may take its memory, that of the buffer used least recently first; the batch is
 * then decompressed again. Buffers of up to a sixteenth of it, at most 4 MiB, grow step by step and
 * are kept; of a larger batch the bytes are counted first, and given back after its last record. A
 * reader that waits for memory holds none; one that reads in a handler of another one does not
 * wait. A tailer over several partitions reads a large batch to its end before the next.
 */
package io.firn.read;
