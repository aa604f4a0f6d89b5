package io.firn;

/**
 * The superclass of all exceptions that Firn throws for refused operations and failed media. The
 * message says what was expected, what was found, and what to do.
 */
public class FirnException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception; for subclasses, and for failures without a type of their own. */
    public FirnException(String message) {
        super(message);
    }

    /** Creates the exception with its cause. */
    public FirnException(String message, Throwable cause) {
        super(message, cause);
    }
}
