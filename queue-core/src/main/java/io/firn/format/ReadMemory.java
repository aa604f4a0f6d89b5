package io.firn.format;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.concurrent.GuardedBy;

/**
 * The memory that all readers of a store together use for decompressed batches. A reader that needs
 * more takes it from the buffers that no thread reads at present, those used least recently first:
 * their batches are decompressed again when they are needed. What threads are reading is not taken,
 * so a reader may have to wait for another thread, in the order of arrival and holding nothing
 * itself. A thread that reads a batch already, and reads another one in its handler, does not wait:
 * others may be waiting for it. Thread-safe.
 */
public final class ReadMemory {
    /** So much and less, for each thread that decompresses at present, is not counted. */
    public static final int UNCOUNTED = 1 << 20;

    /** A buffer up to this size grows step by step, and is kept for the next batch. */
    private static final int MOST_KEPT = 4 << 20;

    private static final int LEAST_KEPT = 4096;
    private static final int KEPT_BUFFERS = 16;
    private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(30);

    /** Whether a reader has got what it needs. */
    public enum Grant {
        /** It has. */
        GRANTED,
        /** It needs more than one batch may take. */
        TOO_LARGE,
        /** Other threads, or this one, are reading what takes the memory. */
        BUSY,
        /** The thread was interrupted while it waited; its status is set. */
        INTERRUPTED
    }

    private final long limit;
    private final int largest;
    private final int kept;
    private final long longestWaitNs;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freed = lock.newCondition();

    @GuardedBy("lock")
    private final Set<ReadBuffer> filled = new HashSet<>();

    @GuardedBy("lock")
    private final Deque<Object> line = new ArrayDeque<>();

    @GuardedBy("lock")
    private long used;

    @GuardedBy("lock")
    private long mostUsed;

    private volatile boolean isAwaited;

    /** Counts uses of buffers; plain, as lost counts only blur the order. */
    private long uses;

    /**
     * Creates it.
     *
     * @param limit in bytes
     * @param largest the most bytes of one batch; at most half of the limit are
     */
    public ReadMemory(long limit, int largest) {
        this(limit, largest, LONGEST_WAIT_NS);
    }

    ReadMemory(long limit, int largest, long longestWaitNs) {
        this.limit = limit;
        this.longestWaitNs = longestWaitNs;
        this.largest = (int) Math.min(largest, limit / 2);
        long kept = Math.max(LEAST_KEPT, Math.min(MOST_KEPT, limit / KEPT_BUFFERS));
        this.kept = (int) Math.min(this.largest, kept);
    }

    /** Returns the limit in bytes. */
    public long limit() {
        return limit;
    }

    /** Returns the most bytes that a batch may take when decompressed. */
    public int largest() {
        return largest;
    }

    /** Returns the bytes in use. */
    public long used() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the most bytes that were ever in use. */
    public long mostUsed() {
        lock.lock();
        try {
            return mostUsed;
        } finally {
            lock.unlock();
        }
    }

    /** Up to this size a buffer is kept for the next batch. */
    int kept() {
        return kept;
    }

    /** The time of a use, by the number of uses before it. */
    long nextUse() {
        return ++uses;
    }

    /**
     * Takes memory, and waits for it if need be. More than the limit counts as the limit.
     *
     * @param own what the caller has in use, which is empty; null for nothing
     */
    Grant take(long bytes, ReadBuffer own) {
        return take(bytes, own, true);
    }

    /**
     * As {@link #take}, with nothing in use, but an interrupt does not end the wait: for whoever
     * cannot return without a result. The thread's status stays set.
     */
    public Grant takeUninterruptibly(long bytes) {
        return take(bytes, null, false);
    }

    private Grant take(long bytes, ReadBuffer own, boolean isInterruptible) {
        long wanted = Math.min(bytes, limit);
        lock.lock();
        try {
            boolean isReading = isReading(own);
            if ((isReading || line.isEmpty()) && makeRoom(wanted)) {
                return Grant.GRANTED;
            }
            return isReading ? Grant.BUSY : await(wanted, isInterruptible);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes memory in addition to what the caller has, if it is there and no reader waits for it.
     */
    boolean tryTake(int bytes) {
        lock.lock();
        try {
            return line.isEmpty() && makeRoom(bytes);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Grant await(long bytes, boolean isInterruptible) {
        Object place = new Object();
        line.add(place);
        isAwaited = true; // before the next look at buffers; who lets go of one looks here after it
        boolean isInterrupted = false;
        try {
            long untilNs = System.nanoTime() + longestWaitNs;
            while (line.peek() != place || !makeRoom(bytes)) {
                long leftNs = untilNs - System.nanoTime();
                if (leftNs <= 0) {
                    return Grant.BUSY;
                }
                isInterrupted |= awaitFreed(leftNs);
                if (isInterrupted && isInterruptible) {
                    return Grant.INTERRUPTED;
                }
            }
            return Grant.GRANTED;
        } finally {
            line.remove(place);
            isAwaited = !line.isEmpty();
            freed.signalAll(); // the next one in the line
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns whether the thread was interrupted, which clears its status. */
    @GuardedBy("lock")
    @SuppressWarnings("WaitNotInLoop") // it is in the caller's
    private boolean awaitFreed(long ns) {
        try {
            freed.awaitNanos(ns);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** Whether this thread reads a batch, so that others may wait for it. */
    @GuardedBy("lock")
    @SuppressWarnings("ReferenceEquality") // this very buffer
    private boolean isReading(ReadBuffer except) {
        Thread here = Thread.currentThread();
        for (ReadBuffer buffer : filled) {
            if (buffer != except && buffer.isHeldBy(here)) {
                return true;
            }
        }
        return false;
    }

    /** Adds to what is used; drops what has to be dropped for that. */
    @GuardedBy("lock")
    private boolean makeRoom(long bytes) {
        while (used + bytes > limit) {
            if (!dropOldest()) {
                return false;
            }
        }
        used += bytes;
        mostUsed = Math.max(mostUsed, used);
        return true;
    }

    @GuardedBy("lock")
    private boolean dropOldest() {
        ReadBuffer oldest = null;
        for (ReadBuffer buffer : filled) {
            if (!buffer.isHeld() && (oldest == null || buffer.lastUse() < oldest.lastUse())) {
                oldest = buffer;
            }
        }
        if (oldest == null) {
            return false;
        }
        dropNow(oldest); // if it is held by now, the next look does not find it
        return true;
    }

    @GuardedBy("lock")
    private void dropNow(ReadBuffer buffer) {
        int bytes = buffer.takeBytes();
        if (bytes >= 0) {
            filled.remove(buffer);
            used -= bytes;
        }
    }

    /** Drops what a buffer has, unless a thread reads it. */
    void drop(ReadBuffer buffer) {
        lock.lock();
        try {
            dropNow(buffer);
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Gives back what was taken. */
    public void give(long bytes) {
        lock.lock();
        try {
            used -= Math.min(bytes, limit);
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a buffer has got memory that was taken, or has given back all that it had. */
    void note(ReadBuffer buffer, boolean hasMemory) {
        lock.lock();
        try {
            if (hasMemory) {
                filled.add(buffer);
            } else {
                filled.remove(buffer);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called when a thread has let go of a buffer, which others may take from now on. */
    void onLetGo() {
        if (isAwaited) {
            lock.lock();
            try {
                freed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
