package io.firn;

/**
 * The medium failed under a partition: it refuses appends until the store is opened again; reads go
 * on.
 */
public final class PoisonedException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public PoisonedException(String message) {
        super(message);
    }

    /** With what lies beneath it. */
    public PoisonedException(String message, Throwable cause) {
        super(message, cause);
    }
}
