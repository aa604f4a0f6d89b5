package io.firn.producer;

import io.firn.Finding.Kind;
import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import io.firn.format.BatchVerifier;
import io.firn.log.BatchInfo;
import io.firn.log.LogSegment;
import io.firn.log.SegmentIndexes;
import io.firn.log.SegmentWalk;
import io.firn.log.TopicContext;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.recovery.PartitionRecovery.BatchReplay;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Brings the state of a partition's producers from their checkpoint to the end of the log. */
public final class ProducerReplay implements BatchReplay {
    private static final long NONE = -1;

    private final TopicContext topic;
    private final int partition;
    private final ProducerFiles files;
    private final StoreProducers ofStore;
    private final BatchInfo info = new BatchInfo();

    private Producers producers = new Producers();
    private long checkpointOffset = NONE;

    /** The offset up to which the batches are in the checkpoint, if that was taken over. */
    private long from;

    /**
     * Creates a replay.
     *
     * @param files the checkpoints of the topic's partitions
     */
    public ProducerReplay(
            TopicContext topic, int partition, ProducerFiles files, StoreProducers ofStore) {
        this.topic = topic;
        this.partition = partition;
        this.files = files;
        this.ofStore = ofStore;
    }

    /** Returns what it has found. */
    public Producers producers() {
        return producers;
    }

    /** Returns what the producers of all partitions of the store share. */
    public StoreProducers ofStore() {
        return ofStore;
    }

    /** Returns the checkpoints of the topic's partitions. */
    public ProducerFiles files() {
        return files;
    }

    /** Returns the offset of the checkpoint that there was; −1 for none. */
    public long checkpointOffset() {
        return checkpointOffset;
    }

    /** Without the checkpoint, or a file that it relies on, all batches are read. */
    @Override
    public long restore(long logStart) throws IOException {
        Fields checkpoint = files.read(partition);
        if (checkpoint == null) {
            return NONE;
        }
        checkpointOffset = ProducerSnapshots.offsetOf(checkpoint);
        try {
            long filed = PartitionTransactions.filedTo(checkpoint);
            List<Fields> aborted = files.aborted().read(partition, logStart, filed);
            if (aborted != null) {
                Producers restored = new Producers();
                from = restored.restore(checkpoint, aborted);
                producers = restored;
            }
        } catch (DamagedFileException e) {
            topic.store()
                    .findings()
                    .begin(keyOfCheckpoint(), e.getMessage() + "; the log is read instead");
        }
        return checkpointOffset;
    }

    private FindingKey keyOfCheckpoint() {
        Subject subject = Subject.partition(topic.id(), topic.name(), partition);
        return FindingKey.of(Kind.FILE_DAMAGED, subject, "producers");
    }

    @Override
    public void replay(List<LogSegment> segments) throws IOException {
        ReplicatedBatches replicated =
                topic.isReplicated() ? new ReplicatedBatches(producers) : null;
        for (LogSegment segment : segments) {
            if (segment.offsetOf(segment.end()) <= from) {
                continue;
            }
            View view = segment.pin();
            try {
                replay(segment, view.buffer(), replicated);
            } finally {
                view.unpin();
            }
        }
    }

    private void replay(LogSegment segment, ByteBuffer memory, ReplicatedBatches replicated) {
        SegmentWalk walk =
                SegmentIndexes.walkTo(
                        segment,
                        SegmentIndexes.of(segment),
                        memory,
                        new BatchVerifier(),
                        Math.max(from, segment.baseOffset()));
        while (walk.next()) {
            if (walk.isDamage() || walk.fromOffset() < from) {
                continue;
            }
            if (replicated != null) {
                replicated.note(memory, walk.position());
                continue;
            }
            info.read(memory, walk.position());
            if (info.producerId() >= 0) {
                long now = topic.store().clock().time();
                producers.recordStored(info, memory, walk.position(), now);
            }
        }
    }
}
