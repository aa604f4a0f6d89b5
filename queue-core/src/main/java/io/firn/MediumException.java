package io.firn;

/**
 * Thrown when a medium failed, or what is stored there is damaged or cannot be used; the subclasses
 * say which. Look at the medium; often the store has to be opened again.
 *
 * @see Appender
 */
public non-sealed class MediumException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public MediumException(String message) {
        super(message);
    }

    /** Creates the exception with its cause. */
    public MediumException(String message, Throwable cause) {
        super(message, cause);
    }
}
