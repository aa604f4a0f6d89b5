package io.firn.block;

import io.firn.StoreFullException;
import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.log.SegmentedLog;
import java.io.IOException;

/**
 * Prepares space in the active segment for small appends, ahead of the writer. When that fails,
 * nothing is lost: the writer continues by calls, and finds out itself what is wrong.
 */
public final class PreparationDuty extends Duty {
    private static final long FULL_RETRY_MS = 1_000;

    /** What appends to the partition, and knows where it wants space. */
    public interface Writer {
        /** Returns whether small appends want space that is prepared. */
        boolean isSpaceWanted();

        /** Returns whether they would soon be without. */
        boolean isSpaceUrgent();

        /** Prepares a step of it. */
        void prepareSpace() throws IOException;
    }

    private final SegmentedLog log;
    private final Writer writer;

    public PreparationDuty(Duties duties, SegmentedLog log, Writer writer) {
        super(duties, log.subject(), "space for appends");
        this.log = log;
        this.writer = writer;
    }

    @Override
    public int run() throws IOException {
        if (!log.state().isWritable() || !writer.isSpaceWanted()) {
            return 0;
        }
        try {
            writer.prepareSpace();
            if (writer.isSpaceWanted()) {
                continueSoon();
            }
        } catch (StoreFullException e) {
            againAt(nowMs() + FULL_RETRY_MS);
        }
        return 1;
    }

    /** The next step: after what others have called meanwhile, or after a pause. */
    private void continueSoon() {
        if (writer.isSpaceUrgent()) {
            call();
        } else {
            againAt(nowMs() + PreparedSpace.PAUSE_MS);
        }
    }
}
