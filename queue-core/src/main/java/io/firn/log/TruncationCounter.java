package io.firn.log;

/**
 * How often a log was truncated, for its readers. A reader remembers how many truncations it has
 * seen, so that it never takes new records for those that it stood before. Changed by one thread at
 * a time; any thread may read.
 */
public final class TruncationCounter {
    private volatile TruncatedOffsets shown = TruncatedOffsets.NONE;

    /** The same and a truncation whose end is being shown, which readers do not count yet. */
    private volatile TruncatedOffsets coming = TruncatedOffsets.NONE;

    /** The count of what is shown. A reader that sees it sees the offsets as well. */
    private volatile long count;

    TruncationCounter() {}

    /** Sets what the log was truncated to in earlier runs; before another thread sees the log. */
    public void begin(TruncatedOffsets recovered) {
        announce(recovered);
        show(recovered);
    }

    /** Returns how many there were. */
    public long count() {
        return count;
    }

    /** Returns the lowest offset of those after the first ones. */
    public long lowestSince(long seen) {
        return shown.lowestSince(seen);
    }

    /**
     * As {@link #lowestSince}, also of a truncation that is being shown. A reader asks when its
     * offset is above the end: that is lowered first, so that a reader that counts a truncation
     * never takes the end from before it for the new one.
     */
    public long lowestToComeSince(long seen) {
        return coming.lowestSince(seen);
    }

    /** Called before readers can see anything of a truncation. */
    void announce(TruncatedOffsets next) {
        coming = next;
    }

    /** Makes readers notice a truncation. */
    void show(TruncatedOffsets next) {
        shown = next;
        count = next.count();
    }

    /**
     * What a log was truncated to so far, for readers: each truncation has a number, from 1 on. A
     * reader that remembers how many it has seen finds out whether what it has read is still there.
     * Immutable.
     */
    public interface TruncatedOffsets {
        /** Of a log that was never truncated. */
        TruncatedOffsets NONE =
                new TruncatedOffsets() {
                    @Override
                    public long count() {
                        return 0;
                    }

                    @Override
                    public long lowestSince(long seen) {
                        return seen == 0 ? Long.MAX_VALUE : 0;
                    }

                    @Override
                    public long lowestInProgress() {
                        return Long.MAX_VALUE;
                    }
                };

        /** Returns how many truncations there were, with one that is in progress. */
        long count();

        /**
         * Returns the lowest offset that was cut to after the first {@code seen} truncations;
         * {@link Long#MAX_VALUE} when there was none after them, and 0 when that is not known.
         */
        long lowestSince(long seen);

        /**
         * Returns where the truncation cuts that is in progress; {@link Long#MAX_VALUE} for none.
         */
        long lowestInProgress();
    }
}
