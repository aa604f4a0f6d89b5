package io.firn.log;

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
     * Returns the lowest offset that was cut to after the first {@code seen} truncations; {@link
     * Long#MAX_VALUE} when there was none after them, and 0 when that is not known.
     */
    long lowestSince(long seen);

    /** Returns where the truncation cuts that is in progress; {@link Long#MAX_VALUE} for none. */
    long lowestInProgress();
}
