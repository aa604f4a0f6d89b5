package io.firn.host;

import io.firn.RefusedException;

/**
 * Thrown when a foreign batch is not a valid Kafka record batch of magic 2.
 *
 * @see HostedStore
 */
public final class InvalidBatchException extends RefusedException {
    private static final long serialVersionUID = 1L;

    private final boolean corrupt;

    /** Creates the exception with a complete message. */
    public InvalidBatchException(String message) {
        this(message, false);
    }

    /** Creates the exception; {@code corrupt} says that the checksum does not match. */
    public InvalidBatchException(String message, boolean corrupt) {
        super(message);
        this.corrupt = corrupt;
    }

    /** Returns whether the checksum does not match; otherwise the producer made it invalid. */
    public boolean isCorrupt() {
        return corrupt;
    }
}
