/**
 * Compaction: of each key only the latest record stays. Main classes: {@link
 * io.firn.compact.PartitionCompaction}, which decides when, {@link io.firn.compact.Compaction}, and
 * {@link io.firn.compact.ReplacedSegments}, by which recovery finds out what a crash has left of
 * one. Knows the log, its upkeep, moves and recovery.
 *
 * <p>In a topic that is compacted, of each key only the latest record has to stay. {@code
 * Compaction} makes one compaction of a partition, on the thread that asks for it: a user's ({@code
 * LogStore.compact}), or {@code firn-compact}, which {@code PartitionCompaction} calls when the
 * options of the topic say so and which goes at a pace of {@code Compactor}.
 *
 * <pre>
 * DirtyRange      which sealed segments may be compacted, and from which offset on keys are unknown
 *   OffsetMap       first pass: the latest offset of each key from there on; bounded, so a run may end in mid-log
 * Compaction      second pass: neighbours that fit one segment are rewritten together, oldest first
 *   SegmentRewrite  the steps of O14, for one group
 *     SourceSegment   each batch, verified
 *     BatchFilter     what becomes of a batch; RetentionRule decides record by record
 *       BatchRewriter   takes records out of a batch (io.firn.format)
 *     RewriteTarget   the new segment: batches, a filler for each run of removed ones, the index
 * </pre>
 *
 * <ul>
 *   <li>Memory is limited by {@code compactionMemory}, whatever is in the batches ({@code
 *       Compactor} has the parts). A batch is decompressed piece by piece, once to decide ({@code
 *       RecordScan}) and once to write what is kept; its header comes first, so one of which more
 *       than 512 KiB are left is compressed twice. A segment with a batch that cannot be
 *       decompressed in 8 MiB stays as it is.
 *   <li>A compaction that ends with an error, as {@code OutOfMemoryError}, is not tried again by
 *       itself: the partition is a finding until an application calls {@code LogStore.compact} or
 *       opens the store again. Nothing of that is written down.
 *   <li>A batch that loses nothing is copied byte for byte. One that loses records keeps its
 *       offsets, producer and codec. A run of removed batches becomes one <i>filler</i>, an empty
 *       batch with their offsets ({@code FillerBatch}), so that each batch still begins at the
 *       offset where the one before ends: walks, recovery and verification need not know of
 *       compaction.
 *   <li>The mark of a segment says in which <i>generation</i> it is (0: as it was appended) and up
 *       to which offset all keys were known when it was compacted last ({@code compactedTo}). The
 *       dirty part begins at the least of these, so a segment that was skipped is made up for by
 *       the next run, and nothing else has to be remembered.
 *   <li>A tombstone is removed when its horizon has passed, which its batch gets when it is
 *       rewritten and {@code compactedTo} of every segment below is above it. So no older record of
 *       its key can be left that would come back, and a reader that has read one shortly before it
 *       was removed has the tombstone's retention time to find the tombstone.
 *   <li>A segment with damage, or with a batch that cannot be decompressed, stays as it is and is
 *       named in the result; the others are compacted around it. So is one for whose copy there is
 *       no room, or whose medium fails, until it is tried again. {@code SkippedSegments} remembers
 *       these. Where keys could not be read, the marks of the segments below say only that they
 *       were compacted up to there: when the keys can be read again, or after the next open, that
 *       is made up for.
 *   <li>While there are more keys than memory, a segment that is skipped is left out for 15
 *       seconds, then twice as long each time, up to 16 minutes: the dirty part would begin there
 *       each time, and the compaction would get no further.
 *   <li>A rewritten segment may be larger than {@code segmentBytes}, if its tier allows that: a
 *       horizon takes some bytes in each record, and a client may have compressed better than Firn
 *       does.
 *   <li>Readers continue in the old bytes until they unpin them. Then they find that the block is
 *       gone, and look for their offset again: positions have changed, so the new segment is
 *       another {@code LogSegment}, unlike after a move.
 * </ul>
 */
package io.firn.compact;
