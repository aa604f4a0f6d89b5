package io.firn.server.admin;

import io.firn.server.log.AdvertisedListeners;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Right;
import io.firn.server.wire.ApiTable;
import io.firn.server.wire.Exchange;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.PartitionData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.ReplicaState;
import org.apache.kafka.common.message.DescribeQuorumResponseData.TopicData;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListConfigResourcesResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Tells what can be configured, and which nodes decide about metadata: the one there is. */
public final class ResourceAdmin {
    private static final String METADATA_TOPIC = "__cluster_metadata";
    private static final short FIRST_WITH_TYPES = 1;

    private static final Set<ConfigResource.Type> TYPES =
            EnumSet.of(
                    ConfigResource.Type.TOPIC,
                    ConfigResource.Type.BROKER,
                    ConfigResource.Type.BROKER_LOGGER,
                    ConfigResource.Type.CLIENT_METRICS,
                    ConfigResource.Type.GROUP);

    /** About what a name uses in a response, as an object. */
    private static final int NAME_BYTES = 60;

    private final ServedTopics topics;
    private final AdvertisedListeners nodes;

    /** Creates the handlers. */
    public ResourceAdmin(ServedTopics topics, AdvertisedListeners nodes) {
        this.topics = topics;
        this.nodes = nodes;
    }

    /** Serves the APIs. */
    public void serve(ApiTable table, Executor background) {
        table.serve(
                ApiKeys.LIST_CONFIG_RESOURCES,
                ListConfigResourcesRequestData.class,
                background,
                this::list);
        table.serve(
                ApiKeys.DESCRIBE_QUORUM, DescribeQuorumRequestData.class, background, this::quorum);
    }

    /** Before types can be asked for, only those of client metrics are listed: there are none. */
    private void list(Exchange exchange, ListConfigResourcesRequestData request) {
        exchange.connection().access().demand(Right.LIST_RESOURCES);
        ListConfigResourcesResponseData response = new ListConfigResourcesResponseData();
        if (exchange.version() < FIRST_WITH_TYPES) {
            exchange.reply(response);
            return;
        }
        Set<ConfigResource.Type> asked = EnumSet.noneOf(ConfigResource.Type.class);
        request.resourceTypes().forEach(each -> asked.add(ConfigResource.Type.forId(each)));
        if (!TYPES.containsAll(asked)) {
            throw Errors.UNSUPPORTED_VERSION.exception(
                    "Resources of these types can be listed: " + TYPES + ".");
        }
        boolean all = asked.isEmpty();
        String node = Integer.toString(topics.nodeId());
        for (var type : List.of(ConfigResource.Type.BROKER, ConfigResource.Type.BROKER_LOGGER)) {
            if (all || asked.contains(type)) {
                add(exchange, response, type, node);
            }
        }
        exchange.inSteps(
                all || asked.contains(ConfigResource.Type.TOPIC) ? topics.names() : List.of(),
                name -> add(exchange, response, ConfigResource.Type.TOPIC, name),
                () -> exchange.reply(response));
    }

    private static void add(
            Exchange exchange,
            ListConfigResourcesResponseData response,
            ConfigResource.Type type,
            String name) {
        exchange.addAnswerBytes(NAME_BYTES);
        response.configResources()
                .add(
                        new ListConfigResourcesResponseData.ConfigResource()
                                .setResourceType(type.id())
                                .setResourceName(name));
    }

    // ---- quorum

    /**
     * As Kafka, it answers for the partition with the metadata only, if nothing else is asked for.
     * Here that has no records: the node leads it, and has all of it.
     */
    private void quorum(Exchange exchange, DescribeQuorumRequestData request) {
        exchange.connection().access().demand(Right.DESCRIBE_QUORUM);
        DescribeQuorumResponseData response = new DescribeQuorumResponseData();
        boolean isOfMetadata = isOfMetadata(request);
        for (var topic : request.topics()) {
            TopicData shown = new TopicData().setTopicName(topic.topicName());
            response.topics().add(shown);
            exchange.addAnswerBytes(2L * NAME_BYTES * (1 + topic.partitions().size()));
            for (var each : topic.partitions()) {
                PartitionData result = new PartitionData().setPartitionIndex(each.partitionIndex());
                shown.partitions().add(result);
                if (isOfMetadata) {
                    describe(result);
                } else {
                    result.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
                }
            }
        }
        if (isOfMetadata) {
            addNode(exchange, response);
        }
        exchange.reply(response);
    }

    private static boolean isOfMetadata(DescribeQuorumRequestData request) {
        return request.topics().size() == 1
                && request.topics().get(0).topicName().equals(METADATA_TOPIC)
                && request.topics().get(0).partitions().size() == 1
                && request.topics().get(0).partitions().get(0).partitionIndex() == 0;
    }

    private void describe(PartitionData result) {
        long now = System.currentTimeMillis();
        result.setLeaderId(topics.nodeId())
                .currentVoters()
                .add(
                        new ReplicaState()
                                .setReplicaId(topics.nodeId())
                                .setLastFetchTimestamp(now)
                                .setLastCaughtUpTimestamp(now));
    }

    private void addNode(Exchange exchange, DescribeQuorumResponseData response) {
        AdvertisedListeners.Node here = nodes.of(exchange);
        DescribeQuorumResponseData.Node node =
                new DescribeQuorumResponseData.Node().setNodeId(here.id());
        node.listeners()
                .add(
                        new DescribeQuorumResponseData.Listener()
                                .setName(exchange.connection().listener())
                                .setHost(here.host())
                                .setPort(here.port()));
        response.nodes().add(node);
    }
}
