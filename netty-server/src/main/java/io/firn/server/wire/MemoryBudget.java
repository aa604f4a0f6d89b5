package io.firn.server.wire;

import java.util.concurrent.atomic.AtomicLong;

/** The memory that the requests of all connections use, and how much they may use. Thread-safe. */
final class MemoryBudget {
    private final long maxBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    MemoryBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Adds to the bytes in use, or subtracts from them. */
    void add(long bytes) {
        usedBytes.addAndGet(bytes);
    }

    long usedBytes() {
        return usedBytes.get();
    }

    /** Returns whether too much is in use, without some bytes: a single request always fits. */
    boolean isExceeded(long without) {
        return usedBytes.get() - without > maxBytes;
    }
}
