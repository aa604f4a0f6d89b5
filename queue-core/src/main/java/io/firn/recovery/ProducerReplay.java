package io.firn.recovery;

import io.firn.batch.BatchFormat;
import io.firn.batch.BatchVerifier;
import io.firn.batch.MarkerBatch;
import io.firn.log.BatchInfo;
import io.firn.log.LogSegment;
import io.firn.log.Producers;
import io.firn.log.ReplicatedBatches;
import io.firn.log.SegmentIndexes;
import io.firn.log.SegmentWalk;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.EpochClock;

/** Brings the state of a partition's producers from their checkpoint to the end of the log. */
final class ProducerReplay {
    private final Producers producers;
    private final EpochClock clock;
    private final BatchInfo info = new BatchInfo();

    /** Null if the batches are the log's own. */
    private final ReplicatedBatches replicated;

    /**
     * Creates a replay.
     *
     * @param isReplica whether the batches, and their producers, are another log's
     */
    ProducerReplay(Producers producers, EpochClock clock, boolean isReplica) {
        this.producers = producers;
        this.clock = clock;
        this.replicated = isReplica ? new ReplicatedBatches(producers) : null;
    }

    /**
     * Reads the headers of all batches after the checkpoint, including those below the log start.
     *
     * @param checkpoint null when there is none
     * @param aborted the aborted transactions that the checkpoint relies on; null when some of them
     *     are lost, so that all batches are read
     */
    void replay(
            Map<String, String> checkpoint, Map<String, String> aborted, List<LogSegment> segments)
            throws IOException {
        boolean isUsable = checkpoint != null && aborted != null;
        long from = isUsable ? producers.restore(checkpoint, aborted) : 0;
        for (LogSegment segment : segments) {
            if (segment.offsetOf(segment.end()) <= from) {
                continue;
            }
            View view = segment.pin();
            try {
                replay(segment, view.buffer(), from);
            } finally {
                view.unpin();
            }
        }
    }

    private void replay(LogSegment segment, ByteBuffer memory, long from) {
        SegmentWalk walk =
                SegmentIndexes.walkTo(
                        segment,
                        SegmentIndexes.of(segment),
                        memory,
                        new BatchVerifier(),
                        Math.max(from, segment.baseOffset));
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
                record(memory, walk.position());
            }
        }
    }

    private void record(ByteBuffer memory, int at) {
        long offset = memory.getLong(at + BatchFormat.BASE_OFFSET);
        long now = clock.time();
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
