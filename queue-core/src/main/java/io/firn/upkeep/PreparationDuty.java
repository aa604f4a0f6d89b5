package io.firn.upkeep;

import io.firn.StoreFullException;
import io.firn.append.OpenAppenders;
import io.firn.background.Duties;
import io.firn.background.Duty;
import io.firn.log.SegmentedLog;
import java.io.IOException;

/**
 * Prepares space in the active segment for small appends, ahead of the writer. When that fails,
 * nothing is lost: the writer continues by calls, and finds out itself what is wrong.
 */
final class PreparationDuty extends Duty {
    private static final long FULL_RETRY_MS = 1_000;

    private final SegmentedLog log;
    private final OpenAppenders appenders;

    PreparationDuty(Duties duties, SegmentedLog log, OpenAppenders appenders) {
        super(duties, log, "space for appends");
        this.log = log;
        this.appenders = appenders;
    }

    @Override
    public int run() throws IOException {
        if (!log.state().isWritable() || !appenders.isSpaceWanted()) {
            return 0;
        }
        try {
            appenders.prepareSpace();
            if (appenders.isSpaceWanted()) {
                call(); // the next step, after what others have called meanwhile
            }
        } catch (StoreFullException e) {
            againAt(nowMs() + FULL_RETRY_MS);
        }
        return 1;
    }
}
