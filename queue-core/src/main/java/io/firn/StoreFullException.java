package io.firn;

/**
 * Thrown when no tier has room for another segment, or when a file could not be opened for ten
 * seconds because too many are open; the message says which, and what to do. Nothing was appended.
 * Reads continue; appends work again when there is room.
 *
 * @see Appender
 */
public final class StoreFullException extends RetryableException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public StoreFullException(String message) {
        super(message);
    }

    /** Creates the exception with its cause. */
    public StoreFullException(String message, Throwable cause) {
        super(message, cause);
    }
}
