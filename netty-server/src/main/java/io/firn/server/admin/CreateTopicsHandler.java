package io.firn.server.admin;

import io.firn.InvalidOptionException;
import io.firn.server.config.TopicKeys;
import io.firn.server.log.DuplicateNames;
import io.firn.server.log.EffectiveTopicConfig;
import io.firn.server.log.ErrorMapper;
import io.firn.server.log.MutationQuota;
import io.firn.server.log.ServedTopics;
import io.firn.server.log.TopicNameCollisions;
import io.firn.server.quota.QuotaUsage;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import io.firn.server.wire.ResponseElements;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResultCollection;
import org.apache.kafka.common.protocol.Errors;

/** Handles CreateTopics. */
public final class CreateTopicsHandler implements Handler<CreateTopicsRequestData> {
    private static final int FIRST_STRICT = 6;

    /**
     * So many topics of a request are answered with their configuration, of which each has much.
     */
    private static final int MOST_CONFIGURATIONS = 2_000;

    /** About what an answered topic uses, as an object. */
    private static final int TOPIC_BYTES = 4_000;

    private final ServedTopics topics;
    private final QuotaUsage rates;

    /**
     * Creates the handler.
     *
     * @param rates how much of their quotas clients have used
     */
    public CreateTopicsHandler(ServedTopics topics, QuotaUsage rates) {
        this.topics = topics;
        this.rates = rates;
    }

    @Override
    public void handle(Exchange exchange, CreateTopicsRequestData request) {
        CreateTopicsResponseData response = new CreateTopicsResponseData();
        response.setTopics(new CreatableTopicResultCollection(request.topics().size()));
        Access access = exchange.connection().access();
        MutationQuota quota = new MutationQuota(rates, exchange, FIRST_STRICT);
        boolean any = access.has(Right.CREATE_TOPICS);
        TopicNameCollisions colliding = new TopicNameCollisions(topics);
        DuplicateNames<String> duplicates =
                new DuplicateNames<>(request.topics().stream().map(CreatableTopic::name));
        exchange.changeInSteps(
                request.topics(),
                asked -> {
                    if (duplicates.isAnswered(asked.name())) {
                        return; // one result for all of them
                    }
                    CreatableTopicResult result =
                            new ResponseElements.CreatedTopic().setName(asked.name());
                    try {
                        duplicates.check(asked.name(), asked.name());
                        if (!any) {
                            access.demand(Right.CREATE_TOPIC, asked.name());
                        }
                        create(asked, request.validateOnly() ? null : quota, colliding, result);
                        if (!access.has(Right.CREATED_CONFIGS, asked.name())) {
                            hideConfigs(result, Errors.TOPIC_AUTHORIZATION_FAILED);
                        } else if (response.topics().size() >= MOST_CONFIGURATIONS) {
                            hideConfigs(result, Errors.POLICY_VIOLATION);
                        } else {
                            exchange.addAnswerBytes(TOPIC_BYTES);
                        }
                    } catch (InvalidOptionException e) {
                        boolean name = e.getMessage().startsWith("a topic's name");
                        refuse(
                                result,
                                name ? Errors.INVALID_TOPIC_EXCEPTION : Errors.INVALID_CONFIG,
                                e.getMessage());
                    } catch (RuntimeException e) {
                        refuse(result, ErrorMapper.codeOf(e), ErrorMapper.textOf(e));
                    }
                    response.topics().add(result);
                },
                () -> exchange.reply(response.setThrottleTimeMs(quota.throttle())));
    }

    private static void hideConfigs(CreatableTopicResult result, Errors why) {
        result.setNumPartitions(-1)
                .setReplicationFactor((short) -1)
                .setConfigs(null)
                .setTopicConfigErrorCode(why.code());
    }

    /**
     * Checks in Kafka's order: name, existence, others alike, configuration, numbers, quota.
     *
     * @param quota null only to validate
     */
    private void create(
            CreatableTopic asked,
            MutationQuota quota,
            TopicNameCollisions colliding,
            CreatableTopicResult result) {
        Topic.validate(asked.name());
        if (topics.find(asked.name()) != null) {
            throw Errors.TOPIC_ALREADY_EXISTS.exception(
                    "Topic '" + asked.name() + "' already exists.");
        }
        colliding.check(asked.name());
        Map<String, String> set = new TreeMap<>();
        asked.configs().forEach(each -> set.put(each.name(), each.value()));
        EffectiveTopicConfig settings = topics.check(set);
        int partitions = partitionsOf(asked);
        Uuid id = Uuid.ZERO_UUID;
        if (quota != null) {
            quota.record(partitions);
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
                                                        DescribeConfigsHandler.sourceOf(
                                                                key.name(),
                                                                settings,
                                                                topics.node()))));
        result.setTopicId(id)
                .setNumPartitions(partitions)
                .setReplicationFactor((short) 1)
                .setConfigs(shown);
    }

    private int partitionsOf(CreatableTopic asked) {
        if (!asked.assignments().isEmpty()) {
            for (int i = 0; i < asked.assignments().size(); i++) {
                var assignment = asked.assignments().find(i);
                if (assignment == null
                        || !assignment.brokerIds().equals(List.of(topics.nodeId()))) {
                    throw Errors.INVALID_REPLICA_ASSIGNMENT.exception(
                            "Partitions 0, 1, … must be assigned to node "
                                    + topics.nodeId()
                                    + " alone.");
                }
            }
            return asked.assignments().size();
        }
        int partitions =
                asked.numPartitions() == -1
                        ? topics.config().integer("num.partitions")
                        : asked.numPartitions();
        if (partitions < 1 || partitions > ServedTopics.MAX_PARTITIONS) {
            Errors error = partitions < 1 ? Errors.INVALID_PARTITIONS : Errors.POLICY_VIOLATION;
            throw error.exception(
                    "A topic has 1 to "
                            + ServedTopics.MAX_PARTITIONS
                            + " partitions, not "
                            + partitions
                            + ".");
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
}
