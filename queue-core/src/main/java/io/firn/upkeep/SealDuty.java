package io.firn.upkeep;

import io.firn.background.Background;
import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.block.Backlog;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings sealed segments into their final form. A segment whose medium fails stays in the queue;
 * those in other tiers are finished nevertheless.
 */
public final class SealDuty extends Duty {
    private final SegmentedLog log;
    private final Backlog backlog;
    private final Runnable onFinished;

    /**
     * Creates the duty of a partition.
     *
     * @param onFinished called when segments have got their final form
     */
    SealDuty(Duties duties, SegmentedLog log, Backlog backlog, Runnable onFinished) {
        super(duties, log.subject(), "final form of sealed segments");
        this.log = log;
        this.backlog = backlog;
        this.onFinished = onFinished;
    }

    @Override
    protected int lane() {
        return Background.FINISHING;
    }

    @Override
    public synchronized int run() throws IOException {
        return log.state().isGone() ? 0 : finish();
    }

    /** Waits for a run in progress; none begins to work once the log is gone. */
    synchronized void awaitRun() {
        // Who runs has the monitor.
    }

    synchronized int finish() throws IOException {
        List<LogSegment> sealed = new ArrayList<>();
        for (LogSegment segment : log.segments()) {
            if (segment.isSealed() && !segment.block().isFinished()) {
                sealed.add(segment);
            }
        }
        IOException[] failures = new IOException[sealed.size()];
        List<Runnable> steps = new ArrayList<>();
        for (int i = 0; i < failures.length; i++) {
            int index = i;
            steps.add(() -> failures[index] = tryFinish(sealed.get(index)));
        }
        log.store().background().sideBySide().run(steps); // their forces become durable together
        IOException failure = null;
        int finished = 0;
        for (IOException each : failures) {
            failure = failure == null ? each : failure;
            finished += each == null ? 1 : 0;
        }
        if (finished > 0) {
            onFinished.run();
        }
        backlog.onFinishing(failure != null);
        if (failure != null) {
            throw failure;
        }
        return finished;
    }

    /** Returns why it failed; null if it did not. */
    private IOException tryFinish(LogSegment segment) {
        try {
            segment.finishSeal();
            return null;
        } catch (IOException | RuntimeException | InternalError e) {
            log.store().stateOf(segment.block().tier()).noteError(e);
            return wrapped(segment, e);
        }
    }

    private static IOException wrapped(LogSegment segment, Throwable e) {
        return new IOException(
                segment + " could not be brought into its final form: " + e.getMessage(), e);
    }
}
