package io.firn.server.log;

import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.host.HostedPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.concurrent.GuardedBy;
import org.apache.kafka.common.Uuid;

/** A topic as clients see it. Thread-safe. */
public final class ServedTopic {
    /** The client id of Kafka's tools for administrators. */
    private static final String ADMINISTRATOR = "__admin_client";

    private final Topic topic;
    private final Uuid id;
    private final boolean internal;

    @GuardedBy("this")
    private Map<String, String> defaults;

    private volatile EffectiveTopicConfig settings;

    @GuardedBy("this")
    private TopicConfigSources choices;

    /** Replaced under the monitor. */
    private volatile List<ServedPartition> partitions = List.of();

    @GuardedBy("this")
    private boolean closed;

    /**
     * Creates a topic.
     *
     * @param defaults the server's defaults
     */
    ServedTopic(Topic topic, TopicConfigSources choices, Map<String, String> defaults) {
        this.topic = topic;
        this.id =
                new Uuid(topic.id().getMostSignificantBits(), topic.id().getLeastSignificantBits());
        this.internal = org.apache.kafka.common.internals.Topic.isInternal(topic.name());
        this.choices = choices;
        this.defaults = defaults;
        this.settings = settingsNow();
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

    /**
     * Returns whether Kafka reserves its name. Such topics are reported to clients as internal, so
     * that a subscription by pattern leaves them out.
     */
    public boolean isInternal() {
        return internal;
    }

    /** Returns whether a client may append, by Kafka's rule for internal topics. */
    boolean takesFrom(String clientId) {
        return !internal || ADMINISTRATOR.equals(clientId);
    }

    /** Returns what holds now: the application may have changed options. */
    public EffectiveTopicConfig settings() {
        EffectiveTopicConfig last = settings;
        return last.isOf(topic.options()) ? last : look();
    }

    private synchronized EffectiveTopicConfig look() {
        settings = settingsNow();
        return settings;
    }

    @GuardedBy("this")
    private EffectiveTopicConfig settingsNow() {
        TopicOptions options = topic.options();
        return new EffectiveTopicConfig(options, choices.heldBy(options).named(), defaults);
    }

    /** Returns who chose its values. */
    synchronized TopicConfigSources choices() {
        return choices;
    }

    /** Sets who chose its values. */
    synchronized void choices(TopicConfigSources changed) {
        choices(changed, defaults);
    }

    /** Sets who chose its values, and the server's defaults. */
    synchronized void choices(TopicConfigSources changed, Map<String, String> serversDefaults) {
        choices = changed;
        defaults = serversDefaults;
        settings = settingsNow();
    }

    /** Returns a partition; null if there is none. */
    public ServedPartition partition(int index) {
        List<ServedPartition> all = partitions;
        if (index >= 0 && index < all.size()) {
            return all.get(index);
        }
        return index < 0 || index >= topic.partitionCount() ? null : grow().get(index);
    }

    private synchronized List<ServedPartition> grow() {
        List<ServedPartition> all = new ArrayList<>(partitions);
        for (int i = all.size(); i < topic.partitionCount(); i++) {
            ServedPartition added =
                    new ServedPartition(name(), HostedPartition.of(topic.partition(i)));
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
