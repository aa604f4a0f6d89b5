package io.firn.server.log;

import io.firn.InvalidOptionException;
import io.firn.LimitExceededException;
import io.firn.TopicExistsException;
import io.firn.UnreadableTopicException;
import io.firn.server.quota.QuotaUsage;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import io.firn.server.wire.ResponseElements;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopicCollection;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Handles Metadata: this node leads all partitions. Leader epochs are −1, because clients validate
 * their offsets after each change of an epoch.
 */
public final class MetadataHandler implements Handler<MetadataRequestData> {
    /** More topics or partitions than this are described in the background. */
    private static final int MANY = 500;

    // About what an answer uses, as an object.
    private static final int TOPIC_BYTES = 200;
    private static final int PARTITION_BYTES = 120;

    /** Called when a topic was created because a client has asked for it, or could not be. */
    @FunctionalInterface
    public interface CreationListener {
        /** Called with the result, on the thread that created the topic. */
        void onCreation(Exchange exchange, String topic, Errors result);
    }

    private final ServedTopics topics;
    private final AdvertisedListeners nodes;
    private final Executor background;
    private final QuotaUsage rates;
    private final CreationListener listener;

    /**
     * Creates the handler.
     *
     * @param background creates topics, which writes files, and gives long answers
     * @param rates how much of their quotas clients have used
     * @param listener is called for topics that are created, or could not be
     */
    public MetadataHandler(
            ServedTopics topics,
            AdvertisedListeners nodes,
            Executor background,
            QuotaUsage rates,
            CreationListener listener) {
        this.topics = topics;
        this.nodes = nodes;
        this.background = background;
        this.rates = rates;
        this.listener = listener;
    }

    @Override
    public void handle(Exchange exchange, MetadataRequestData request) {
        boolean mayCreate =
                topics.config().flag("auto.create.topics.enable")
                        && request.topics() != null
                        && (exchange.version() < 4 || request.allowAutoTopicCreation())
                        && request.topics().stream()
                                .anyMatch(t -> !isById(t) && topics.find(t.name()) == null);
        if (mayCreate || isLarge(exchange, request)) {
            exchange.handleOn(background, () -> answer(exchange, request, mayCreate));
        } else {
            MetadataResponseData response = head(exchange, request);
            add(response, exchange, request);
            exchange.reply(response);
        }
    }

    /** A short request may have a long answer, which an event loop must not wait for. */
    private boolean isLarge(Exchange exchange, MetadataRequestData request) {
        return isForAll(exchange, request)
                ? topics.partitionCount() > MANY
                : request.topics().size() > MANY;
    }

    private static boolean isForAll(Exchange exchange, MetadataRequestData request) {
        return request.topics() == null || (exchange.version() == 0 && request.topics().isEmpty());
    }

    private MetadataResponseData head(Exchange exchange, MetadataRequestData request) {
        AdvertisedListeners.Node here = nodes.of(exchange);
        MetadataResponseData response =
                new MetadataResponseData()
                        .setClusterId(here.clusterId())
                        .setControllerId(here.id());
        int count = isForAll(exchange, request) ? topics.names().size() : request.topics().size();
        response.setTopics(new MetadataResponseTopicCollection(count));
        response.brokers()
                .add(
                        new MetadataResponseBroker()
                                .setNodeId(here.id())
                                .setHost(here.host())
                                .setPort(here.port()));
        if (request.includeClusterAuthorizedOperations()) {
            response.setClusterAuthorizedOperations(exchange.connection().access().operations());
        }
        return response;
    }

    /** Answers a small request at once. */
    private void add(
            MetadataResponseData response, Exchange exchange, MetadataRequestData request) {
        AdvertisedListeners.Node here = nodes.of(exchange);
        if (isForAll(exchange, request)) {
            Access access = exchange.connection().access();
            for (String name : topics.names()) {
                ServedTopic topic = topics.find(name);
                if (topic != null && access.has(Right.METADATA, name)) {
                    addTopic(response, exchange, request, describe(topic, here));
                }
            }
        } else {
            once(request.topics())
                    .forEach(
                            asked ->
                                    addTopic(
                                            response,
                                            exchange,
                                            request,
                                            describe(exchange, asked, here, null)));
        }
    }

    private static void addTopic(
            MetadataResponseData response,
            Exchange exchange,
            MetadataRequestData request,
            MetadataResponseTopic topic) {
        // As in Kafka, also for a topic that does not exist, if it may be described.
        if (request.includeTopicAuthorizedOperations()
                && topic.errorCode() != Errors.UNKNOWN_TOPIC_ID.code()
                && topic.errorCode() != Errors.TOPIC_AUTHORIZATION_FAILED.code()) {
            Access access = exchange.connection().access();
            topic.setTopicAuthorizedOperations(access.operations(ResourceType.TOPIC, topic.name()));
        }
        response.topics().add(topic);
    }

    /** Answers in the background. As in Kafka, each topic once. */
    private void answer(Exchange exchange, MetadataRequestData request, boolean create) {
        AdvertisedListeners.Node here = nodes.of(exchange);
        MetadataResponseData response = head(exchange, request);
        MutationQuota quota = new MutationQuota(rates, exchange, 0);
        Creation creation = create ? new Creation(quota, new TopicNameCollisions(topics)) : null;
        Runnable end = () -> exchange.reply(response.setThrottleTimeMs(quota.throttle()));
        if (isForAll(exchange, request)) {
            exchange.inSteps(
                    topics.names(),
                    name -> {
                        if (!exchange.connection().access().has(Right.METADATA, name)) {
                            return;
                        }
                        ServedTopic topic = topics.find(name);
                        exchange.addAnswerBytes(bytesFor(topic));
                        if (topic != null) {
                            addTopic(response, exchange, request, describe(topic, here));
                        }
                    },
                    end);
        } else {
            exchange.inSteps(
                    once(request.topics()),
                    asked -> {
                        exchange.addAnswerBytes(
                                bytesFor(
                                        isById(asked)
                                                ? topics.find(asked.topicId())
                                                : topics.find(asked.name())));
                        addTopic(
                                response,
                                exchange,
                                request,
                                describe(exchange, asked, here, creation));
                    },
                    end);
        }
    }

    /** By text, because names that clients choose may all have one hash, and topics no order. */
    private static Collection<MetadataRequestTopic> once(List<MetadataRequestTopic> asked) {
        Map<String, MetadataRequestTopic> once = new LinkedHashMap<>();
        asked.forEach(each -> once.putIfAbsent(each.topicId() + " " + each.name(), each));
        return once.values();
    }

    private static long bytesFor(ServedTopic topic) {
        int partitions = topic == null ? 0 : topic.topic().partitionCount();
        return TOPIC_BYTES + (long) PARTITION_BYTES * partitions;
    }

    /** Kafka's Admin sends an id with an empty name. */
    private static boolean isById(MetadataRequestTopic asked) {
        return asked.name() == null
                || (asked.name().isEmpty() && !asked.topicId().equals(Uuid.ZERO_UUID));
    }

    /** What topics that a request creates are checked by. */
    private record Creation(MutationQuota quota, TopicNameCollisions colliding) {}

    /** The creation is null if no topic may be created. */
    private MetadataResponseTopic describe(
            Exchange exchange,
            MetadataRequestTopic asked,
            AdvertisedListeners.Node here,
            Creation creation) {
        Access access = exchange.connection().access();
        if (isById(asked)) {
            ServedTopic topic = topics.find(asked.topicId());
            return topic != null && access.may(Right.METADATA, topic.name())
                    ? describe(topic, here)
                    : withoutName(asked.topicId(), topic != null);
        }
        ServedTopic topic = topics.find(asked.name());
        if (!access.may(Right.METADATA, asked.name())
                || (topic == null && creation != null && !mayCreate(access, asked.name()))) {
            return without(asked.name(), Errors.TOPIC_AUTHORIZATION_FAILED);
        }
        // No topic can have an invalid name, so the client need not try again.
        Errors error =
                Topic.isValid(asked.name()) ? topics.missing() : Errors.INVALID_TOPIC_EXCEPTION;
        if (topic == null && creation != null) {
            error = create(exchange, asked.name(), creation, error);
            topic = topics.find(asked.name());
        }
        return topic != null ? describe(topic, here) : without(asked.name(), error);
    }

    /** Returns why there may be no topic. */
    private Errors create(Exchange exchange, String name, Creation creation, Errors missing) {
        int partitions = topics.config().integer("num.partitions");
        if (creation.colliding.of(name) != null) {
            return Errors.INVALID_TOPIC_EXCEPTION; // as for a name that no topic can have
        }
        try {
            creation.quota.record(partitions);
            topics.create(name, partitions, Map.of());
            listener.onCreation(exchange, name, Errors.NONE);
            return Errors.LEADER_NOT_AVAILABLE; // if it is deleted at once
        } catch (ThrottlingQuotaExceededException e) {
            return missing; // the client tries again after the throttle time
        } catch (TopicExistsException e) {
            return Errors.LEADER_NOT_AVAILABLE; // another client has just created it
        } catch (UnreadableTopicException | LimitExceededException e) {
            listener.onCreation(exchange, name, ErrorMapper.codeOf(e));
            return ErrorMapper.codeOf(e);
        } catch (InvalidOptionException e) {
            return Errors.INVALID_TOPIC_EXCEPTION;
        }
    }

    private static boolean mayCreate(Access access, String name) {
        return access.has(Right.METADATA_CREATE_ANY) || access.may(Right.METADATA_CREATE, name);
    }

    /** An id is no secret, a name is. */
    private static MetadataResponseTopic withoutName(Uuid id, boolean exists) {
        Errors error = exists ? Errors.TOPIC_AUTHORIZATION_FAILED : Errors.UNKNOWN_TOPIC_ID;
        return new ResponseElements.MetadataTopic().setTopicId(id).setErrorCode(error.code());
    }

    private static MetadataResponseTopic without(String name, Errors error) {
        return new ResponseElements.MetadataTopic()
                .setName(name)
                .setTopicId(Uuid.ZERO_UUID)
                .setErrorCode(error.code());
    }

    private static MetadataResponseTopic describe(
            ServedTopic topic, AdvertisedListeners.Node here) {
        List<Integer> onlyHere = List.of(here.id());
        List<MetadataResponsePartition> partitions =
                IntStream.range(0, topic.topic().partitionCount())
                        .mapToObj(
                                i ->
                                        new MetadataResponsePartition()
                                                .setPartitionIndex(i)
                                                .setLeaderId(here.id())
                                                .setLeaderEpoch(-1)
                                                .setReplicaNodes(onlyHere)
                                                .setIsrNodes(onlyHere))
                        .toList();
        return new ResponseElements.MetadataTopic()
                .setName(topic.name())
                .setTopicId(topic.id())
                .setIsInternal(topic.isInternal())
                .setPartitions(partitions);
    }
}
