package io.firn.spi;

import java.io.IOException;

/**
 * A copy in an ordinary reserved block. The block's epoch is a fresh one that none of the copied
 * batches has: after a crash it is a reserved block without a valid first batch, and is freed.
 * Sealing publishes it.
 */
final class ReservedCopy implements BlockCopy {
    private final Block block;
    private final Mark mark;
    private int written;
    private int forced;
    private boolean abandoned;

    ReservedCopy(StorageTier tier, Mark mark, long epoch) throws IOException {
        this.mark = mark;
        this.block =
                tier.reserve(mark.topicId(), mark.partition(), Math.max(1, mark.position()), epoch);
    }

    @Override
    public void write(int position, byte[] source, int offset, int length) throws IOException {
        block.memory().put(position, source, offset, length);
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
    public Block publish(byte[] index, byte[] timeIndex) throws IOException {
        Mark reserved = block.mark();
        block.seal(
                reserved.sealed(
                        mark.epoch(),
                        mark.baseOffset(),
                        mark.position(),
                        mark.offset(),
                        mark.sealTimeMs()));
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
