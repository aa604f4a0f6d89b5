package io.firn.server.log;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.protocol.Errors;

/**
 * Which names clients cannot give to new topics because others differ from them in dots and
 * underscores only: clients and tools name their metrics after topics, with one for the other. As
 * in Kafka, topics that are there when a request begins count, and the application may name its
 * topics as it likes. For the requests of one client at a time.
 */
public final class TopicNameCollisions {
    private final ServedTopics topics;
    private Map<String, String> taken;

    public TopicNameCollisions(ServedTopics topics) {
        this.topics = topics;
    }

    /** Returns the name of a topic that a new one would collide with; null if there is none. */
    String of(String name) {
        if (!Topic.hasCollisionChars(name)) {
            return null;
        }
        if (taken == null) { // once for all topics of a request
            taken = new HashMap<>();
            for (String each : topics.names()) {
                if (Topic.hasCollisionChars(each)) {
                    taken.putIfAbsent(Topic.unifyCollisionChars(each), each);
                }
            }
        }
        return taken.get(Topic.unifyCollisionChars(name));
    }

    /** Throws if a topic that does not exist would collide with another one. */
    public void check(String name) {
        String other = of(name);
        if (other != null) {
            throw Errors.INVALID_TOPIC_EXCEPTION.exception(
                    "Topic '"
                            + name
                            + "' collides with the existing topic '"
                            + other
                            + "', since '.' and '_' are the same in names of metrics. Choose another"
                            + " name.");
        }
    }
}
