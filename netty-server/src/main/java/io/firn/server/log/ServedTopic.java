package io.firn.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.Topic;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;

/** A topic as clients see it. Thread-safe. */
public final class ServedTopic {
    private final Topic topic;
    private final Uuid id;
    private final boolean internal;
    private volatile TopicSettings settings;

    /** Replaced under the monitor. */
    private volatile List<ServedPartition> partitions = List.of();

    @GuardedBy("this")
    private boolean closed;

    ServedTopic(Topic topic, TopicSettings settings) {
        this.topic = topic;
        this.id =
                new Uuid(topic.id().getMostSignificantBits(), topic.id().getLeastSignificantBits());
        this.internal = InternalTopics.isReserved(topic.name());
        this.settings = settings;
    }

    /** Returns the topic of the log. */
    public Topic topic() {
        return topic;
    }

    /** Returns the name. */
    public String name() {
        return topic.name();
    }

    /** Returns the id in the form of the protocol. */
    public Uuid id() {
        return id;
    }

    /** Returns whether Kafka reserves its name. */
    boolean isInternal() {
        return internal;
    }

    TopicSettings settings() {
        return settings;
    }

    void settings(TopicSettings changed) {
        settings = changed;
    }

    /** Returns a partition; null if there is none. */
    ServedPartition partition(int index) {
        List<ServedPartition> all = partitions;
        if (index >= 0 && index < all.size()) {
            return all.get(index);
        }
        return index < 0 || index >= topic.partitionCount() ? null : grow().get(index);
    }

    private synchronized List<ServedPartition> grow() {
        List<ServedPartition> all = new ArrayList<>(partitions);
        for (int i = all.size(); i < topic.partitionCount(); i++) {
            ServedPartition added = new ServedPartition(name(), topic.partition(i));
            if (closed) {
                added.close();
            }
            all.add(added);
        }
        partitions = List.copyOf(all);
        return partitions;
    }

    /** Releases the topic, because it was deleted or the server closes. */
    synchronized void close() {
        closed = true;
        partitions.forEach(ServedPartition::close);
    }
}
