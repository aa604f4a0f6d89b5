package io.firn.server.group;

import io.firn.Cursor;
import io.firn.Topic;
import io.firn.host.HostedCursor;
import io.firn.host.TransactionCoordinator;
import io.firn.server.config.GroupIds;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.Errors;

/** Handles OffsetFetch: returns the committed offsets of groups. */
public final class OffsetFetchHandler implements Handler<OffsetFetchRequestData> {
    private static final short FIRST_WITH_GROUPS = 8;
    private static final short FIRST_WITH_IDS = 10;

    /** About what a partition uses in a response, as an object. */
    private static final int PARTITION_BYTES = 60;

    private final GroupCoordinator coordinator;
    private final GroupOffsets offsets;
    private final ServedTopics topics;
    private final TransactionCoordinator transactions;

    /**
     * What is asked of a group.
     *
     * @param group null if nothing is known of it
     * @param metadata what was committed beside its offsets, by place
     * @param isStable whether offsets that an open transaction is to move are not told
     */
    private record Wanted(
            String groupId, Group group, Map<String, String> metadata, boolean isStable) {}

    OffsetFetchHandler(GroupCoordinator coordinator, GroupOffsets offsets, ServedTopics topics) {
        this.coordinator = coordinator;
        this.offsets = offsets;
        this.topics = topics;
        this.transactions = topics.store().transactions();
    }

    @Override
    public void handle(Exchange exchange, OffsetFetchRequestData request) {
        short version = exchange.version();
        OffsetFetchResponseData response = new OffsetFetchResponseData();
        Access access = exchange.connection().access();
        if (version >= FIRST_WITH_GROUPS) {
            exchange.inSteps(
                    () ->
                            request.groups().stream()
                                    .flatMap(
                                            each ->
                                                    fetch(
                                                            exchange,
                                                            each,
                                                            request.requireStable(),
                                                            response))
                                    .iterator(),
                    Runnable::run,
                    () -> exchange.reply(response));
            return;
        }
        access.demand(Right.OFFSET_FETCH, request.groupId());
        OffsetFetchRequestGroup asked = new OffsetFetchRequestGroup().setGroupId(request.groupId());
        if (request.topics() == null) {
            asked.setTopics(null);
        } else {
            request.topics()
                    .forEach(
                            topic ->
                                    asked.topics()
                                            .add(
                                                    new OffsetFetchRequestTopics()
                                                            .setName(topic.name())
                                                            .setPartitionIndexes(
                                                                    topic.partitionIndexes())));
        }
        OffsetFetchResponseGroup found = new OffsetFetchResponseGroup();
        exchange.inSteps(
                () -> fetch(exchange, asked, request.requireStable(), found).iterator(),
                Runnable::run,
                () -> exchange.reply(older(found, response)));
    }

    private static OffsetFetchResponseData older(
            OffsetFetchResponseGroup found, OffsetFetchResponseData response) {
        for (OffsetFetchResponseTopics topic : found.topics()) {
            OffsetFetchResponseTopic older = new OffsetFetchResponseTopic().setName(topic.name());
            topic.partitions()
                    .forEach(
                            each ->
                                    older.partitions()
                                            .add(
                                                    new OffsetFetchResponsePartition()
                                                            .setPartitionIndex(
                                                                    each.partitionIndex())
                                                            .setCommittedOffset(
                                                                    each.committedOffset())
                                                            .setMetadata(each.metadata())
                                                            .setErrorCode(each.errorCode())));
            response.topics().add(older);
        }
        return response;
    }

    /** Returns the work for a group, which adds it to a response. */
    private Stream<Runnable> fetch(
            Exchange exchange,
            OffsetFetchRequestGroup asked,
            boolean isStable,
            OffsetFetchResponseData response) {
        OffsetFetchResponseGroup result =
                new OffsetFetchResponseGroup().setGroupId(asked.groupId());
        response.groups().add(result);
        exchange.addAnswerBytes(PARTITION_BYTES);
        if (!exchange.connection().access().may(Right.OFFSET_FETCH, asked.groupId())) {
            result.setErrorCode(Errors.GROUP_AUTHORIZATION_FAILED.code());
            return Stream.of(() -> {});
        }
        try {
            return fetch(exchange, asked, isStable, result)
                    .map(each -> () -> fetchOrRefuse(each, result));
        } catch (CoordinatorNotAvailableException e) {
            result.setErrorCode(Errors.COORDINATOR_NOT_AVAILABLE.code());
            return Stream.of(() -> {});
        }
    }

    /** As Kafka, answers with an error for the group, and not for one of its topics. */
    private static void fetchOrRefuse(Runnable work, OffsetFetchResponseGroup result) {
        try {
            work.run();
        } catch (CoordinatorNotAvailableException e) {
            result.setErrorCode(Errors.COORDINATOR_NOT_AVAILABLE.code());
        }
    }

    /** Returns the work for each topic of a group. */
    private Stream<Runnable> fetch(
            Exchange exchange,
            OffsetFetchRequestGroup asked,
            boolean isStable,
            OffsetFetchResponseGroup result) {
        Group group = coordinator.findToRead(asked.groupId());
        Wanted wanted = new Wanted(asked.groupId(), group, metadataOf(group), isStable);
        if (asked.topics() != null) {
            return asked.topics().stream().map(each -> () -> fetch(exchange, wanted, each, result));
        }
        if (!GroupIds.isValid(asked.groupId())) {
            return Stream.of(() -> {});
        }
        // Also a group without offsets is some work, after which others may have a turn.
        return Stream.concat(
                Stream.of(() -> {}),
                offsets.topicsOf(asked.groupId()).stream()
                        .map(each -> () -> fetchAll(exchange, wanted, each, result)));
    }

    private static Map<String, String> metadataOf(Group group) {
        if (group == null) {
            return Map.of();
        }
        synchronized (group) {
            return new HashMap<>(group.commits().metadata());
        }
    }

    private void fetchAll(
            Exchange exchange, Wanted wanted, Topic topic, OffsetFetchResponseGroup result) {
        if (exchange.connection().access().has(Right.OFFSET_FETCH_TOPIC, topic.name())) {
            List<Integer> all = IntStream.range(0, topic.partitionCount()).boxed().toList();
            exchange.addAnswerBytes((long) PARTITION_BYTES * all.size());
            result.topics().add(fetch(exchange, topic, wanted, all, true));
        }
    }

    private void fetch(
            Exchange exchange,
            Wanted wanted,
            OffsetFetchRequestTopics topic,
            OffsetFetchResponseGroup result) {
        boolean byId = exchange.version() >= FIRST_WITH_IDS;
        ServedTopic served = byId ? topics.find(topic.topicId()) : topics.find(topic.name());
        String name = served == null ? topic.name() : served.name();
        Access access = exchange.connection().access();
        exchange.addAnswerBytes((long) PARTITION_BYTES * topic.partitionIndexes().size());
        if ((served != null || !byId) && !access.may(Right.OFFSET_FETCH_TOPIC, name)) {
            result.topics().add(without(topic, Errors.TOPIC_AUTHORIZATION_FAILED));
            return;
        }
        result.topics()
                .add(
                        served == null
                                ? without(topic, byId ? Errors.UNKNOWN_TOPIC_ID : Errors.NONE)
                                : fetch(
                                        exchange,
                                        served.topic(),
                                        wanted,
                                        topic.partitionIndexes(),
                                        false));
    }

    private static OffsetFetchResponseTopics without(OffsetFetchRequestTopics topic, Errors error) {
        OffsetFetchResponseTopics result =
                new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
        topic.partitionIndexes()
                .forEach(index -> result.partitions().add(at(index, -1, null, error)));
        return result;
    }

    private OffsetFetchResponseTopics fetch(
            Exchange exchange,
            Topic topic,
            Wanted wanted,
            List<Integer> partitions,
            boolean onlyKnown) {
        OffsetFetchResponseTopics result =
                new OffsetFetchResponseTopics()
                        .setName(topic.name())
                        .setTopicId(
                                new Uuid(
                                        topic.id().getMostSignificantBits(),
                                        topic.id().getLeastSignificantBits()));
        Cursor cursor = GroupOffsets.read(topic, wanted.groupId, wanted.group);
        List<OffsetFetchResponsePartitions> found = new ArrayList<>();
        long metadataBytes = 0;
        for (int partition : partitions) {
            boolean exists = partition >= 0 && partition < topic.partitionCount();
            if (exists && wanted.isStable && isCommitting(topic, wanted.groupId, partition)) {
                found.add(at(partition, -1, null, Errors.UNSTABLE_OFFSET_COMMIT));
                continue;
            }
            OptionalLong offset =
                    cursor == null || !exists
                            ? OptionalLong.empty()
                            : HostedCursor.of(cursor).committed(partition);
            if (offset.isPresent()) {
                String text = wanted.metadata.get(GroupOffsets.place(topic, partition));
                metadataBytes += text == null ? 0 : text.length();
                found.add(at(partition, offset.getAsLong(), text, Errors.NONE));
            } else if (!onlyKnown) {
                found.add(at(partition, -1, null, Errors.NONE));
            }
        }
        exchange.addAnswerBytes(metadataBytes);
        return result.setPartitions(found);
    }

    /** Before the offset is read: a transaction that ends in between has moved it. */
    private boolean isCommitting(Topic topic, String groupId, int partition) {
        return transactions.isCommitting(topic, groupId, partition);
    }

    private static OffsetFetchResponsePartitions at(
            int partition, long offset, String text, Errors error) {
        return new OffsetFetchResponsePartitions()
                .setPartitionIndex(partition)
                .setCommittedOffset(offset)
                .setMetadata(text == null ? "" : text)
                .setErrorCode(error.code());
    }
}
