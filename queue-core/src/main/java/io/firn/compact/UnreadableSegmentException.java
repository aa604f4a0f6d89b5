package io.firn.compact;

import io.firn.log.LogSegment;

/** A segment has bytes that cannot be read as batches and records, so it is left as it is. */
final class UnreadableSegmentException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient LogSegment segment;

    /**
     * Creates it.
     *
     * @param cause null when the bytes are damaged
     */
    UnreadableSegmentException(LogSegment segment, String why, Exception cause) {
        super(why, cause);
        this.segment = segment;
    }

    LogSegment segment() {
        return segment;
    }
}
