package io.firn;

/** A topic of that name exists. */
public final class TopicExistsException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public TopicExistsException(String message) {
        super(message);
    }
}
