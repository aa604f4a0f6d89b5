package io.firn.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Keeps what was allocated before away from the value. */
class PaddingBefore {
    long before1;
    long before2;
    long before3;
    long before4;
    long before5;
    long before6;
    long before7;
}

/** The value: a class of its own, because fields of one class may be laid out in any order. */
class PaddedValue extends PaddingBefore {
    volatile long value;
}

/**
 * A number that one thread publishes, and that others may load all the time. It is alone in its
 * cache lines: a processor that loads one takes it away from the processor that stores to it, and
 * whatever that one needs next from the same line takes as long as a record takes to the reader.
 */
final class PublishedLong extends PaddedValue {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(PaddedValue.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    long after1;
    long after2;
    long after3;
    long after4;
    long after5;
    long after6;
    long after7;

    PublishedLong(long first) {
        VALUE.setRelease(this, first);
    }

    /** Everything stored before {@link #set} of the same number is visible to the caller. */
    long get() {
        return (long) VALUE.getAcquire(this);
    }

    /** As {@link #get}, without any order. */
    long getOpaque() {
        return (long) VALUE.getOpaque(this);
    }

    /** Publishes a number, and all that was stored before. */
    void set(long next) {
        VALUE.setRelease(this, next);
    }

    /** Publishes a number if a known one is still there; returns whether it was. */
    boolean replace(long known, long next) {
        return VALUE.compareAndSet(this, known, next);
    }
}
