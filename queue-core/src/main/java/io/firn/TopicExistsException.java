package io.firn;

/**
 * Thrown when a topic of that name already exists.
 *
 * @see LogStore
 */
public final class TopicExistsException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public TopicExistsException(String message) {
        super(message);
    }
}
