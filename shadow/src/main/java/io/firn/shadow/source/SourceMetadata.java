package io.firn.shadow.source;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.utils.internals.LogContext;

/** The metadata of the topics that are followed. Never creates a topic at the source. */
final class SourceMetadata extends Metadata {
    private final TopicSelection selection;

    SourceMetadata(ConsumerConfig config, TopicSelection selection, LogContext context) {
        super(
                config.getLong(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG),
                config.getLong(ConsumerConfig.RETRY_BACKOFF_MAX_MS_CONFIG),
                config.getLong(ConsumerConfig.METADATA_MAX_AGE_CONFIG),
                context,
                new ClusterResourceListeners());
        this.selection = selection;
    }

    @Override
    public MetadataRequest.Builder newMetadataRequestBuilder() {
        return selection.hasPattern()
                ? MetadataRequest.Builder.allTopics()
                : MetadataRequest.Builder.forTopicNames(selection.names(), false);
    }

    @Override
    protected boolean retainTopic(String topic, boolean isInternal, long nowMs) {
        return selection.selects(topic, isInternal);
    }

    /** Returns the topics that are followed and that the source has, by name. */
    Map<String, SourceTopic> topics() {
        Cluster cluster = fetch();
        Map<String, SourceTopic> topics = new TreeMap<>();
        for (String name : cluster.topics()) {
            if (!selection.selects(name, cluster.internalTopics().contains(name))) {
                continue;
            }
            Map<Integer, SourceTopic.Leader> leaders = new HashMap<>();
            for (PartitionInfo each : cluster.partitionsForTopic(name)) {
                leaders.put(each.partition(), leaderOf(each));
            }
            if (!leaders.isEmpty()) {
                topics.put(name, new SourceTopic(name, javaId(cluster.topicId(name)), leaders));
            }
        }
        return topics;
    }

    private SourceTopic.Leader leaderOf(PartitionInfo info) {
        LeaderAndEpoch current = currentLeader(new TopicPartition(info.topic(), info.partition()));
        return new SourceTopic.Leader(
                current.leader.map(Node::id).orElse(-1), current.epoch.orElse(-1));
    }

    static UUID javaId(Uuid id) {
        return id == null
                ? new UUID(0, 0)
                : new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    static Uuid kafkaId(UUID id) {
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
