package io.firn.server.log;

import io.firn.InvalidOptionException;
import io.firn.TopicExistsException;
import io.firn.UnreadableTopicException;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/**
 * Handles Metadata: this node leads all partitions. Leader epochs are −1, because clients validate
 * their offsets after each change of an epoch.
 */
public final class MetadataHandler implements Handler<MetadataRequestData> {
    private final ServedTopics topics;
    private final Supplier<Node> node;
    private final Executor background;

    /**
     * Creates the handler.
     *
     * @param background creates topics, which writes files
     */
    public MetadataHandler(ServedTopics topics, Supplier<Node> node, Executor background) {
        this.topics = topics;
        this.node = node;
        this.background = background;
    }

    @Override
    public void handle(Exchange exchange, MetadataRequestData request) {
        boolean mayCreate =
                topics.config().flag("auto.create.topics.enable")
                        && request.topics() != null
                        && (exchange.version() < 4 || request.allowAutoTopicCreation())
                        && request.topics().stream()
                                .anyMatch(t -> t.name() != null && topics.find(t.name()) == null);
        if (mayCreate) {
            background.execute(
                    () -> {
                        try {
                            answer(exchange, request, true);
                        } catch (RuntimeException e) {
                            exchange.fail(e);
                        }
                    });
        } else {
            answer(exchange, request, false);
        }
    }

    private void answer(Exchange exchange, MetadataRequestData request, boolean create) {
        Node here = node.get();
        MetadataResponseData response =
                new MetadataResponseData()
                        .setClusterId(here.clusterId())
                        .setControllerId(here.id());
        response.brokers()
                .add(
                        new MetadataResponseBroker()
                                .setNodeId(here.id())
                                .setHost(here.host())
                                .setPort(here.port()));
        boolean all =
                request.topics() == null || (exchange.version() == 0 && request.topics().isEmpty());
        if (all) {
            for (String name : topics.names()) {
                ServedTopic topic = topics.find(name);
                if (topic != null) {
                    response.topics().add(describe(topic, here));
                }
            }
        } else {
            for (MetadataRequestTopic asked : request.topics()) {
                response.topics().add(describe(asked, here, create));
            }
        }
        exchange.reply(response);
    }

    private MetadataResponseTopic describe(MetadataRequestTopic asked, Node here, boolean create) {
        if (asked.name() == null) {
            ServedTopic topic = topics.find(asked.topicId());
            return topic == null
                    ? new MetadataResponseTopic()
                            .setTopicId(asked.topicId())
                            .setErrorCode(Errors.UNKNOWN_TOPIC_ID.code())
                    : describe(topic, here);
        }
        ServedTopic topic = topics.find(asked.name());
        // No topic can have an invalid name, so the client need not try again.
        Errors error =
                Topic.isValid(asked.name()) ? topics.missing() : Errors.INVALID_TOPIC_EXCEPTION;
        if (topic == null && create) {
            try {
                topics.create(asked.name(), topics.config().integer("num.partitions"), Map.of());
            } catch (TopicExistsException e) {
                error = Errors.LEADER_NOT_AVAILABLE; // another client has just created it
            } catch (UnreadableTopicException e) {
                error = ErrorMapper.codeOf(e);
            } catch (InvalidOptionException e) {
                error = Errors.INVALID_TOPIC_EXCEPTION;
            }
            topic = topics.find(asked.name());
        }
        return topic != null
                ? describe(topic, here)
                : new MetadataResponseTopic()
                        .setName(asked.name())
                        .setTopicId(Uuid.ZERO_UUID)
                        .setErrorCode(error.code());
    }

    private static MetadataResponseTopic describe(ServedTopic topic, Node here) {
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
        return new MetadataResponseTopic()
                .setName(topic.name())
                .setTopicId(topic.id())
                .setIsInternal(topic.isInternal())
                .setPartitions(partitions);
    }
}
