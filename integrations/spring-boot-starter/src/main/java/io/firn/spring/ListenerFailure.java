package io.firn.spring;

import io.firn.StoredRecord;

/** A record that a listener did not handle. */
final class ListenerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient StoredRecord record;
    private final boolean isWorthRetrying;

    /** Creates a failure; has no stack trace of its own. */
    ListenerFailure(StoredRecord record, Throwable cause, boolean isWorthRetrying) {
        super(null, cause, false, false);
        this.record = record;
        this.isWorthRetrying = isWorthRetrying;
    }

    StoredRecord record() {
        return record;
    }

    /** Returns whether another attempt may succeed. */
    boolean isWorthRetrying() {
        return isWorthRetrying;
    }
}
