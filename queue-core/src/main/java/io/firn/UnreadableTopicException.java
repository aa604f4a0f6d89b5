package io.firn;

/**
 * Thrown when a topic cannot be opened, created or deleted because the store has topics that it
 * cannot read: a topic file is corrupted or missing, or a newer version wrote it. One of them may
 * be the requested topic, and an empty topic of the same name would begin again at offset 0. The
 * message names each topic that cannot be read, what was found, and what to do. All other topics
 * are served.
 *
 * @see LogStore
 */
public final class UnreadableTopicException extends MediumException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public UnreadableTopicException(String message) {
        super(message);
    }
}
