package io.firn.server.log;

import io.firn.InvalidOptionException;
import io.firn.server.config.TopicKeys;
import io.firn.server.wire.Exchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** Creates, deletes and enlarges topics, and deletes records. */
public final class TopicAdmin {
    private static final int MOST_PARTITIONS = 100_000;

    private final ServedTopics topics;
    private final int nodeId;

    /** Over the topics. */
    public TopicAdmin(ServedTopics topics, int nodeId) {
        this.topics = topics;
        this.nodeId = nodeId;
    }

    // ---- create

    /** Answers CreateTopics. */
    public void create(Exchange exchange, CreateTopicsRequestData request) {
        CreateTopicsResponseData response = new CreateTopicsResponseData();
        Doubled<String> doubled =
                new Doubled<>(request.topics().stream().map(CreatableTopic::name));
        for (CreatableTopic asked : request.topics()) {
            if (doubled.isAnswered(asked.name())) {
                continue; // one answer for all of them
            }
            CreatableTopicResult result = new CreatableTopicResult().setName(asked.name());
            try {
                doubled.check(asked.name(), asked.name());
                create(asked, request.validateOnly(), result);
            } catch (InvalidOptionException e) {
                boolean name = e.getMessage().startsWith("a topic's name");
                refuse(
                        result,
                        name ? Errors.INVALID_TOPIC_EXCEPTION : Errors.INVALID_CONFIG,
                        e.getMessage());
            } catch (RuntimeException e) {
                refuse(result, Failures.codeOf(e), e.getMessage());
            }
            response.topics().add(result);
        }
        exchange.reply(response);
    }

    /** What is wrong is told in Kafka's order: name, existence, configuration, numbers. */
    private void create(CreatableTopic asked, boolean onlyCheck, CreatableTopicResult result) {
        Topic.validate(asked.name());
        if (topics.find(asked.name()) != null) {
            throw Errors.TOPIC_ALREADY_EXISTS.exception(
                    "Topic '" + asked.name() + "' already exists.");
        }
        Map<String, String> set = new TreeMap<>();
        asked.configs().forEach(each -> set.put(each.name(), each.value()));
        TopicSettings settings = topics.check(set);
        int partitions = partitionsOf(asked);
        Uuid id = Uuid.ZERO_UUID;
        if (!onlyCheck) {
            id = topics.create(asked.name(), partitions, set).id();
        }
        List<CreatableTopicConfigs> shown = new ArrayList<>();
        TopicKeys.inOrder()
                .forEach(
                        key ->
                                shown.add(
                                        new CreatableTopicConfigs()
                                                .setName(key.name())
                                                .setValue(settings.get(key.name()))
                                                .setConfigSource(
                                                        ConfigAdmin.sourceOf(
                                                                key.name(),
                                                                settings,
                                                                topics.config()))));
        result.setTopicId(id)
                .setNumPartitions(partitions)
                .setReplicationFactor((short) 1)
                .setConfigs(shown);
    }

    private int partitionsOf(CreatableTopic asked) {
        if (!asked.assignments().isEmpty()) {
            for (int i = 0; i < asked.assignments().size(); i++) {
                var assignment = asked.assignments().find(i);
                if (assignment == null || !assignment.brokerIds().equals(List.of(nodeId))) {
                    throw Errors.INVALID_REPLICA_ASSIGNMENT.exception(
                            "Partitions 0, 1, … must be assigned to node " + nodeId + " alone.");
                }
            }
            return asked.assignments().size();
        }
        int partitions =
                asked.numPartitions() == -1
                        ? topics.config().integer("num.partitions")
                        : asked.numPartitions();
        if (partitions < 1 || partitions > MOST_PARTITIONS) {
            throw Errors.INVALID_PARTITIONS.exception(
                    "A topic has 1 to " + MOST_PARTITIONS + " partitions, not " + partitions + ".");
        }
        if (asked.replicationFactor() != -1 && asked.replicationFactor() != 1) {
            throw Errors.INVALID_REPLICATION_FACTOR.exception(
                    "There is one node: the replication factor is 1, not "
                            + asked.replicationFactor()
                            + ".");
        }
        return partitions;
    }

    private static void refuse(CreatableTopicResult result, Errors error, String message) {
        result.setErrorCode(error.code())
                .setErrorMessage(message)
                .setConfigs(new ArrayList<>())
                .setTopicConfigErrorCode(Errors.NONE.code());
    }

    // ---- delete

    /** Answers DeleteTopics. */
    public void delete(Exchange exchange, DeleteTopicsRequestData request) {
        DeleteTopicsResponseData response = new DeleteTopicsResponseData();
        List<DeleteTopicState> asked = new ArrayList<>(request.topics());
        request.topicNames().forEach(name -> asked.add(new DeleteTopicState().setName(name)));
        Doubled<String> doubled =
                new Doubled<>(asked.stream().map(DeleteTopicState::name).filter(Objects::nonNull));
        for (DeleteTopicState each : asked) {
            if (doubled.isAnswered(each.name())) {
                continue;
            }
            DeletableTopicResult result =
                    new DeletableTopicResult().setName(each.name()).setTopicId(each.topicId());
            try {
                doubled.check(each.name(), each.name());
                delete(each, result);
            } catch (RuntimeException e) {
                result.setErrorCode(Failures.codeOf(e).code()).setErrorMessage(e.getMessage());
            }
            response.responses().add(result);
        }
        exchange.reply(response);
    }

    private void delete(DeleteTopicState asked, DeletableTopicResult result) {
        if (!topics.config().flag("delete.topic.enable")) {
            throw Errors.TOPIC_DELETION_DISABLED.exception();
        }
        boolean byName = asked.name() != null;
        if (byName != asked.topicId().equals(Uuid.ZERO_UUID)) {
            throw Errors.INVALID_REQUEST.exception(
                    "A topic must be named either by its name or by its id.");
        }
        ServedTopic topic = byName ? topics.find(asked.name()) : topics.find(asked.topicId());
        if (topic == null) {
            throw byName
                    ? Errors.UNKNOWN_TOPIC_OR_PARTITION.exception()
                    : Errors.UNKNOWN_TOPIC_ID.exception();
        }
        topics.delete(topic.name());
        result.setName(topic.name()).setTopicId(topic.id());
    }

    // ---- partitions

    /** Answers CreatePartitions. */
    public void createPartitions(Exchange exchange, CreatePartitionsRequestData request) {
        CreatePartitionsResponseData response = new CreatePartitionsResponseData();
        Doubled<String> doubled =
                new Doubled<>(request.topics().stream().map(CreatePartitionsTopic::name));
        for (CreatePartitionsTopic asked : request.topics()) {
            if (doubled.isAnswered(asked.name())) {
                continue;
            }
            CreatePartitionsTopicResult result =
                    new CreatePartitionsTopicResult().setName(asked.name());
            try {
                doubled.check(asked.name(), asked.name());
                enlarge(asked, request.validateOnly());
            } catch (RuntimeException e) {
                result.setErrorCode(Failures.codeOf(e).code()).setErrorMessage(e.getMessage());
            }
            response.results().add(result);
        }
        exchange.reply(response);
    }

    private void enlarge(CreatePartitionsTopic asked, boolean onlyCheck) {
        ServedTopic topic = topics.find(asked.name());
        if (topic == null) {
            throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception();
        }
        int now = topic.topic().partitionCount();
        if (asked.count() <= now || asked.count() > MOST_PARTITIONS) {
            throw Errors.INVALID_PARTITIONS.exception(
                    "The topic currently has "
                            + now
                            + " partitions; it can have more, up to "
                            + MOST_PARTITIONS
                            + ", not "
                            + asked.count()
                            + ".");
        }
        if (asked.assignments() != null) {
            boolean fits =
                    asked.assignments().size() == asked.count() - now
                            && asked.assignments().stream()
                                    .allMatch(each -> each.brokerIds().equals(List.of(nodeId)));
            if (!fits) {
                throw Errors.INVALID_REPLICA_ASSIGNMENT.exception(
                        "Each new partition must be assigned to node " + nodeId + " alone.");
            }
        }
        if (!onlyCheck) {
            topic.topic().addPartitions(asked.count());
        }
    }

    // ---- records

    /** Answers DeleteRecords. */
    public void deleteRecords(Exchange exchange, DeleteRecordsRequestData request) {
        DeleteRecordsResponseData response = new DeleteRecordsResponseData();
        for (var topic : request.topics()) {
            DeleteRecordsTopicResult results = new DeleteRecordsTopicResult().setName(topic.name());
            response.topics().add(results);
            ServedTopic served = topics.find(topic.name());
            for (var each : topic.partitions()) {
                results.partitions()
                        .add(deleteRecords(served, each.partitionIndex(), each.offset()));
            }
        }
        exchange.reply(response);
    }

    private static DeleteRecordsPartitionResult deleteRecords(
            ServedTopic topic, int index, long before) {
        DeleteRecordsPartitionResult result =
                new DeleteRecordsPartitionResult().setPartitionIndex(index).setLowWatermark(-1);
        ServedPartition served = topic == null ? null : topic.partition(index);
        try {
            if (served == null) {
                throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception();
            }
            if (!topic.settings().isDeleted()) {
                throw Errors.POLICY_VIOLATION.exception();
            }
            var partition = served.partition();
            long offset = before == -1 ? partition.visibleOffset() : before;
            if (offset < 0 || offset > partition.visibleOffset()) {
                throw Errors.OFFSET_OUT_OF_RANGE.exception();
            }
            if (offset > partition.durableOffset()) {
                partition.force();
            }
            return result.setLowWatermark(partition.deleteRecordsBefore(offset));
        } catch (ApiException e) {
            return result.setErrorCode(Errors.forException(e).code());
        } catch (RuntimeException e) {
            return result.setErrorCode(Failures.codeOf(e).code());
        }
    }
}
