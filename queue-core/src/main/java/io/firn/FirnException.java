package io.firn;

/**
 * Everything that Firn refuses or that fails below it. The message says what was expected, what was
 * found, and what to do.
 */
public class FirnException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** For subclasses and for failures that need no type of their own. */
    public FirnException(String message) {
        super(message);
    }

    /** With what lies beneath it. */
    public FirnException(String message, Throwable cause) {
        super(message, cause);
    }
}
