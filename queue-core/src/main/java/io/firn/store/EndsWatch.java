package io.firn.store;

import io.firn.background.Duty;
import io.firn.log.LogContext;

/**
 * Looks once a second whether the file with the published ends was truncated. An appender's store
 * into it fails then, and where its code is compiled, Java may report that only after the append
 * has returned, to the application.
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
        if (!store.ends().isLost()) {
            againAt(nowMs() + INTERVAL_MS);
        }
        return 0;
    }
}
