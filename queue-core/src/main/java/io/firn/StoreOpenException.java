package io.firn;

/**
 * Thrown when a store cannot be opened: it is foreign, corrupted, of a newer version, incomplete or
 * unreachable.
 *
 * @see LogStore
 */
public final class StoreOpenException extends MediumException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public StoreOpenException(String message) {
        super(message);
    }

    /** Creates the exception with its cause. */
    public StoreOpenException(String message, Throwable cause) {
        super(message, cause);
    }
}
