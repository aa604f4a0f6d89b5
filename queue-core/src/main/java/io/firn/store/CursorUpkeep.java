package io.firn.store;

import io.firn.background.Duty;

/** Persists a topic's cursors, at most once in an interval while any of them advances. */
final class CursorUpkeep extends Duty {
    private final Cursors cursors;
    private final long intervalMs;
    private long lastMs = Long.MIN_VALUE;

    CursorUpkeep(Cursors cursors) {
        super(cursors.topic().store().tidying(), cursors.topic(), "cursors");
        this.cursors = cursors;
        this.intervalMs = cursors.topic().store().config().cursorIntervalMs();
    }

    @Override
    public int run() {
        if (cursors.isGone()) {
            return 0;
        }
        if (lastMs <= nowMs() && nowMs() - intervalMs < lastMs) {
            againAt(lastMs + intervalMs);
            return 0;
        }
        lastMs = nowMs();
        cursors.write();
        return 0;
    }
}
