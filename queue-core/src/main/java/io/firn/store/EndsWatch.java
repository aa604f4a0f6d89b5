package io.firn.store;

import io.firn.background.Duty;
import io.firn.log.LogContext;

/**
 * Looks every few seconds whether somebody has truncated, removed or replaced the file with the
 * published ends, and has it made again. An appender's store into a truncated file fails, and where
 * its code is compiled, Java may report that only after the append has returned, to the
 * application.
 */
final class EndsWatch extends Duty {
    /**
     * Code that runs so rarely takes a millisecond of a processor, and an appender may spin there.
     */
    private static final long INTERVAL_MS = 5_000;

    private final LogContext store;

    EndsWatch(LogContext store) {
        super(store.tidying(), "store " + store.config().directory(), "published ends");
        this.store = store;
    }

    @Override
    public int run() {
        store.ends().check();
        againAt(nowMs() + INTERVAL_MS);
        return 0;
    }
}
