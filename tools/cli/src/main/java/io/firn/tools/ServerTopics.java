package io.firn.tools;

import static io.firn.tools.ServerConnection.get;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** The topics of a server. */
final class ServerTopics implements Topics {
    private final ServerConnection connection;
    private final Admin admin;

    ServerTopics(ServerConnection connection) {
        this.connection = connection;
        this.admin = connection.admin();
    }

    @Override
    public List<Description> all() {
        return describe(get(admin.listTopics().names()));
    }

    @Override
    public Description describe(String name) {
        return describe(List.of(name)).get(0);
    }

    private List<Description> describe(Collection<String> names) {
        Map<String, TopicDescription> topics = get(admin.describeTopics(names).allTopicNames());
        List<TopicPartition> partitions = new ArrayList<>();
        topics.forEach(
                (name, topic) ->
                        topic.partitions()
                                .forEach(
                                        each ->
                                                partitions.add(
                                                        new TopicPartition(
                                                                name, each.partition()))));
        Map<TopicPartition, Long> starts = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
        Map<TopicPartition, Long> sizes = sizes();
        Map<String, Map<String, String>> configs = configs(names);
        List<Description> all = new ArrayList<>();
        for (String name : new TreeSet<>(topics.keySet())) {
            List<PartitionState> states = new ArrayList<>();
            topics.get(name)
                    .partitions()
                    .forEach(
                            each -> {
                                TopicPartition key = new TopicPartition(name, each.partition());
                                states.add(
                                        new PartitionState(
                                                each.partition(),
                                                starts.get(key),
                                                ends.get(key),
                                                ends.get(key),
                                                null,
                                                sizes.get(key)));
                            });
            String id = topics.get(name).topicId().toString();
            all.add(new Description(name, id, states, configs.get(name)));
        }
        return all;
    }

    /** Returns the offset that a specification stands for in each partition. */
    Map<TopicPartition, Long> offsets(Collection<TopicPartition> partitions, OffsetSpec spec) {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions.forEach(each -> asked.put(each, spec));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        Map<TopicPartition, ListOffsetsResultInfo> answers = get(admin.listOffsets(asked).all());
        answers.forEach((partition, answer) -> offsets.put(partition, answer.offset()));
        return offsets;
    }

    private Map<TopicPartition, Long> sizes() {
        List<Integer> brokers =
                get(admin.describeCluster().nodes()).stream().map(Node::id).toList();
        Map<TopicPartition, Long> sizes = new HashMap<>();
        for (Map<String, LogDirDescription> broker :
                get(admin.describeLogDirs(brokers).allDescriptions()).values()) {
            for (LogDirDescription directory : broker.values()) {
                directory
                        .replicaInfos()
                        .forEach((each, info) -> sizes.merge(each, info.size(), Math::max));
            }
        }
        return sizes;
    }

    private Map<String, Map<String, String>> configs(Collection<String> names) {
        List<ConfigResource> resources =
                names.stream()
                        .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                        .toList();
        Map<ConfigResource, Config> answers = get(admin.describeConfigs(resources).all());
        Map<String, Map<String, String>> configs = new HashMap<>();
        answers.forEach(
                (resource, config) -> {
                    Map<String, String> changed = new TreeMap<>();
                    for (ConfigEntry each : config.entries()) {
                        if (each.source() == ConfigSource.DYNAMIC_TOPIC_CONFIG) {
                            changed.put(each.name(), each.value());
                        }
                    }
                    configs.put(resource.name(), changed);
                });
        return configs;
    }

    @Override
    public void create(String name, int partitions, Map<String, String> config) {
        NewTopic topic = new NewTopic(name, Optional.of(partitions), Optional.empty());
        get(admin.createTopics(List.of(topic.configs(config))).all());
    }

    @Override
    public void alter(
            String name, int partitions, Map<String, String> config, Collection<String> unset) {
        List<AlterConfigOp> changes = new ArrayList<>();
        config.forEach(
                (key, value) ->
                        changes.add(new AlterConfigOp(new ConfigEntry(key, value), OpType.SET)));
        unset.forEach(
                key -> changes.add(new AlterConfigOp(new ConfigEntry(key, ""), OpType.DELETE)));
        if (!changes.isEmpty()) {
            ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
            get(admin.incrementalAlterConfigs(Map.of(topic, changes)).all());
        }
        if (partitions > 0) {
            get(admin.createPartitions(Map.of(name, NewPartitions.increaseTo(partitions))).all());
        }
    }

    @Override
    public void delete(String name) {
        get(admin.deleteTopics(List.of(name)).all());
    }

    @Override
    public void close() {
        connection.close();
    }
}
