/**
 * Appenders, and the one writer of a partition, which stores their batches in turn. Main class:
 * {@link io.firn.append.PartitionWriter}.
 *
 * <pre>
 * Appender.append(value)
 *   PartitionAppender   takes the turn (AppendTurn): a shared appender waits for it, an exclusive one is refused if
 *                       another thread has it
 *   PartitionWriter     roll if the batch does not fit → store the batch → 12 zero bytes after it → publish nextOffset
 *     RecordEncoder       header and key in a small array, CRC over it and the user's bytes, one copy into the log
 *     HeadedCrc           the part of the CRC that the header adds is computed once for records of one length and time
 *     SparseIndex         one entry for about every 4 KiB
 *   PartitionForcer     the first thread at the gate forces for all that wait (SegmentForcer); publishes durableOffset
 * </pre>
 *
 * <ul>
 *   <li>A segment contains Kafka record batches (magic 2) and nothing else; {@code BatchFormat}
 *       describes their layout. An embedded append writes a batch. {@code appendBatch} stores a
 *       batch made elsewhere unchanged, except for its base offset and epoch.
 *   <li>In a file, a batch that was encoded here is stored into the mapping where space is prepared
 *       ({@code PreparedSpace}), and written by a call elsewhere ({@code CalledWrites}, {@code
 *       Block.write}). Space is prepared for small batches only, unless the topic asks for it: a
 *       batch from 4 KiB on costs less by a call than by zeros written ahead. Such a batch of
 *       {@code appendBatch} is always written by a call. Both are one page cache, so readers and
 *       forces see no difference. A write that fails poisons the partition, unless there is no
 *       space; nothing of it was published. Writes end at multiples of 64 KiB, and while forces
 *       cover 512 KiB or more, the rest of the 64 KiB that a batch begins is written as zeros
 *       before it: Linux then keeps the file in large folios.
 *   <li>Log memory is a mapped {@code ByteBuffer}, accessed through public API only. The append
 *       path never reads it: the CRC is computed from the source.
 *   <li>One number is published per event, each with one release store: {@code nextOffset}
 *       (written) and {@code durableOffset} (forced). The end of a segment is a pair (position,
 *       offset) packed into one long, so that no thread sees one without the other. Each of these
 *       is alone in its cache line ({@code PublishedLong}), because a reader that spins on one
 *       takes the line away from the appender. So the appender has copies of its own, and a reader
 *       in the same process asks the segment that is appended to for nothing that changes: what it
 *       needs is at the visible offset.
 *   <li>The append path allocates nothing, takes no lock (exclusive) or one short turn (shared),
 *       and never waits for a disk: its calls write to the page cache, and the next block was
 *       reserved earlier. If it was not, {@code tryAppend} returns {@code BACK_PRESSURED}, {@code
 *       tryClaim} returns null, and {@code append} waits after it has given up the turn. When no
 *       tier has room, all of them throw {@code StoreFullException} until something is freed.
 *   <li>A claim ({@code claim}, or {@code tryClaim}, which does not wait) is written into a buffer
 *       of its own, which {@code commit} copies into the log. A buffer that the application keeps
 *       can therefore never change the log.
 * </ul>
 */
package io.firn.append;
