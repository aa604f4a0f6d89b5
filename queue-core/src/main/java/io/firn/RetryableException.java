package io.firn;

/**
 * The superclass of the exceptions after which the same call may succeed later, without a change in
 * the program: something is used up or in use at present. Nothing was appended or changed.
 *
 * @see Appender
 */
public non-sealed class RetryableException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public RetryableException(String message) {
        super(message);
    }

    /** Creates the exception with its cause. */
    public RetryableException(String message, Throwable cause) {
        super(message, cause);
    }
}
