package io.firn;

/** Thrown when an option is unknown or out of its range. */
public final class InvalidOptionException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public InvalidOptionException(String message) {
        super(message);
    }
}
