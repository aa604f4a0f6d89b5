package io.firn;

/**
 * Thrown when a record or batch is larger than the topic or its blocks allow.
 *
 * @see Appender
 */
public final class RecordTooLargeException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public RecordTooLargeException(String message) {
        super(message);
    }
}
