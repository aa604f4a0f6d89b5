package io.firn.spi;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A copy in a reserved block. The block has a new epoch, which none of the copied batches has:
 * after a crash it is a reserved block without a valid first batch, and recovery frees it. Sealing
 * publishes the copy.
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
                reserved.rewritten(
                        mark.epoch(),
                        mark.baseOffset(),
                        mark.position(),
                        mark.offset(),
                        mark.sealTimeMs(),
                        mark.generation(),
                        mark.compactedTo()));
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
