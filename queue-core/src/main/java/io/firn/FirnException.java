package io.firn;

/**
 * The superclass of the exceptions for operations that fail although the call is right. {@link
 * RetryableException}: try again later. {@link RefusedException}: the log does not allow it, decide
 * what to do instead. {@link MediumException}: a medium failed. Each failure is one of these three.
 * Wrong calls are reported by the JDK's exceptions; the package's page has a table. The message
 * says what was expected, what was found, and what to do.
 *
 * @see LogStore
 */
public abstract sealed class FirnException extends RuntimeException
        permits MediumException, RefusedException, RetryableException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    FirnException(String message) {
        super(message);
    }

    /** Creates the exception with its cause. */
    FirnException(String message, Throwable cause) {
        super(message, cause);
    }
}
