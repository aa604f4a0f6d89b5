package io.firn.server.group;

import io.firn.TopicExistsException;
import io.firn.server.log.ServedTopics;
import java.util.Map;
import org.apache.kafka.common.internals.Topic;

/**
 * The topic {@code __consumer_offsets}. Kafka creates it when a client looks for a group for the
 * first time; clients, their tests and user interfaces expect it. Here it is created at the same
 * time and stays empty, because committed offsets are cursors of the topics that they belong to. An
 * empty topic uses a small file and no segment. Thread-safe.
 */
public final class OffsetsTopic {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    private final ServedTopics topics;
    private volatile boolean failed;

    /** Creates no topic yet. */
    public OffsetsTopic(ServedTopics topics) {
        this.topics = topics;
    }

    /**
     * Creates the topic if it does not exist; may write files. Groups work without it: a failure is
     * logged once, and the next call tries again.
     */
    public void ensureExists() {
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
