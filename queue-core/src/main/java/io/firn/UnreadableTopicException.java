package io.firn;

/**
 * A topic cannot be opened, created or deleted, since the store has topics that it cannot read: a
 * topic file is damaged or missing, or a newer version wrote it. One of them may be the topic that
 * was asked for, and an empty one beside it would begin again at offset 0. The message names each
 * topic that cannot be read, what was found, and what to do. All other topics are served.
 */
public final class UnreadableTopicException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public UnreadableTopicException(String message) {
        super(message);
    }
}
