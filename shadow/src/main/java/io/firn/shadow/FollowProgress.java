package io.firn.shadow;

import java.time.Duration;
import java.util.Optional;
import javax.annotation.concurrent.GuardedBy;

/** How far a partition is copied, for those who watch. Thread-safe. */
final class FollowProgress {
    private static final int UNKNOWN = -1;

    private final String topic;
    private final int partition;

    @GuardedBy("this")
    private FollowState state = FollowState.WAITING;

    @GuardedBy("this")
    private long nextOffset;

    @GuardedBy("this")
    private long highWatermark = UNKNOWN;

    @GuardedBy("this")
    private long sourceLogStart = UNKNOWN;

    @GuardedBy("this")
    private int leader = UNKNOWN;

    @GuardedBy("this")
    private int leaderEpoch = UNKNOWN;

    @GuardedBy("this")
    private long appendedBytes;

    @GuardedBy("this")
    private boolean wasCaughtUp;

    @GuardedBy("this")
    private long caughtUpAtMs;

    @GuardedBy("this")
    private String lastError;

    FollowProgress(String topic, int partition, long nextOffset) {
        this.topic = topic;
        this.partition = partition;
        this.nextOffset = nextOffset;
    }

    synchronized void leader(int node, int epoch) {
        leader = node;
        leaderEpoch = epoch;
    }

    synchronized void source(long newHighWatermark, long newLogStart) {
        highWatermark = newHighWatermark;
        sourceLogStart = newLogStart;
    }

    synchronized long highWatermark() {
        return highWatermark;
    }

    /** Returns whether the source had more, when it last answered. */
    synchronized boolean isBehind() {
        return nextOffset < highWatermark;
    }

    synchronized long sourceLogStart() {
        return sourceLogStart;
    }

    synchronized void appended(int bytes, long newNextOffset) {
        appendedBytes += bytes;
        nextOffset = newNextOffset;
    }

    synchronized void following(long newNextOffset, long nowMs) {
        nextOffset = newNextOffset;
        state = FollowState.FOLLOWING;
        lastError = null;
        if (!isBehind()) {
            wasCaughtUp = true;
            caughtUpAtMs = nowMs;
        }
    }

    synchronized void waiting(String reason) {
        state = FollowState.WAITING;
        lastError = reason;
    }

    synchronized void retrying(String error) {
        state = FollowState.RETRYING;
        lastError = error;
    }

    synchronized void stopped(FollowState newState, String error) {
        state = newState;
        lastError = error;
    }

    synchronized PartitionStatus status(long nowMs) {
        return new CopiedPartition(
                topic,
                partition,
                state,
                nextOffset,
                highWatermark,
                sourceLogStart,
                lagTime(nowMs),
                leader,
                leaderEpoch,
                appendedBytes,
                lastError);
    }

    @GuardedBy("this")
    private Optional<Duration> lagTime(long nowMs) {
        if (!wasCaughtUp) {
            return Optional.empty();
        }
        boolean isCaughtUp = state == FollowState.FOLLOWING && !isBehind();
        return Optional.of(Duration.ofMillis(isCaughtUp ? 0 : Math.max(0, nowMs - caughtUpAtMs)));
    }
}
