package io.firn.spi;

import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A copy of a sealed segment, as it was or rewritten, that is being made in a tier. Until it is
 * published, recovery ignores it: a crash, or {@link #abandon}, leaves nothing of it. For one
 * thread.
 *
 * @see StorageTier
 */
public interface BlockCopy {

    /** Writes bytes at a position; positions ascend without gaps. */
    void write(int position, byte[] source, int offset, int length) throws IOException;

    /** Makes everything written durable. */
    void force() throws IOException;

    /**
     * Reads bytes back, for comparison with the source.
     *
     * @return the number of bytes read; fewer than requested only at the end
     */
    int read(int position, byte[] target, int offset, int length) throws IOException;

    /**
     * Makes the copy a sealed and finished segment, durable on return. The copy was forced before.
     *
     * @param mark the segment's mark: the one that the copy was begun with, where it may have
     *     another position, offset, time and epoch; its position is the number of bytes written,
     *     unless the source of a move is shorter than its mark says
     * @param index the offset index, may be empty
     * @param timeIndex the time index, may be empty
     * @return the segment; its mark is the given one, except for the sequence
     * @throws IllegalArgumentException when the mark is of another partition, base offset or
     *     generation, or more was written than its position says
     * @throws IOException when it is not certain what a crash would leave; the caller then abandons
     *     the copy
     */
    Block publish(Mark mark, byte[] index, byte[] timeIndex) throws IOException;

    /**
     * Checks a mark that a copy is to be published with.
     *
     * @param begun the mark that the copy was begun with
     * @param written the number of bytes written
     * @throws IllegalArgumentException when it does not fit
     */
    static void check(Mark begun, Mark mark, int written) {
        if (mark.state() != SegmentState.SEALED
                || !mark.topicId().equals(begun.topicId())
                || mark.partition() != begun.partition()
                || mark.baseOffset() != begun.baseOffset()
                || mark.generation() != begun.generation()
                || mark.position() < written) {
            throw new IllegalArgumentException(
                    "a copy of "
                            + written
                            + " bytes, begun as "
                            + begun
                            + ", cannot be published as "
                            + mark);
        }
    }

    /** Deletes the copy, published or not, and frees its space. Idempotent. */
    void abandon() throws IOException;

    /**
     * A copy in a reserved block. The block has a new epoch, which none of the copied batches has:
     * after a crash it is a reserved block without a valid first batch, and recovery frees it.
     * Sealing publishes the copy.
     */
    final class ReservedCopy implements BlockCopy {
        private final Block block;
        private final Mark begun;
        private int written;
        private int forced;
        private boolean abandoned;

        /**
         * Begins a copy.
         *
         * @param block just reserved
         * @param begun the mark that it is to get, with an upper bound of its position
         */
        ReservedCopy(Block block, Mark begun) {
            this.block = block;
            this.begun = begun;
        }

        @Override
        public void write(int position, byte[] source, int offset, int length) throws IOException {
            block.write(position, ByteBuffer.wrap(source, offset, length));
            written = position + length;
        }

        @Override
        public void force() throws IOException {
            if (written > forced) {
                block.force(forced, written);
                forced = written;
            }
        }

        @Override
        public int read(int position, byte[] target, int offset, int length) throws IOException {
            return block.read(position, target, offset, length);
        }

        @Override
        public Block publish(Mark mark, byte[] index, byte[] timeIndex) throws IOException {
            BlockCopy.check(begun, mark, written);
            Mark reserved = block.mark();
            block.seal(
                    reserved.sealed(
                                    mark.epoch(),
                                    mark.baseOffset(),
                                    mark.position(),
                                    mark.offset(),
                                    mark.sealTimeMs())
                            .inGeneration(mark.generation(), mark.compactedTo())
                            .withMaxTimestamp(mark.maxTimestamp()));
            block.finishSeal(index, timeIndex);
            return block;
        }

        @Override
        public void abandon() throws IOException {
            if (!abandoned) {
                View view = block.detachView();
                if (view != null) {
                    view.leave();
                }
                block.delete();
                abandoned = true;
            }
        }
    }
}
