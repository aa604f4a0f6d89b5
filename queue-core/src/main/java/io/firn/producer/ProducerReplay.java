package io.firn.producer;

import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.format.MarkerBatch;
import io.firn.log.BatchInfo;
import io.firn.log.LogSegment;
import io.firn.log.SegmentIndexes;
import io.firn.log.SegmentWalk;
import io.firn.log.TopicContext;
import io.firn.medium.DamagedFileException;
import io.firn.medium.Fields;
import io.firn.recovery.BatchReplay;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/** Brings the state of a partition's producers from their checkpoint to the end of the log. */
public final class ProducerReplay implements BatchReplay {
    private static final long NONE = -1;

    private final TopicContext topic;
    private final int partition;
    private final ProducerFiles files;
    private final StoreProducers ofStore;
    private final BatchInfo info = new BatchInfo();

    /** Creates what notes the batches of another log; null if the batches are the log's own. */
    private final Function<Producers, Foreign> ofForeign;

    private Producers producers = new Producers();
    private long checkpointOffset = NONE;

    /** The offset up to which the batches are in the checkpoint, if that was taken over. */
    private long from;

    private Foreign foreign;

    /** Notes the batches of another log, whose producers are not this store's. */
    public interface Foreign {
        /** Notes a batch. */
        void note(ByteBuffer bytes, int at);
    }

    /**
     * Creates a replay.
     *
     * @param files the checkpoints of the topic's partitions
     * @param ofForeign creates what notes the batches if they are another log's; null if they are
     *     not
     */
    public ProducerReplay(
            TopicContext topic,
            int partition,
            ProducerFiles files,
            StoreProducers ofStore,
            Function<Producers, Foreign> ofForeign) {
        this.topic = topic;
        this.partition = partition;
        this.files = files;
        this.ofStore = ofStore;
        this.ofForeign = ofForeign;
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
            topic.store().findings().add(e.getMessage() + "; the log is read instead");
        }
        return checkpointOffset;
    }

    @Override
    public void replay(List<LogSegment> segments) throws IOException {
        foreign = ofForeign == null ? null : ofForeign.apply(producers);
        for (LogSegment segment : segments) {
            if (segment.offsetOf(segment.end()) <= from) {
                continue;
            }
            View view = segment.pin();
            try {
                replay(segment, view.buffer());
            } finally {
                view.unpin();
            }
        }
    }

    private void replay(LogSegment segment, ByteBuffer memory) {
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
            if (foreign != null) {
                foreign.note(memory, walk.position());
                continue;
            }
            info.read(memory, walk.position());
            if (info.producerId() >= 0) {
                record(memory, walk.position());
            }
        }
    }

    private void record(ByteBuffer memory, int at) {
        long offset = memory.getLong(at + BatchFormat.BASE_OFFSET);
        long now = topic.store().clock().time();
        if (!info.isControl()) {
            producers.record(info, offset, now);
        } else if (MarkerBatch.isAt(memory, at)) {
            boolean isCommit = MarkerBatch.isCommit(memory, at);
            int decision = MarkerBatch.decision(memory, at);
            long first = producers.recordMarker(info, isCommit, decision, offset, now);
            producers.transactions().release(first);
        }
    }
}
