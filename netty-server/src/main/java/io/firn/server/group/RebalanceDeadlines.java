package io.firn.server.group;

/**
 * The deadlines of a rebalance: until when members may join, and until when they may ask for their
 * assignment. Times are those of {@link System#nanoTime}. Guarded by the group.
 */
final class RebalanceDeadlines {
    private long joinNs;
    private long latestJoinNs;
    private boolean initialDelay;
    private long syncNs;

    /** Sets until when members may join; an initial delay can be extended up to the latest time. */
    void join(long deadlineNs, long latestNs, boolean initial) {
        joinNs = deadlineNs;
        latestJoinNs = latestNs;
        initialDelay = initial;
    }

    /** The first rebalance of a group waits longer each time that another member joins. */
    void extendInitialDelay(long nowNs, long delayNs) {
        if (initialDelay) {
            joinNs = Math.min(latestJoinNs, nowNs + delayNs);
        }
    }

    boolean isInitialDelay() {
        return initialDelay;
    }

    boolean isJoinOver(long nowNs) {
        return nowNs - joinNs >= 0;
    }

    void sync(long deadlineNs) {
        syncNs = deadlineNs;
    }

    boolean isSyncOver(long nowNs) {
        return nowNs - syncNs >= 0;
    }

    /** Returns the time until the deadline that counts in a state; the maximum if there is none. */
    long leftNs(GroupState state, long nowNs) {
        if (state == GroupState.PREPARING) {
            return joinNs - nowNs;
        }
        return state == GroupState.COMPLETING && !isSyncOver(nowNs)
                ? syncNs - nowNs
                : Long.MAX_VALUE;
    }
}
