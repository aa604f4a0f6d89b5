package io.firn.server.group;

import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.Topic;
import io.firn.server.log.Failures;
import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.wire.Exchange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
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

/** OffsetCommit and OffsetFetch. An answered commit is durable. */
public final class OffsetApis {
    private static final short BATCHED_FETCH = 8;
    private static final short BY_ID = 10;

    private final GroupCoordinator coordinator;
    private final Offsets offsets;
    private final ServedTopics topics;
    private final int longestNote;

    /** Over groups and topics. */
    OffsetApis(
            GroupCoordinator coordinator, Offsets offsets, ServedTopics topics, int longestNote) {
        this.coordinator = coordinator;
        this.offsets = offsets;
        this.topics = topics;
        this.longestNote = longestNote;
    }

    private ServedTopic find(short version, String name, Uuid id) {
        return version >= BY_ID ? topics.find(id) : topics.find(name);
    }

    private static Errors unknown(short version) {
        return version >= BY_ID ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }

    static String place(Topic topic, int partition) {
        return topic.id() + "." + partition;
    }

    // ---- commit

    /** Answers OffsetCommit. */
    public void commit(Exchange exchange, OffsetCommitRequestData request) {
        Errors error = Errors.INVALID_GROUP_ID;
        Group group = null;
        if (Offsets.isGroupId(request.groupId())) {
            group = coordinator.findOrCreate(request.groupId());
            error =
                    coordinator.mayCommit(
                            group,
                            request.memberId(),
                            request.groupInstanceId(),
                            request.generationIdOrMemberEpoch());
        }
        OffsetCommitResponseData response = new OffsetCommitResponseData();
        Set<Cursor> moved = new LinkedHashSet<>();
        Map<String, String> notes = new HashMap<>();
        for (OffsetCommitRequestTopic topic : request.topics()) {
            OffsetCommitResponseTopic results =
                    new OffsetCommitResponseTopic()
                            .setName(topic.name())
                            .setTopicId(topic.topicId());
            response.topics().add(results);
            ServedTopic served = find(exchange.version(), topic.name(), topic.topicId());
            Errors forTopic =
                    error != Errors.NONE || served != null ? error : unknown(exchange.version());
            for (OffsetCommitRequestPartition each : topic.partitions()) {
                Errors outcome =
                        forTopic == Errors.NONE
                                ? commit(request.groupId(), served.topic(), each, moved, notes)
                                : forTopic;
                results.partitions()
                        .add(
                                new OffsetCommitResponsePartition()
                                        .setPartitionIndex(each.partitionIndex())
                                        .setErrorCode(outcome.code()));
            }
        }
        if (moved.isEmpty()) {
            exchange.reply(response);
            return;
        }
        Group committer = group;
        committer
                .commitForces()
                .force(moved, failure -> answer(exchange, response, committer, notes, failure));
    }

    /** A commit is durable, or could not be made so. */
    private void answer(
            Exchange exchange,
            OffsetCommitResponseData response,
            Group group,
            Map<String, String> notes,
            FirnException failure) {
        try {
            if (failure != null) {
                throw failure;
            }
            coordinator.keep(group, notes);
            exchange.reply(response);
        } catch (RuntimeException e) {
            exchange.fail(e);
        }
    }

    private Errors commit(
            String groupId,
            Topic topic,
            OffsetCommitRequestPartition asked,
            Set<Cursor> moved,
            Map<String, String> notes) {
        int partition = asked.partitionIndex();
        if (partition < 0 || partition >= topic.partitionCount()) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        String note = asked.committedMetadata();
        if (note != null && note.length() > longestNote) {
            return Errors.OFFSET_METADATA_TOO_LARGE;
        }
        try {
            moved.add(Offsets.advance(topic, groupId, partition, asked.committedOffset()));
            notes.put(place(topic, partition), note);
            return Errors.NONE;
        } catch (InvalidOptionException e) {
            return Errors.OFFSET_OUT_OF_RANGE; // there are no such records yet
        } catch (RuntimeException e) {
            return Failures.codeOf(e);
        }
    }

    // ---- fetch

    /** Answers OffsetFetch. */
    public void fetch(Exchange exchange, OffsetFetchRequestData request) {
        short version = exchange.version();
        OffsetFetchResponseData response = new OffsetFetchResponseData();
        if (version >= BATCHED_FETCH) {
            for (OffsetFetchRequestGroup each : request.groups()) {
                response.groups().add(fetch(each, version));
            }
            exchange.reply(response);
            return;
        }
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
        for (OffsetFetchResponseTopics topic : fetch(asked, version).topics()) {
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

    private OffsetFetchResponseGroup fetch(OffsetFetchRequestGroup asked, short version) {
        OffsetFetchResponseGroup result =
                new OffsetFetchResponseGroup().setGroupId(asked.groupId());
        Map<String, String> notes = Map.of();
        Group group = coordinator.find(asked.groupId());
        if (group != null) {
            synchronized (group) {
                notes = new HashMap<>(group.notes());
            }
        }
        if (asked.topics() == null) {
            if (Offsets.isGroupId(asked.groupId())) {
                for (Topic topic : offsets.topicsOf(asked.groupId())) {
                    List<Integer> all = IntStream.range(0, topic.partitionCount()).boxed().toList();
                    result.topics().add(fetch(topic, asked.groupId(), all, true, notes));
                }
            }
            return result;
        }
        for (OffsetFetchRequestTopics topic : asked.topics()) {
            ServedTopic served = find(version, topic.name(), topic.topicId());
            result.topics()
                    .add(
                            served == null
                                    ? nowhere(topic, version)
                                    : fetch(
                                            served.topic(),
                                            asked.groupId(),
                                            topic.partitionIndexes(),
                                            false,
                                            notes));
        }
        return result;
    }

    private static OffsetFetchResponseTopics nowhere(
            OffsetFetchRequestTopics topic, short version) {
        OffsetFetchResponseTopics result =
                new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
        Errors error = version >= BY_ID ? Errors.UNKNOWN_TOPIC_ID : Errors.NONE;
        topic.partitionIndexes()
                .forEach(index -> result.partitions().add(at(index, -1, null, error)));
        return result;
    }

    private static OffsetFetchResponseTopics fetch(
            Topic topic,
            String groupId,
            List<Integer> partitions,
            boolean onlyKnown,
            Map<String, String> notes) {
        OffsetFetchResponseTopics result =
                new OffsetFetchResponseTopics()
                        .setName(topic.name())
                        .setTopicId(
                                new Uuid(
                                        topic.id().getMostSignificantBits(),
                                        topic.id().getLeastSignificantBits()));
        Cursor cursor = Offsets.find(topic, groupId);
        List<OffsetFetchResponsePartitions> found = new ArrayList<>();
        for (int partition : partitions) {
            boolean exists = partition >= 0 && partition < topic.partitionCount();
            long offset = cursor == null || !exists ? -1 : cursor.offset(partition);
            if (offset >= 0 || !onlyKnown) {
                found.add(at(partition, offset, notes.get(place(topic, partition)), Errors.NONE));
            }
        }
        return result.setPartitions(found);
    }

    private static OffsetFetchResponsePartitions at(
            int partition, long offset, String note, Errors error) {
        return new OffsetFetchResponsePartitions()
                .setPartitionIndex(partition)
                .setCommittedOffset(offset)
                .setMetadata(offset < 0 || note == null ? "" : note)
                .setErrorCode(error.code());
    }
}
