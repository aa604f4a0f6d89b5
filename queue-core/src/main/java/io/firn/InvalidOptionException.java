package io.firn;

/**
 * Thrown when an option is unknown, out of its range, or contradicts what is there; also for
 * arguments that are as fixed as an option.
 *
 * @see TopicOptions
 */
public final class InvalidOptionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public InvalidOptionException(String message) {
        super(message);
    }
}
