package io.firn.host;

/**
 * Where a leader epoch ends in a partition of a replicated topic.
 *
 * @param epoch the largest leader epoch that is not above the one asked for; −1 if there is none
 * @param endOffset the first offset of a larger epoch, or the next offset of the partition if there
 *     is none; −1 if there is no such epoch
 * @see HostedStore
 */
public record EpochEnd(int epoch, long endOffset) {
    /** What is answered if all epochs are above the one asked for, or the partition has none. */
    public static final EpochEnd NONE = new EpochEnd(-1, -1);
}
