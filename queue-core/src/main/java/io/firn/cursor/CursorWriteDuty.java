package io.firn.cursor;

import io.firn.background.Duty;
import java.util.Collections;
import java.util.Iterator;

/**
 * Persists a topic's cursors, at most once in an interval while any of them advances. One group in
 * each run, because each is a file that is forced, and others need the thread meanwhile: appenders
 * that wait for a block, for example.
 */
final class CursorWriteDuty extends Duty {
    private final Cursors cursors;
    private final long intervalMs;
    private long lastMs = Long.MIN_VALUE;

    /** Those that are left of this round. */
    private Iterator<CursorLog> left = Collections.emptyIterator();

    /** Whether one of this round was not written, or could have changed after its turn. */
    private boolean isIncomplete;

    CursorWriteDuty(Cursors cursors) {
        super(cursors.topic().store().tidying(), cursors.topic().subject(), "cursors");
        this.cursors = cursors;
        this.intervalMs = cursors.topic().store().config().cursorIntervalMs();
    }

    @Override
    public int run() {
        if (cursors.isGone()) {
            return 0;
        }
        if (!left.hasNext()) {
            if (lastMs <= nowMs() && nowMs() - intervalMs < lastMs) {
                againAt(lastMs + intervalMs);
                return 0;
            }
            lastMs = nowMs();
            left = cursors.all().iterator();
        }
        boolean isWritten = false;
        try {
            cursors.writeNext(left);
            isWritten = true;
        } finally {
            isIncomplete |= !isWritten || left.hasNext();
            if (left.hasNext()) {
                call();
            } else if (isIncomplete) {
                isIncomplete = false;
                againAt(lastMs + intervalMs);
            }
        }
        return 0;
    }
}
