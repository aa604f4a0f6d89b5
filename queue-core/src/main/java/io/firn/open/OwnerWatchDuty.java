package io.firn.open;

import io.firn.StoreLockedException;
import io.firn.background.Duty;
import io.firn.log.LogContext;
import io.firn.log.Ownership;
import java.util.function.Consumer;

/**
 * Looks once a second whether this process is still the only writer of the store, and whether a
 * program has truncated, removed or replaced the file with the published offsets, which it then
 * makes again. An appender's store into a truncated file fails, and where its code is compiled,
 * Java may report that only after the append has returned, to the application.
 */
final class OwnerWatchDuty extends Duty {
    private static final long INTERVAL_MS = 1_000;

    private final LogContext store;

    private OwnerWatchDuty(LogContext store) {
        super(store.tidying(), store.subject(), "owner of the store");
        this.store = store;
    }

    /** Begins to look. */
    static void begin(LogContext store, Consumer<StoreLockedException> onLost) {
        store.ownership().connect(new NextLook(store)::call, onLost);
        new OwnerWatchDuty(store).call();
    }

    @Override
    public int run() {
        if (store.ownership().look()) {
            if (store.published() != null) {
                store.published().check();
            }
            againAt(nowMs() + INTERVAL_MS);
        }
        return 0;
    }

    /**
     * Lets the next acknowledgement look, some time after the last look: a clock that is read for
     * each force would cost as much as a short force.
     */
    private static final class NextLook extends Duty {
        private final Ownership ownership;
        private long atMs = NEVER;

        NextLook(LogContext store) {
            super(store.tidying(), store.subject(), "next look");
            this.ownership = store.ownership();
        }

        @Override
        public int run() {
            if (atMs == NEVER || atMs - nowMs() > Ownership.INTERVAL_MS) { // or set back
                atMs = nowMs() + Ownership.INTERVAL_MS;
            }
            if (nowMs() >= atMs) {
                atMs = NEVER;
                ownership.lookAgain();
            } else {
                againAt(atMs);
            }
            return 0;
        }
    }
}
