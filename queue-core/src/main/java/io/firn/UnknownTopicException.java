package io.firn;

/** There is no topic of that name, or it was deleted. */
public final class UnknownTopicException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public UnknownTopicException(String message) {
        super(message);
    }
}
