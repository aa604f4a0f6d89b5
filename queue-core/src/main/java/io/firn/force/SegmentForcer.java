package io.firn.force;

import io.firn.log.LogSegment;
import io.firn.log.SegmentList;
import io.firn.log.SegmentedLog;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.GuardedLog;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Forces and seals the segments of a partition in their order, for the holder of the force gate.
 *
 * <p>The order, for each force (rule O2): the end is captured first; then each segment that is not
 * sealed, oldest first, is forced and, when it was rolled, sealed durably, before a byte of the
 * next one counts; then the durable offset is published, never beyond what was captured. A failure
 * leaves the durable offset where it was and poisons the partition: a force that failed once may
 * return normally the next time although the pages were dropped.
 */
final class SegmentForcer {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final int FORCES_PER_SAMPLE = 8;
    private static final long DESCRIPTOR_RETRY_NS = 10_000_000;

    /** Of faster forces only samples are timed: to read the clock would cost a share of them. */
    private static final long SLOW_FORCE_NS = 10_000;

    private final SegmentedLog log;
    private final AtomicLong forces = new AtomicLong();
    private final AtomicLong forcedBytes = new AtomicLong();
    private boolean isTimed;
    private long lastCaptured;
    private long forceNs;
    private long timedNs;

    SegmentForcer(SegmentedLog log) {
        this.log = log;
    }

    /** Any thread: the number of forces so far. */
    long forces() {
        return forces.getOpaque();
    }

    /** Any thread: the bytes that were forced so far. */
    long forcedBytes() {
        return forcedBytes.getOpaque();
    }

    /** The next offset that the last force captured. */
    long lastCaptured() {
        return lastCaptured;
    }

    /** The time that a force takes, sampled now and then. */
    long forceNs() {
        return forceNs;
    }

    /**
     * Forces everything that is written now.
     *
     * @param maySeal whether rolled segments are sealed; otherwise it stops at the first one
     * @param mayTime whether the time of some forces is to be sampled
     * @return false when it failed, or nothing may be forced any more
     */
    boolean force(boolean maySeal, boolean mayTime) {
        isTimed = mayTime;
        if (log.state().isPoisoned() || log.state().isGone()) {
            return false;
        }
        // The end is captured before the first force: this force promises nothing about later
        // appends.
        long captured = log.nextOffset();
        lastCaptured = captured;
        try {
            while (!tryForceSegments(captured, maySeal)) {
                LockSupport.parkNanos(DESCRIPTOR_RETRY_NS);
                if (log.state().isPoisoned() || log.state().isGone()) {
                    return false;
                }
            }
            return true;
        } catch (IOException | VirtualMachineError | LinkageError e) {
            // Also when only the heap ran out: it is then unknown how much was forced.
            log.poison(e);
            return false;
        }
    }

    /** Returns false when a file could not be opened for a lack of descriptors: tried again. */
    private boolean tryForceSegments(long captured, boolean maySeal) throws IOException {
        try {
            forceSegments(captured, maySeal);
            return true;
        } catch (IOException e) {
            if (OutOfDescriptorsException.isReasonFor(e)) {
                log.store().descriptors().note(e);
                return false;
            }
            throw e;
        }
    }

    private void forceSegments(long captured, boolean maySeal) throws IOException {
        LogSegment[] segments = log.segments();
        for (int i = SegmentList.firstUnsealed(segments); i < segments.length; i++) {
            LogSegment segment = segments[i];
            long end = segment.endOffset();
            forceBytes(segment);
            if (!log.store().ownership().isOurs()) { // between force and acknowledgement (O31)
                log.lose(log.store().ownership().loss());
                return;
            }
            publish(Math.min(end, captured));
            if (end > captured) {
                return;
            }
            if (!maySeal) {
                return; // the caller lets the background seal it
            }
            segment.seal(sealTimeMs());
            log.events().onSealed();
        }
    }

    /** A durable append must not fail because the user's clock fails. */
    private long sealTimeMs() {
        try {
            return log.store().timeMs();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, log + ": the clock failed at a seal", e);
            return System.currentTimeMillis();
        }
    }

    private void forceBytes(LogSegment segment) throws IOException {
        long pair = segment.end();
        int from = LogSegment.positionOf(segment.forcedEnd());
        int to = LogSegment.positionOf(pair);
        if (to == from) {
            return;
        }
        PartitionForcer.ForceEvent event = PartitionForcer.ForceEvent.beginIfEnabled();
        boolean isSample = forces.getPlain() % FORCES_PER_SAMPLE == 0;
        boolean isSlow = timedNs > SLOW_FORCE_NS;
        long start = isSample || isSlow ? System.nanoTime() : 0;
        // With the zeros after the last batch, which mark its end for recovery.
        segment.block().force(from, Math.min(to + LogSegment.TAIL_ZEROS, segment.capacity()));
        if (isSample || isSlow) {
            note(System.nanoTime() - start, isSlow ? 1 : FORCES_PER_SAMPLE, isSample);
        }
        if (event != null) {
            event.end(log, to - from);
        }
        segment.setForcedEnd(pair);
        // Only the gate's holder writes it, and no reader depends on when it sees the change.
        forces.setOpaque(forces.getPlain() + 1);
        forcedBytes.setOpaque(forcedBytes.getPlain() + to - from);
    }

    private void note(long ns, int standsFor, boolean isSample) {
        timedNs = ns;
        log.store().forceTimes().add(ns, standsFor);
        if (isTimed && isSample) {
            forceNs = ns;
        }
    }

    private void publish(long offset) {
        if (offset > log.durableOffset()) {
            log.publishDurable(offset);
        }
    }
}
