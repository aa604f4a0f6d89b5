package io.firn.pmem;

import io.firn.spi.BlockReader;
import io.firn.spi.View;
import java.nio.ByteBuffer;

/**
 * Reads a block that another process may reuse at any time: copies the bytes, and returns the copy
 * only if the block's entry shows afterwards that they were the segment's own. The buffer is kept
 * for the next copy. Not thread-safe.
 */
final class CopyingReader implements BlockReader {
    private final PmemBlock block;
    private ByteBuffer copy = ByteBuffer.allocate(0);

    CopyingReader(PmemBlock block) {
        this.block = block;
    }

    @Override
    public boolean isInPlace() {
        return false;
    }

    @Override
    public ByteBuffer bytes(View view, int position, int length) {
        if (copy.capacity() < length) {
            copy = ByteBuffer.allocate(Math.max(length, 2 * copy.capacity()));
        }
        return copied(view, position, length, copy);
    }

    @Override
    public ByteBuffer slice(View view, int position, int length) {
        return copied(view, position, length, ByteBuffer.allocate(length)).asReadOnlyBuffer();
    }

    private ByteBuffer copied(View view, int position, int length, ByteBuffer target) {
        target.put(0, view.buffer(), position, length);
        confirm(); // after the copy
        return target;
    }

    @Override
    public void confirm() {
        block.confirm();
    }
}
