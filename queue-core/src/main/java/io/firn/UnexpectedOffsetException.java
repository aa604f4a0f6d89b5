package io.firn;

/**
 * Thrown when the next offset is not the {@linkplain Batch#expectedOffset expected} one, and by a
 * {@link io.firn.host.ReplicaAppender} when a batch begins below it.
 */
public final class UnexpectedOffsetException extends RefusedException {
    private static final long serialVersionUID = 1L;
    private final long expectedOffset;
    private final long nextOffset;

    /** Creates the exception with both offsets. */
    public UnexpectedOffsetException(long expectedOffset, long nextOffset) {
        super(
                "expected the next offset to be "
                        + expectedOffset
                        + ", found "
                        + nextOffset
                        + (expectedOffset > nextOffset
                                ? ": the log ends before it; read up to the next offset, and"
                                        + " decide again"
                                : ": other records were appended in between; wait until they are"
                                        + " durable (awaitDurable), read up to the next offset,"
                                        + " and decide again"));
        this.expectedOffset = expectedOffset;
        this.nextOffset = nextOffset;
    }

    /** Creates the exception with a complete message. */
    public UnexpectedOffsetException(String message, long expectedOffset, long nextOffset) {
        super(message);
        this.expectedOffset = expectedOffset;
        this.nextOffset = nextOffset;
    }

    /** Returns the offset that the caller expected. */
    public long expectedOffset() {
        return expectedOffset;
    }

    /**
     * Returns the offset that the next record would have had. Records below it may not be visible
     * yet: call {@link Appender#awaitDurable} with the offset before it, then read up to it.
     */
    public long nextOffset() {
        return nextOffset;
    }
}
