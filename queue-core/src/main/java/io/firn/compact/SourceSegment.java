package io.firn.compact;

import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.log.LogSegment;
import io.firn.log.SegmentWalk;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads the batches of a sealed segment, each verified. The segment is pinned until this is closed.
 * For one thread.
 */
final class SourceSegment implements AutoCloseable {
    private final LogSegment segment;
    private final View view;
    private final ByteBuffer memory;
    private final SegmentWalk walk;
    private final BatchVerifier verifier = new BatchVerifier();

    /**
     * Opens a segment before its first batch.
     *
     * @throws IOException when it cannot be read, for example because it was deleted just now
     */
    SourceSegment(LogSegment segment) throws IOException {
        this.segment = segment;
        this.view = segment.pin();
        this.memory = view.buffer();
        this.walk = segment.walk(memory, 0, segment.baseOffset());
    }

    /**
     * Steps to the next batch, or over a damaged range.
     *
     * @return false at the end
     */
    boolean next() {
        return walk.next();
    }

    /**
     * Verifies the batch.
     *
     * @return false when it is damaged; see {@link #damage}
     * @throws IOException when the medium fails
     */
    boolean isWhole() throws IOException {
        if (walk.isDamage()) {
            return false;
        }
        try {
            if (verifier.check(memory, walk.position(), segment.written(), walk.fromOffset())
                    != walk.size()) {
                walk.reject(verifier.reason());
                return false;
            }
        } catch (InternalError e) {
            throw new IOException(segment + " cannot be read: " + e.getMessage(), e);
        }
        return true;
    }

    /** Returns the mapping that has the batch; to read it is a fault where the medium fails. */
    ByteBuffer memory() {
        return memory;
    }

    /** Returns what is damaged, after {@link #isWhole} returned false. */
    String damage() {
        return "offsets ["
                + walk.fromOffset()
                + ", "
                + walk.toOffset()
                + ") are damaged: "
                + walk.damage();
    }

    /** Returns why the records of the batch cannot be read. */
    String unreadable(Exception why) {
        return "the batch at offset " + fromOffset() + ": " + why.getMessage();
    }

    /** Returns the bytes of the batch. */
    int size() {
        return walk.size();
    }

    /** Returns the position of the batch. */
    int position() {
        return walk.position();
    }

    /** Returns the first offset of the batch. */
    long fromOffset() {
        return walk.fromOffset();
    }

    /** Returns the offset after the batch. */
    long toOffset() {
        return walk.toOffset();
    }

    /** Returns the bits of its epoch that the batch contains. */
    int epochBits() {
        return memory.getInt(walk.position() + BatchFormat.EPOCH);
    }

    @Override
    public void close() {
        view.unpin();
    }
}
