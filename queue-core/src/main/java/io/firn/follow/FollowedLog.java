package io.firn.follow;

import io.firn.follow.FollowedOffsets.Published;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.util.function.Consumer;

/**
 * Brings the offsets of a log in a read-only store up to date with what the writing process
 * publishes. Readers run it before each look at an end. It costs four loads when there is no news,
 * and takes no lock that a look at the tiers holds unless the writer has begun another segment.
 * Thread-safe.
 */
public final class FollowedLog implements Runnable {
    /** A segment that was not found is looked for again after this time, or when the end moved. */
    private static final long LOOK_AGAIN_NS = 2_000_000;

    private final SegmentedLog log;
    private final FollowedOffsets offsets;
    private final Consumer<FollowedLog> lookFor;

    // What was published here last. They are changed under the monitor, the end last.
    private volatile long sequence = -1;
    private volatile long end = -1;
    private volatile long durable = -1;
    private volatile long start = -1;

    // Under the monitor.
    private LogSegment active;
    private long missedEnd = -1;
    private long missedSequence = -1;
    private long missedNs;

    /**
     * Creates it; nothing is published before the first run.
     *
     * @param offsets of the log
     * @param lookFor looks for the segment that the writer has begun, and calls {@link #adopt}
     */
    public FollowedLog(SegmentedLog log, FollowedOffsets offsets, Consumer<FollowedLog> lookFor) {
        this.log = log;
        this.offsets = offsets;
        this.lookFor = lookFor;
    }

    public SegmentedLog log() {
        return log;
    }

    public FollowedOffsets offsets() {
        return offsets;
    }

    @Override
    public void run() {
        try {
            // Two segments may come to the same end, therefore also the sequence.
            boolean isSame =
                    offsets.end() == end
                            && offsets.sequence() == sequence
                            && offsets.durable() == durable
                            && offsets.start() == start;
            if (!isSame && !publish() && mayLook()) {
                lookFor.accept(this);
            }
        } catch (InternalError | IllegalStateException e) {
            // The mapping is gone: the follower notices, and follows marks.
            log.catchUpBy(null);
        }
    }

    /** Publishes ends of the segment that is known; false when they are another segment's. */
    @SuppressWarnings("ReferenceEquality") // this very segment
    private synchronized boolean publish() {
        long newEnd = offsets.end();
        long newDurable = offsets.durable();
        long newStart = offsets.start();
        if (active == null || active != log.activeSegment() || !offsets.isOf(sequence)) {
            return false;
        }
        long written = active.offsetOf(newEnd);
        if (newStart > written || LogSegment.positionOf(newEnd) > active.capacity()) {
            return false; // Java may tell late that the file was cut: until then loads give
            // anything
        }
        active.raiseEnd(newEnd); // before the offset that leads readers there
        publish(newStart, Math.min(newDurable, written), written);
        note(newEnd, newDurable, newStart);
        return true;
    }

    /** In a DURABLE topic, a reader knows of no more than what is durable. */
    private void publish(long newStart, long newDurable, long written) {
        log.publishSeen(newStart, newDurable, log.isDurable() ? newDurable : written);
    }

    private void note(long newEnd, long newDurable, long newStart) {
        durable = newDurable;
        start = newStart;
        end = newEnd;
    }

    private synchronized boolean mayLook() {
        long now = System.nanoTime();
        long published = offsets.end();
        long of = offsets.sequence();
        boolean isMissed = published == missedEnd && of == missedSequence;
        if (isMissed && now - missedNs < LOOK_AGAIN_NS) {
            return false;
        }
        missedEnd = published;
        missedSequence = of;
        missedNs = now;
        return true;
    }

    /** Publishes nothing before the next look: it is not known which segment is the active one. */
    synchronized void forget() {
        active = null;
        end = -1;
    }

    /**
     * Publishes ends that were read before a look, now that all below them is known.
     *
     * @param found the segment that was begun last; null when nothing is written in it, or it was
     *     not found
     * @param covered the offset up to which segments are known
     */
    synchronized void adopt(Published read, LogSegment found, long covered) {
        if (read.sequence() < sequence) {
            return;
        }
        sequence = read.sequence();
        active = found;
        long written = Math.min(read.next(), covered);
        publish(read.start(), Math.min(read.durable(), written), written);
        boolean isAll = covered >= read.next();
        // Otherwise the next run looks again.
        note(isAll ? read.end() : -1, read.durable(), read.start());
    }
}
