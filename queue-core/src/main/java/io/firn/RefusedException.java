package io.firn;

/**
 * The superclass of the exceptions for calls that are refused because of what the log holds, what
 * its options allow, or what was closed. The same call is refused again: the program has to decide
 * what to do instead. Nothing was appended or changed.
 *
 * @see Appender
 */
public non-sealed class RefusedException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public RefusedException(String message) {
        super(message);
    }

    /** Creates the exception with its cause. */
    public RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
