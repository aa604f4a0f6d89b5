package io.firn.spring;

/**
 * Thrown when a key, value or header cannot be converted. A listener does not try such a record
 * again: it goes to the dead-letter topic at once.
 *
 * @see FirnListener
 */
public final class RecordConversionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message and its cause, which may be null. */
    public RecordConversionException(String message, Throwable cause) {
        super(message, cause);
    }
}
