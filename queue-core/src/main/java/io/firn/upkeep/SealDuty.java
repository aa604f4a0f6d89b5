package io.firn.upkeep;

import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.io.IOException;

/**
 * Brings sealed segments into their final form. A segment whose medium fails stays in the queue;
 * those in other tiers are finished nevertheless.
 */
public final class SealDuty extends Duty {
    private final SegmentedLog log;
    private final Runnable onFinished;

    /**
     * Creates the duty of a partition.
     *
     * @param onFinished called when segments have got their final form
     */
    SealDuty(Duties duties, SegmentedLog log, Runnable onFinished) {
        super(duties, log.subject(), "final form of sealed segments");
        this.log = log;
        this.onFinished = onFinished;
    }

    @Override
    public int run() throws IOException {
        return log.state().isGone() ? 0 : finish();
    }

    int finish() throws IOException {
        int finished = 0;
        IOException failure = null;
        for (LogSegment segment : log.segments()) {
            if (!segment.isSealed() || segment.block().isFinished()) {
                continue;
            }
            try {
                segment.finishSeal();
                finished++;
            } catch (IOException | RuntimeException | InternalError e) {
                log.store().stateOf(segment.block().tier()).noteError(e);
                failure = failure == null ? wrapped(segment, e) : failure;
            }
        }
        if (finished > 0) {
            onFinished.run();
        }
        if (failure != null) {
            throw failure;
        }
        return finished;
    }

    private static IOException wrapped(LogSegment segment, Throwable e) {
        return new IOException(
                segment + " could not be brought into its final form: " + e.getMessage(), e);
    }
}
