package io.firn;

/**
 * Thrown when something is used after it was closed.
 *
 * @see LogStore
 */
public final class ClosedException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public ClosedException(String message) {
        super(message);
    }
}
