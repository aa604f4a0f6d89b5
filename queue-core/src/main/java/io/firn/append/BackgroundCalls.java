package io.firn.append;

import io.firn.block.NextBlock;
import io.firn.force.PartitionForcer;
import io.firn.log.LogEvents;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which appends call the background: one that goes beyond a position of the active segment. Below
 * it an append costs the background nothing, and a comparison here.
 */
final class BackgroundCalls implements LogEvents.AppendAlarm {
    private static final int ALWAYS = Integer.MAX_VALUE;

    private static final VarHandle QUIET_UP_TO;

    static {
        try {
            QUIET_UP_TO =
                    MethodHandles.lookup()
                            .findVarHandle(BackgroundCalls.class, "quietUpTo", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SegmentedLog log;
    private final PartitionForcer forcer;

    /**
     * An append that goes beyond this position of the active segment calls the background. Only the
     * writer raises it, and calls then. It may undo what who lowers it did just before, and the
     * append that it calls for may be known already: before the background rests it looks whether
     * it will be called ({@link #isToCall}).
     */
    private volatile int quietUpTo;

    BackgroundCalls(SegmentedLog log, PartitionForcer forcer) {
        this.log = log;
        this.forcer = forcer;
    }

    /** Calls if the position is reached; for the writer, after it has published a batch. */
    void onAppended(LogSegment segment, int end) {
        if (end > (int) QUIET_UP_TO.getOpaque(this)) {
            call(segment, end);
        }
    }

    /** Calls, and sets the position from which it is called again. */
    private void call(LogSegment segment, int end) {
        int fillsUpAt = NextBlock.reserveAbove(segment);
        boolean isFillingUp = end > fillsUpAt;
        int quiet = Math.min(forcer.quietUpTo(segment, end), isFillingUp ? ALWAYS : fillsUpAt);
        QUIET_UP_TO.setOpaque(this, quiet); // before the call, which may lower it again
        log.events().onAppended(isFillingUp);
        if (!log.isDurable()) {
            forcer.call();
        }
    }

    @Override
    public void callAtNextAppend() {
        QUIET_UP_TO.setVolatile(this, 0);
    }

    @Override
    public boolean isToCall() {
        LogSegment last = log.activeSegment();
        return last == null || quietUpTo <= last.written();
    }
}
