package io.firn.spi;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Shows the bytes of a segment, and never those of another one that was stored into the same block
 * meanwhile. Created by {@link Block#reader}; used with pinned views of that block, by one thread.
 *
 * @see StorageTier
 */
public interface BlockReader {
    /** Shows the memory itself; for blocks that cannot be reused while a view of them is pinned. */
    BlockReader IN_PLACE = new InPlaceReader();

    /** Returns whether {@link #bytes} returns the buffer of the view itself. */
    boolean isInPlace();

    /**
     * Returns a buffer with some bytes of a view. It is the buffer of the view itself, where they
     * are at their position, or one that has a copy of them at 0. The copy stays as it is until the
     * next call; bytes after them have no meaning.
     *
     * @param view pinned, and kept pinned while the bytes are used
     * @throws BlockReusedException when another process has reused the block; nothing that was read
     *     of the view may be used
     * @throws IndexOutOfBoundsException when the view has no such bytes
     */
    ByteBuffer bytes(View view, int position, int length);

    /**
     * Returns some bytes of a view in a buffer that contains nothing else and shows them for as
     * long as the view is pinned.
     *
     * @param view pinned
     * @throws BlockReusedException when another process has reused the block
     * @throws IndexOutOfBoundsException when the view has no such bytes
     */
    ByteBuffer slice(View view, int position, int length);

    /**
     * Confirms that all that was read of views of this block until now was the segment's own.
     *
     * @throws BlockReusedException when another process has reused the block, and from then on
     */
    void confirm();

    /** Shows bytes where they are. Thread-safe. */
    final class InPlaceReader implements BlockReader {
        private InPlaceReader() {}

        @Override
        public boolean isInPlace() {
            return true;
        }

        @Override
        public ByteBuffer bytes(View view, int position, int length) {
            ByteBuffer memory = view.buffer();
            Objects.checkFromIndexSize(position, length, memory.capacity());
            return memory;
        }

        @Override
        public ByteBuffer slice(View view, int position, int length) {
            return view.buffer().slice(position, length);
        }

        @Override
        public void confirm() {
            // A pinned view keeps its block.
        }
    }

    /**
     * Thrown by a read of a block that another process has reused meanwhile: what was read may
     * belong to another segment. It tells a read-only store to list the tier again, and does not
     * reach users.
     */
    final class BlockReusedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        /**
         * Creates the exception, without a stack trace.
         *
         * @param block the name of the block
         */
        public BlockReusedException(String block) {
            super(
                    block + " was reused by the process that writes; list the tier again",
                    null,
                    false,
                    false);
        }
    }
}
