package io.firn.compact;

import io.firn.StoreFullException;
import io.firn.format.FillerBatch;
import io.firn.log.SparseIndex;
import io.firn.move.CheckedCopy;
import io.firn.move.CheckedCopy.Pace;
import io.firn.spi.BlockCopy;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * The segment that is being written: batches, with one filler for each run of removed ones, and
 * their index. For one thread.
 */
final class RewriteTarget {
    private static final long NONE = -1;

    /** They take 1 MiB, and once more while the segment is published. */
    private static final int MOST_INDEX_ENTRIES = 50_000;

    private final CheckedCopy copy;
    private final long baseOffset;
    private final int mostBytes;
    private final SparseIndex index;
    private final ByteBuffer piece = ByteBuffer.allocate(CheckedCopy.PIECE);
    private final byte[] filler = new byte[FillerBatch.LENGTH];
    private final OutputStream output =
            new OutputStream() {
                @Override
                public void write(int b) throws IOException {
                    write(new byte[] {(byte) b}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    put(bytes, from, length);
                }
            };

    /** The first offset of the run of removed batches before the next batch. */
    private long removedFrom = NONE;

    private long removedTo;
    private int removedEpochBits;

    /**
     * Creates an empty segment.
     *
     * @param mostBytes the bytes that there is room for
     * @param what what is written, for messages
     */
    RewriteTarget(BlockCopy copy, long baseOffset, int mostBytes, String what) {
        this.copy = new CheckedCopy(copy, what);
        this.baseOffset = baseOffset;
        this.mostBytes = mostBytes;
        this.index = SparseIndex.small(mostBytes, MOST_INDEX_ENTRIES);
    }

    /** Leaves out the batch that a source is at. */
    void remove(SourceSegment source) {
        if (removedFrom == NONE) {
            removedFrom = source.fromOffset();
        }
        removedTo = source.toOffset();
        removedEpochBits = source.epochBits(); // never a fresh one, see FillerBatch
    }

    /**
     * Adds the batch that a filter has made.
     *
     * @param endOffset the offset after it
     */
    void write(BatchFilter filter, long endOffset) throws IOException {
        endRun();
        add(filter.size(), endOffset, filter.maxTimestamp());
        int end = size() + filter.size();
        filter.writeTo(output);
        if (size() != end) {
            throw new IllegalStateException("a batch has ended at " + size() + ", not at " + end);
        }
    }

    private void endRun() throws IOException {
        if (removedFrom != NONE) {
            FillerBatch.put(ByteBuffer.wrap(filler), 0, removedFrom, removedTo, removedEpochBits);
            removedFrom = NONE;
            add(filler.length, removedTo, NONE);
            put(filler, 0, filler.length);
        }
    }

    private void add(int size, long endOffset, long maxTimestamp) throws IOException {
        if (size > mostBytes - size()) {
            throw new StoreFullException("what is left takes more than " + mostBytes + " bytes");
        }
        index.onBatch(size(), size, (int) (endOffset - baseOffset - 1), maxTimestamp);
    }

    private void put(byte[] bytes, int from, int length) throws IOException {
        for (int done = 0; done < length; ) {
            if (!piece.hasRemaining()) {
                writePiece();
            }
            int n = Math.min(piece.remaining(), length - done);
            piece.put(bytes, from + done, n);
            done += n;
        }
    }

    private void writePiece() throws IOException {
        copy.write(piece.array(), 0, piece.position());
        piece.clear();
    }

    /**
     * Forces the segment, and compares it with what was written.
     *
     * @return false when it is not wanted any more
     */
    boolean finish(Pace pace) throws IOException {
        endRun();
        writePiece();
        index.complete();
        return copy.finish(pace);
    }

    /** Returns the bytes of the segment. */
    int size() {
        return copy.written() + piece.position();
    }

    /** Returns the bytes that may still be added. */
    int room() {
        return mostBytes - size() - (removedFrom == NONE ? 0 : FillerBatch.LENGTH);
    }

    long maxTimestamp() {
        return index.maxTimestamp();
    }

    byte[] indexBytes() {
        return index.offsetBytes();
    }

    byte[] timeBytes() {
        return index.timeBytes();
    }
}
