package io.firn.host;

import io.firn.RefusedException;
import io.firn.TopicOptions;

/**
 * Thrown when something is asked of a replicated topic that only the log which it replicates may
 * decide, such as an append or a transaction; and when a replica is asked of a topic that is not
 * replicated ({@link TopicOptions#isReplicated}).
 */
public final class ReplicatedTopicException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public ReplicatedTopicException(String message) {
        super(message);
    }
}
