package io.firn.server.group;

import io.firn.Cursor;
import io.firn.Topic;
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
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
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

    private final GroupCoordinator coordinator;
    private final GroupOffsets offsets;
    private final ServedTopics topics;

    OffsetFetchHandler(GroupCoordinator coordinator, GroupOffsets offsets, ServedTopics topics) {
        this.coordinator = coordinator;
        this.offsets = offsets;
        this.topics = topics;
    }

    @Override
    public void handle(Exchange exchange, OffsetFetchRequestData request) {
        short version = exchange.version();
        OffsetFetchResponseData response = new OffsetFetchResponseData();
        Access access = exchange.connection().access();
        if (version >= FIRST_WITH_GROUPS) {
            for (OffsetFetchRequestGroup each : request.groups()) {
                response.groups()
                        .add(
                                access.may(Right.OFFSET_FETCH, each.groupId())
                                        ? fetch(each, version, access)
                                        : new OffsetFetchResponseGroup()
                                                .setGroupId(each.groupId())
                                                .setErrorCode(
                                                        Errors.GROUP_AUTHORIZATION_FAILED.code()));
            }
            exchange.reply(response);
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
        for (OffsetFetchResponseTopics topic : fetch(asked, version, access).topics()) {
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
        exchange.reply(response);
    }

    private OffsetFetchResponseGroup fetch(
            OffsetFetchRequestGroup asked, short version, Access access) {
        OffsetFetchResponseGroup result =
                new OffsetFetchResponseGroup().setGroupId(asked.groupId());
        Map<String, String> metadata = Map.of();
        Group group = coordinator.find(asked.groupId());
        if (group != null) {
            synchronized (group) {
                metadata = new HashMap<>(group.commitMetadata());
            }
        }
        if (asked.topics() == null) {
            if (GroupIds.isValid(asked.groupId())) {
                for (Topic topic : offsets.topicsOf(asked.groupId())) {
                    if (!access.has(Right.OFFSET_FETCH_TOPIC, topic.name())) {
                        continue;
                    }
                    List<Integer> all = IntStream.range(0, topic.partitionCount()).boxed().toList();
                    result.topics().add(fetch(topic, asked.groupId(), all, true, metadata));
                }
            }
            return result;
        }
        for (OffsetFetchRequestTopics topic : asked.topics()) {
            ServedTopic served =
                    version >= FIRST_WITH_IDS
                            ? topics.find(topic.topicId())
                            : topics.find(topic.name());
            boolean byId = version >= FIRST_WITH_IDS;
            String name = served == null ? topic.name() : served.name();
            if ((served != null || !byId) && !access.may(Right.OFFSET_FETCH_TOPIC, name)) {
                result.topics().add(without(topic, Errors.TOPIC_AUTHORIZATION_FAILED));
                continue;
            }
            result.topics()
                    .add(
                            served == null
                                    ? without(topic, byId ? Errors.UNKNOWN_TOPIC_ID : Errors.NONE)
                                    : fetch(
                                            served.topic(),
                                            asked.groupId(),
                                            topic.partitionIndexes(),
                                            false,
                                            metadata));
        }
        return result;
    }

    private static OffsetFetchResponseTopics without(OffsetFetchRequestTopics topic, Errors error) {
        OffsetFetchResponseTopics result =
                new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
        topic.partitionIndexes()
                .forEach(index -> result.partitions().add(at(index, -1, null, error)));
        return result;
    }

    private static OffsetFetchResponseTopics fetch(
            Topic topic,
            String groupId,
            List<Integer> partitions,
            boolean onlyKnown,
            Map<String, String> metadata) {
        OffsetFetchResponseTopics result =
                new OffsetFetchResponseTopics()
                        .setName(topic.name())
                        .setTopicId(
                                new Uuid(
                                        topic.id().getMostSignificantBits(),
                                        topic.id().getLeastSignificantBits()));
        Cursor cursor = GroupOffsets.find(topic, groupId);
        List<OffsetFetchResponsePartitions> found = new ArrayList<>();
        for (int partition : partitions) {
            boolean exists = partition >= 0 && partition < topic.partitionCount();
            long offset = cursor == null || !exists ? -1 : cursor.offset(partition);
            if (offset >= 0 || !onlyKnown) {
                found.add(
                        at(
                                partition,
                                offset,
                                metadata.get(GroupOffsets.place(topic, partition)),
                                Errors.NONE));
            }
        }
        return result.setPartitions(found);
    }

    private static OffsetFetchResponsePartitions at(
            int partition, long offset, String text, Errors error) {
        return new OffsetFetchResponsePartitions()
                .setPartitionIndex(partition)
                .setCommittedOffset(offset)
                .setMetadata(offset < 0 || text == null ? "" : text)
                .setErrorCode(error.code());
    }
}
