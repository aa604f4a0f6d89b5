package io.firn.log;

import io.firn.format.BatchVerifier;
import io.firn.format.MarkerBatch;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds damage that may be a marker. A batch that was one is as short as one, or its length leads
 * to a place where no batch begins: so only headers are read, and of short batches the CRC is
 * checked as well, since a damaged marker may look like anything else.
 */
public final class DamagedMarkers {
    private final BatchVerifier verifier = new BatchVerifier();
    private final SegmentedLog log;

    /** Creates a search in a log, which notes the damage that is found. */
    public DamagedMarkers(SegmentedLog log) {
        this.log = log;
    }

    /** Searches all batches from an offset on. */
    public void searchFrom(long offset) throws IOException {
        for (LogSegment segment : log.segments()) {
            if (segment.offsetOf(segment.end()) > offset) {
                View view = segment.pin();
                try {
                    search(segment, view.buffer(), Math.max(offset, segment.baseOffset()));
                } finally {
                    view.unpin();
                }
            }
        }
    }

    private void search(LogSegment segment, ByteBuffer memory, long from) {
        SegmentWalk walk =
                SegmentIndexes.walkTo(segment, SegmentIndexes.of(segment), memory, verifier, from);
        while (walk.next()) {
            if (walk.toOffset() <= from) {
                continue;
            }
            if (!walk.isDamage() && !isSound(walk, segment, memory)) {
                walk.reject(verifier.reason());
            }
            if (walk.isDamage()) {
                log.addDamage(
                        new DamagedOffsets(walk.fromOffset(), walk.toOffset(), walk.damage()));
            }
        }
    }

    private boolean isSound(SegmentWalk walk, LogSegment segment, ByteBuffer memory) {
        return walk.size() > MarkerBatch.MOST_LENGTH
                || verifier.check(memory, walk.position(), segment.written(), walk.fromOffset())
                        > 0;
    }
}
