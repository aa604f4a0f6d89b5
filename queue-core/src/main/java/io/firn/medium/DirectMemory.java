package io.firn.medium;

import io.firn.RetryableException;
import java.nio.ByteBuffer;

/**
 * Direct buffers, of which there may be none left.
 *
 * @see io.firn.spi.StorageTier
 */
public final class DirectMemory {
    private DirectMemory() {}

    /**
     * Allocates a buffer.
     *
     * @throws RetryableException when the process has used up its direct memory
     */
    public static ByteBuffer allocate(int bytes) {
        try {
            return ByteBuffer.allocateDirect(bytes);
        } catch (OutOfMemoryError e) {
            throw new RetryableException(
                    "there is no direct memory left for a buffer of "
                            + bytes
                            + " bytes: raise -XX:MaxDirectMemorySize, or use less elsewhere ("
                            + e.getMessage()
                            + ")",
                    e);
        }
    }

    /**
     * A buffer of zeros, which is allocated when it is first needed: a static initializer that
     * fails would make its class unusable until the process ends. Thread-safe.
     */
    public static final class Zeros {
        private final int bytes;
        private volatile ByteBuffer buffer;

        public Zeros(int bytes) {
            this.bytes = bytes;
        }

        /**
         * Returns the zeros, with a position and a limit of the caller's.
         *
         * @throws RetryableException when the process has used up its direct memory
         */
        public ByteBuffer get() {
            ByteBuffer present = buffer;
            if (present == null) {
                present = allocate(bytes); // two threads may each make one
                buffer = present;
            }
            return present.duplicate();
        }

        /** How many they are. */
        public int bytes() {
            return bytes;
        }
    }
}
