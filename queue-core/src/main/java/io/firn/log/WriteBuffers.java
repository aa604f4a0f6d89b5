package io.firn.log;

import io.firn.FirnException;
import io.firn.RetryableException;
import io.firn.medium.DirectMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Direct buffers from which batches are written, shared by the partitions of a store: as many as
 * threads write at once. Thread-safe; allocates nothing in the steady state.
 */
public final class WriteBuffers {
    /** Larger batches are written in pieces of this size, which stay in a processor's cache. */
    public static final int PIECE = 64 * 1024;

    private static final int MOST = 16;
    private static final int LARGEST_KEPT = 2 << 20;

    private final AtomicReferenceArray<ByteBuffer> free = new AtomicReferenceArray<>(MOST);

    /**
     * Returns a buffer with room for so many bytes, to be given back; its content is arbitrary.
     *
     * @throws RetryableException when the process has used up its direct memory
     */
    public ByteBuffer take(int bytes) {
        for (int i = 0; i < MOST; i++) {
            ByteBuffer buffer = free.getPlain(i) == null ? null : free.getAndSet(i, null);
            if (buffer != null && buffer.capacity() >= bytes) {
                return buffer.clear();
            }
        }
        int room = Math.max(bytes, 2 * PIECE);
        int roomy = room > 1 << 30 ? room : Integer.highestOneBit(room - 1) * 2;
        try {
            return DirectMemory.allocate(roomy);
        } catch (FirnException e) {
            return DirectMemory.allocate(bytes); // as much as has to be
        }
    }

    /** Takes a buffer back. */
    public void give(ByteBuffer buffer) {
        if (buffer.capacity() > LARGEST_KEPT) {
            return;
        }
        for (int i = 0; i < MOST; i++) {
            if (free.getPlain(i) == null && free.compareAndSet(i, null, buffer)) {
                return;
            }
        }
    }
}
