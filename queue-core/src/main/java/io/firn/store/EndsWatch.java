package io.firn.store;

import io.firn.background.Duty;
import io.firn.log.LogContext;

/**
 * Looks once a second whether somebody has truncated, removed or replaced the file with the
 * published ends, and has it made again. An appender's store into a truncated file fails, and where
 * its code is compiled, Java may report that only after the append has returned, to the
 * application.
 */
final class EndsWatch extends Duty {
    private static final long INTERVAL_MS = 1_000;

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
