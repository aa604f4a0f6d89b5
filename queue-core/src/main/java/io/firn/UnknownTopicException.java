package io.firn;

/**
 * Thrown when there is no topic of that name, or the topic was deleted.
 *
 * @see LogStore
 */
public final class UnknownTopicException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public UnknownTopicException(String message) {
        super(message);
    }
}
