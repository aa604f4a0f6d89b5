package io.firn.log;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How far ahead a partition may prepare space by itself: all partitions of the store that have
 * appenders together about a GiB. Thread-safe.
 */
public final class PreparedShare {
    private static final int ALL = 1 << 30;
    private static final int MOST = 64 << 20;
    private static final int LEAST = 1 << 20;

    private final AtomicInteger partitions = new AtomicInteger();

    /** A partition has its first appender. */
    public void enter() {
        partitions.incrementAndGet();
    }

    /** A partition has no appender any more. */
    public void leave() {
        partitions.decrementAndGet();
    }

    /** The bytes that each may prepare ahead now. */
    public int ofEach() {
        return Math.max(LEAST, Math.min(MOST, ALL / Math.max(1, partitions.get())));
    }
}
