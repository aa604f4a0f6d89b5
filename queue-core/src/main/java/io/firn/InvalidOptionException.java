package io.firn;

/**
 * Thrown when an option or an argument is unknown, out of its range, or contradicts what is there.
 */
public final class InvalidOptionException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public InvalidOptionException(String message) {
        super(message);
    }
}
