/**
 * The cluster that is followed. All uses of Kafka's classes are here.
 *
 * <pre>
 * FollowLoop (thread firn-shadow)
 *   SourceClient        one request per broker at a time, two while the broker has records for both; on Kafka's
 *                       NetworkClient and Metadata
 *   PartitionRequests   Fetch, OffsetForLeaderEpoch, ListOffsets; answers go to their partition as bytes
 *   FollowedTopic       the topic here, its note (SourceNote), its partitions; new partitions, another id
 *   PartitionFollower   what to ask next: its Javadoc has the diagram
 *   PartitionCopy       whole batches (WholeBatches) → ReplicaAppender.append, unchanged
 * </pre>
 *
 * <p>Fetch responses are not parsed into records: the buffer that was received is cut after its
 * last whole batch and given to the {@code ReplicaAppender}, which checks each batch, fills holes
 * and keeps the epochs. How far a partition is copied is its next offset, so a killed process loses
 * and doubles nothing. What the log cannot say is in the note of a topic, {@code STORE/shadow/ID}:
 * the ids of the cluster and of the topic there. The order is: the topic here → its note → the
 * first batch; so a topic without a note is empty, and batches of two topics of one name are never
 * mixed. A topic that was created again is deleted here before it is created again here.
 *
 * <p>A leader whose epoch is new is asked where the epoch of the last batch here ends
 * (OffsetForLeaderEpoch), and each fetch has that epoch, so that the leader compares it under the
 * lock by which it reads. If the source does not know the epoch but its older one goes on beyond
 * the copy's end, the batches there are either others (diverged) or were compacted before that
 * leader copied them: a fetch at the end of the older epoch tells ({@code Need.PROBE}).
 *
 * <p>Kafka's cleaner removes a marker when no record of its transaction is left and {@code
 * delete.retention.ms} have passed. Then it is not known how the transaction ended: it is in no
 * index, and the coordinator knows the present one only. An own marker would need an offset, and
 * the place where the marker was is covered by then. So {@code LostMarkers} only finds out, by the
 * last stable offset and a later high watermark, that a transaction is open here and not there, and
 * what is done is the choice for divergence: to copy again what the source has from there on shows
 * what the source shows. Before a deleted range ({@code fillTo}) there are offsets: open
 * transactions are aborted there, because to show records of an aborted transaction is worse than
 * to hide those of a committed one, which the source does not show either.
 */
package io.firn.shadow.source;
