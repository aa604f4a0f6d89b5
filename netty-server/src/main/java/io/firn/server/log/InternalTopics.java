package io.firn.server.log;

import io.firn.TopicExistsException;
import java.util.Map;
import org.apache.kafka.common.internals.Topic;

/**
 * Topics whose names Kafka reserves for itself. They are reported to clients as internal, so that a
 * subscription by pattern leaves them out, and only administrators may append to them.
 *
 * <p>Kafka creates {@code __consumer_offsets} when a client looks for a group for the first time;
 * clients, their tests and user interfaces expect that topic. It is created here at the same time
 * and stays empty, because committed offsets are cursors of the topics that they belong to. An
 * empty topic takes a small file and no segment. Thread-safe.
 */
public final class InternalTopics {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final String ADMINISTRATOR = "__admin_client";

    private final ServedTopics topics;
    private volatile boolean failed;

    /** Creates it for the served topics. */
    public InternalTopics(ServedTopics topics) {
        this.topics = topics;
    }

    /** Returns whether Kafka reserves a name. */
    static boolean isReserved(String name) {
        return Topic.isInternal(name);
    }

    /** Returns whether a client may append to internal topics, by Kafka's rule. */
    static boolean mayAppend(String clientId) {
        return ADMINISTRATOR.equals(clientId);
    }

    /**
     * Creates the topic of committed offsets if there is none; may write files. Groups work without
     * it: a failure is logged once, and the next call tries again.
     */
    public void ensureOffsetsTopic() {
        String name = Topic.GROUP_METADATA_TOPIC_NAME;
        try {
            if (topics.find(name) == null) {
                topics.create(name, 1, Map.of("cleanup.policy", "compact"));
                failed = false;
            }
        } catch (TopicExistsException e) {
            failed = false; // another request created it meanwhile
        } catch (RuntimeException e) {
            if (!failed) {
                failed = true;
                LOG.log(System.Logger.Level.WARNING, "the topic " + name + " cannot be created", e);
            }
        }
    }
}
