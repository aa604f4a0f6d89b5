package io.firn.spi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The part of a view's bytes that needs no check of one kind any more, because its batches were
 * checked through this view, or because this process has stored them. It is one range: logs are
 * read and written from some place on. It ends with the view, so whatever is mapped again is
 * checked again.
 *
 * <p>Thread-safe. Nothing depends on when a thread sees a change: one that does not see it yet
 * checks once more.
 *
 * @see StorageTier
 */
public final class VerifiedRange {
    private static final VarHandle RANGE;

    static {
        try {
            RANGE = MethodHandles.lookup().findVarHandle(VerifiedRange.class, "range", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The first position and, in the lower half, the one after the last. */
    private volatile long range;

    /** Creates an empty range. */
    public VerifiedRange() {}

    /**
     * Adds the bytes of batches that were checked. If they do not touch the bytes that are in the
     * range, the range becomes the longer one of the two.
     *
     * @param to position after the last one; {@link Integer#MAX_VALUE} for all that this process
     *     will store from {@code from} on
     */
    public void add(int from, int to) {
        long before;
        long after;
        do {
            before = range;
            after = joined(before, from, to);
        } while (after != before && !RANGE.weakCompareAndSet(this, before, after));
    }

    private static long joined(long present, int from, int to) {
        int start = from(present);
        int end = to(present);
        if (from <= end && to >= start) {
            return pair(Math.min(from, start), Math.max(to, end));
        }
        return to - from > end - start ? pair(from, to) : present;
    }

    private static long pair(int from, int to) {
        return ((long) from << Integer.SIZE) | to;
    }

    /** Returns the range as one number, for {@link #from} and {@link #to}; empty at first. */
    public long get() {
        return (long) RANGE.getOpaque(this);
    }

    /** Returns the first position in a range. */
    public static int from(long range) {
        return (int) (range >>> Integer.SIZE);
    }

    /** Returns the position after a range. */
    public static int to(long range) {
        return (int) range;
    }
}
