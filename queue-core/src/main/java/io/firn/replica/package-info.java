/**
 * Topics that replicate another log: the batches are those of that log, and the end can be
 * truncated. Main classes: {@link io.firn.replica.PartitionReplicaAppender} and {@link
 * io.firn.replica.TruncationDuty}, which has the order of a truncation. Knows the log, how it is
 * appended to and its upkeep; readers learn of truncations through {@link
 * io.firn.log.TruncationCounter}.
 *
 * <p>A topic that is created with {@code withReplicated(true)} is a copy of a topic of another log,
 * its <i>source</i>: the same batches, byte for byte, with the source's offsets and leader epochs.
 * Each of its partitions has one writer, a {@code ReplicaAppender}. Appends, transactions and
 * compaction are refused ({@code ReplicatedTopicException}; the server answers {@code
 * POLICY_VIOLATION}).
 *
 * <pre>
 * ReplicaAppender.append(batches)
 *   PartitionReplicaAppender   takes the turn, as other appenders do
 *   ReplicaWriter              checks each batch, covers missing offsets, ends segments
 *     ReplicatedBatch            header, length and CRC; of a control batch also its record, which recovery reads
 *     ReplicatedBatches          notes leader epochs and transactions; holds up readers before a transaction's first batch
 *   PartitionWriter            stores and publishes the batch, as every other, with the epoch that it has
 * </pre>
 *
 * <ul>
 *   <li><b>Epochs.</b> In other topics the epoch of a batch is the writer's term on its segment,
 *       and recovery tells new batches from stale ones by it. In a replica the field is the
 *       source's, and our term is in the mark only. What the epoch did is done by <i>clean
 *       ground</i> (O27): nothing but zeros lies where batches will be written. Above the mark a
 *       batch counts if it has the next offset, a plausible length, a valid CRC, and an epoch that
 *       is not lower than the one before it. No torn header passes for another: a word of eight
 *       bytes that has a part of the epoch has all of the length, or the magic, and both are wrong
 *       when they are zero.
 *   <li><b>Segments.</b> A replica's segment counts from its first mark on, which is written before
 *       its first batch. A block that is only reserved never counts, since a copy that was being
 *       made may be in it. The next segment begins when the one before is sealed, so that at most
 *       one is unsealed; {@code append} returns 0 meanwhile.
 *   <li><b>Gaps.</b> Offsets that the source has removed are covered by fillers with the epoch of
 *       the batch before. A partition without segments has none to cover: it begins at the source's
 *       first offset, durably ({@code SegmentedLog.beginAt}).
 *   <li><b>Lost ends of transactions.</b> Where the source has deleted a range ({@code fillTo}),
 *       the markers of open transactions may have been in it. They are aborted by markers of our
 *       own at offsets of that range, which the source has no batches for any more; otherwise
 *       readers of committed records would wait for ever. So what was copied of such a transaction
 *       before the gap is not shown, even if it was committed.
 *   <li><b>Leader epochs.</b> {@code LeaderEpochs} has the first offset of each. It is derived:
 *       kept in the producer checkpoint, and brought up to date from the headers after it.
 *   <li><b>Transactions</b> are the source's. {@code Producers} knows of a replica which are open
 *       and which were aborted, from batches and markers alone, and nothing else: no sequences, no
 *       producers without a transaction, no limit. {@code StoreTransactions} shows neither the
 *       coordinator nor its recovery any replicated partition, so that nothing here ends a
 *       transaction there, and the ids of producers never meet those of this store.
 *   <li><b>Truncation</b> ({@code TruncationDuty}, O28). A replica is cut where its source was cut.
 *       It runs as a duty, in turn with all others but the one that reserves blocks, so that none
 *       of them works on a segment meanwhile. The segment with the cut stays sealed and is not
 *       written to again: the next batch begins another one. So nothing that was cut off can come
 *       back after a new batch, and no byte is changed that a reader may be reading.
 *   <li><b>Cursors that a tailer advances</b> stop at the cut as well: {@code HandledRecords} asks
 *       the tailer before and after each advance what was truncated since ({@code
 *       Tailer.truncatedTo}), because the truncation has moved the cursor back already.
 *   <li><b>Readers above the cut</b> get a {@code TruncatedException} until they seek. A reader
 *       remembers how many truncations it has seen ({@code Truncations}), and looks again after
 *       each pin and each batch. The truncation does not wait for readers: one that has pinned a
 *       segment before keeps its view of the old bytes, which are never overwritten, and finds out
 *       with its next batch.
 *   <li><b>Older versions</b> refuse a store with a replicated topic: {@code STORE/store} has the
 *       feature {@code replicas}, durable before the topic's file. A store without such a topic is
 *       the same, byte for byte.
 *   <li><b>Readers in other processes</b> learn of it too. Each partition that was truncated has a
 *       file {@code truncated-P} ({@code TruncationHistory}): how many truncations there were,
 *       whether the last one is over, and the lowest offset that was cut to since each of them. The
 *       order (O29) is: it says that a truncation to an offset begins → anything of the truncation
 *       → it says that it is over → the next append. A read-only store reads the file before and
 *       after it lists the blocks of such a log ({@code FollowedTruncations}). If the number is
 *       another one, it lowers its own ends and notifies its readers, as in the writer's process.
 *       Only if both are equal, and no truncation is in progress, does it show what it listed; so
 *       nothing is shown that was found half before and half after. The published offsets need no
 *       place for this: a truncation begins a sequence of its own in the slot, so that no reader
 *       goes on without a look (O23). A log without the file was never truncated, unless {@code
 *       was-truncated-P} is there, which is written after it ({@code TruncationFiles}). Where the
 *       file is damaged or lost, nothing is known: readers find that all may be gone. The next open
 *       takes that for a truncation to 0 that was interrupted, with a random number, which no
 *       reader has seen.
 *   <li><b>The bytes after a cut</b> stay in their file until the next open, since a reader in
 *       another process may have mapped them.
 *   <li><b>Readers that come back</b> find their cursors at the cut. Applications that keep offsets
 *       elsewhere keep {@code Partition.truncations} beside them, and ask {@code truncatedSince}.
 *   <li><b>Lost markers.</b> A transaction whose marker the source has compacted away before it was
 *       replicated stays open. The shadow detects that ({@code LostMarkers}) and calls {@code
 *       ReplicaAppender.endIsLost}; from then on readers of committed records that have come to it
 *       get a {@code LostMarkerException}. This is kept in memory only: a shadow that is started
 *       again finds out again, and a read-only store in another process does not find out.
 * </ul>
 */
package io.firn.replica;
