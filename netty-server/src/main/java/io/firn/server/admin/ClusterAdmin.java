package io.firn.server.admin;

import io.firn.StoreMetrics.TierMetrics;
import io.firn.server.log.AdvertisedListeners;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.ResponseElements;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopicCollection;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.resource.ResourceType;

/** Describes the node, its topics and its storage. */
public final class ClusterAdmin {
    private static final int MOST_PARTITIONS = 2_000;

    /** About what a partition uses in a response, as an object. */
    private static final int PARTITION_BYTES = 60;

    private final ServedTopics topics;
    private final AdvertisedListeners nodes;

    /** Creates the handlers. */
    public ClusterAdmin(ServedTopics topics, AdvertisedListeners nodes) {
        this.topics = topics;
        this.nodes = nodes;
    }

    /** Handles DescribeCluster. */
    public void cluster(Exchange exchange, DescribeClusterRequestData request) {
        AdvertisedListeners.Node here = nodes.of(exchange);
        DescribeClusterResponseData response = new DescribeClusterResponseData();
        if (request.endpointType() != 1) {
            exchange.reply(response.setErrorCode(Errors.MISMATCHED_ENDPOINT_TYPE.code()));
            return;
        }
        response.setClusterId(here.clusterId()).setControllerId(here.id());
        response.brokers()
                .add(
                        new DescribeClusterBroker()
                                .setBrokerId(here.id())
                                .setHost(here.host())
                                .setPort(here.port()));
        if (request.includeClusterAuthorizedOperations()) {
            response.setClusterAuthorizedOperations(exchange.connection().access().operations());
        }
        exchange.reply(response);
    }

    // ---- topics

    /** Handles DescribeTopicPartitions, page by page. */
    public void topicPartitions(Exchange exchange, DescribeTopicPartitionsRequestData request) {
        DescribeTopicPartitionsResponseData response = new DescribeTopicPartitionsResponseData();
        Access access = exchange.connection().access();
        TreeSet<String> names = new TreeSet<>();
        request.topics().forEach(each -> names.add(each.name()));
        if (request.topics().isEmpty()) {
            names.addAll(topics.names());
            names.removeIf(each -> !access.has(Right.DESCRIBE_TOPICS, each));
        }
        int room = Math.max(1, Math.min(MOST_PARTITIONS, request.responsePartitionLimit()));
        String from = request.cursor() == null ? "" : request.cursor().topicName();
        response.setTopics(new DescribeTopicPartitionsResponseTopicCollection(names.size()));
        Page page = new Page(response, room);
        exchange.inSteps(
                names.tailSet(from),
                name -> {
                    boolean goesOn = request.cursor() != null && name.equals(from);
                    int first = goesOn ? Math.max(0, request.cursor().partitionIndex()) : 0;
                    page.add(access, name, first);
                },
                () -> exchange.reply(response));
    }

    /** A part of the partitions of all topics. */
    private final class Page {
        private final DescribeTopicPartitionsResponseData response;
        private int room;

        Page(DescribeTopicPartitionsResponseData response, int room) {
            this.response = response;
            this.room = room;
        }

        /** Adds what has room of a topic, from a partition on; nothing if the page is full. */
        void add(Access access, String name, int first) {
            if (response.nextCursor() != null) {
                return;
            }
            if (room == 0) {
                response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(0));
                return;
            }
            DescribeTopicPartitionsResponseTopic shown =
                    new ResponseElements.DescribedTopic().setName(name);
            response.topics().add(shown);
            if (!access.may(Right.DESCRIBE_TOPICS, name)) {
                shown.setErrorCode(Errors.TOPIC_AUTHORIZATION_FAILED.code());
                return;
            }
            shown.setTopicAuthorizedOperations(access.operations(ResourceType.TOPIC, name));
            ServedTopic topic = topics.find(name);
            if (topic == null) {
                shown.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
                return;
            }
            shown.setTopicId(topic.id()).setIsInternal(topic.isInternal());
            int end = Math.min(topic.topic().partitionCount(), first + room);
            for (int i = first; i < end; i++) {
                shown.partitions().add(partition(i));
                room--;
            }
            if (end < topic.topic().partitionCount()) {
                response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(end));
            }
        }
    }

    private DescribeTopicPartitionsResponsePartition partition(int index) {
        int id = nodes.first().id();
        return new DescribeTopicPartitionsResponsePartition()
                .setPartitionIndex(index)
                .setLeaderId(id)
                .setLeaderEpoch(-1)
                .setReplicaNodes(List.of(id))
                .setIsrNodes(List.of(id))
                .setEligibleLeaderReplicas(List.of())
                .setLastKnownElr(List.of());
    }

    /** Handles DescribeLogDirs: reports all tiers together as one directory. */
    public void logDirs(Exchange exchange, DescribeLogDirsRequestData request) {
        exchange.connection().access().demand(Right.DESCRIBE_LOG_DIRS);
        DescribeLogDirsResult directory =
                new DescribeLogDirsResult().setLogDir(topics.shownDirectory());
        setSize(directory);
        List<String> names = new ArrayList<>();
        if (request.topics() == null) {
            names.addAll(topics.names());
        } else {
            request.topics().forEach(each -> names.add(each.topic()));
        }
        exchange.inSteps(
                () ->
                        new LinkedHashSet<>(names)
                                .stream()
                                        .flatMap(name -> sizes(exchange, request, directory, name))
                                        .iterator(),
                Runnable::run,
                () ->
                        exchange.reply(
                                new DescribeLogDirsResponseData().setResults(List.of(directory))));
    }

    /** Returns the work for each partition of a topic. */
    private Stream<Runnable> sizes(
            Exchange exchange,
            DescribeLogDirsRequestData request,
            DescribeLogDirsResult directory,
            String name) {
        ServedTopic topic = topics.find(name);
        if (topic == null) {
            return Stream.empty();
        }
        var asked = request.topics() == null ? null : request.topics().find(name);
        Set<Integer> wanted = asked == null ? null : new HashSet<>(asked.partitions());
        DescribeLogDirsTopic shown = new DescribeLogDirsTopic().setName(name);
        directory.topics().add(shown);
        exchange.addAnswerBytes((long) PARTITION_BYTES * topic.topic().partitionCount());
        return IntStream.range(0, topic.topic().partitionCount())
                .filter(i -> wanted == null || wanted.contains(i))
                .mapToObj(
                        i ->
                                () ->
                                        shown.partitions()
                                                .add(
                                                        new DescribeLogDirsPartition()
                                                                .setPartitionIndex(i)
                                                                .setPartitionSize(
                                                                        topic.topic()
                                                                                .partition(i)
                                                                                .metrics()
                                                                                .bytes())));
    }

    /** Reports the size of all tiers, if each of them has a limit. */
    private void setSize(DescribeLogDirsResult directory) {
        long total = 0;
        long used = 0;
        for (TierMetrics tier : topics.store().metrics().tiers()) {
            if (tier.capacityBytes().isEmpty()) {
                return;
            }
            total += tier.capacityBytes().getAsLong();
            used += tier.usedBytes();
        }
        directory.setTotalBytes(total).setUsableBytes(Math.max(0, total - used));
    }
}
