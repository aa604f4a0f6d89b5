package io.firn.store;

import java.io.IOException;

/** Removes a deleted topic's segments, then its files, the tombstone last (O5). */
final class Burial extends Duty {
    private final Store store;
    private final TopicLog topic;

    Burial(Store store, TopicLog topic) {
        super(store.tidying(), topic, "deletion");
        this.store = store;
        this.topic = topic;
    }

    @Override
    public int run() throws IOException {
        if (store.bury(topic)) {
            return 1;
        }
        againSoon(); // readers, appenders or moves still hold something
        return 0;
    }
}
