package io.firn.recovery;

import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.format.MarkerBatch;
import io.firn.log.BatchInfo;
import io.firn.log.LogSegment;
import io.firn.log.Producers;
import io.firn.log.ReplicatedBatches;
import io.firn.log.SegmentIndexes;
import io.firn.log.SegmentWalk;
import io.firn.medium.DamagedFileException;
import io.firn.medium.Fields;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.agrona.concurrent.EpochClock;

/** Brings the state of a partition's producers from their checkpoint to the end of the log. */
final class ProducerReplay {
    private final EpochClock clock;
    private final BatchInfo info = new BatchInfo();

    private final boolean isReplica;
    private Producers producers = new Producers();
    private long from;

    /** Null if the batches are the log's own. */
    private ReplicatedBatches replicated;

    /**
     * Creates a replay.
     *
     * @param isReplica whether the batches, and their producers, are another log's
     */
    ProducerReplay(EpochClock clock, boolean isReplica) {
        this.clock = clock;
        this.isReplica = isReplica;
    }

    /** Returns what it has found. */
    Producers producers() {
        return producers;
    }

    /**
     * Takes over a checkpoint.
     *
     * @param aborted the aborted transactions that the checkpoint relies on, the earliest first
     * @throws DamagedFileException when it is none, and nothing is taken over
     */
    void restore(Fields checkpoint, List<Fields> aborted) throws DamagedFileException {
        Producers restored = new Producers();
        from = restored.restore(checkpoint, aborted);
        producers = restored;
    }

    /**
     * Reads the headers of all batches after the checkpoint, if one was taken over, including those
     * below the log start.
     */
    void replay(List<LogSegment> segments) throws IOException {
        replicated = isReplica ? new ReplicatedBatches(producers) : null;
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
