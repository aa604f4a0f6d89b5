package io.firn.medium;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/** A range of a {@link MediumFile}, mapped into memory. */
public interface Mapping {
    /** The bytes of a page of memory. */
    int PAGE = 4096;

    /** Returns the mapped bytes, big-endian; callers use absolute access or a duplicate. */
    ByteBuffer buffer();

    /** Makes the stores into the range durable. */
    void force(int position, int length) throws IOException;

    /**
     * Pages a range in, so that the writer causes no page fault. Must not run concurrently with a
     * writer of the same range, because it loads bytes and stores them again.
     */
    void prefault(int position, int length) throws IOException;

    /**
     * Stores one byte of every page again. A load alone would not suffice: the writer would still
     * cause the fault that makes the page writable. Must not run concurrently with a writer.
     *
     * @throws InternalError when a page is gone
     */
    static void makeWritable(ByteBuffer bytes) {
        for (int at = 0; at < bytes.capacity(); at += PAGE) {
            byte present = bytes.get(at);
            // Without it the compiler removes both, because the store changes nothing.
            VarHandle.fullFence();
            bytes.put(at, present);
        }
    }

    /** Unmaps; the buffer must not be used any more. Idempotent. */
    void unmap();

    /**
     * Releases bytes of which a user may still hold a buffer. From Java 22 on this unmaps them, and
     * an access through such a buffer throws an exception. In earlier versions the access would end
     * the JVM, so the bytes stay mapped until the garbage collector finds that no buffer of them is
     * reachable. Idempotent.
     *
     * @return whether the bytes stay mapped for now
     */
    boolean abandon();
}
