package io.firn.store;

/** Persists a topic's cursors, at most once in an interval while any of them advances. */
final class CursorUpkeep extends Duty {
    private final TopicLog topic;
    private final long intervalMs;
    private long lastMs = Long.MIN_VALUE;

    CursorUpkeep(Store store, TopicLog topic) {
        super(store.tidying(), topic, "cursors");
        this.topic = topic;
        this.intervalMs = store.config().cursorIntervalMs();
    }

    @Override
    public int run() {
        if (topic.isGone()) {
            return 0;
        }
        if (lastMs <= nowMs() && nowMs() - intervalMs < lastMs) {
            againAt(lastMs + intervalMs);
            return 0;
        }
        lastMs = nowMs();
        topic.writeCursors();
        return 0;
    }
}
