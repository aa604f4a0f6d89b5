package io.firn.server.log;

import io.firn.IsolationLevel;
import io.firn.Partition;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.Errors;

/** Handles ListOffsets: the first and the last offset, and offsets by timestamp. */
public final class ListOffsetsHandler implements Handler<ListOffsetsRequestData> {
    private static final long LATEST = -1;
    private static final long EARLIEST = -2;
    private static final long MAX_TIMESTAMP = -3;
    private static final long EARLIEST_LOCAL = -4;
    private static final long LATEST_TIERED = -5;
    private static final long EARLIEST_PENDING_UPLOAD = -6;

    /** The first versions that know the special timestamps, from −3 on downwards. */
    private static final int[] KNOWN_SINCE = {7, 8, 9, 11};

    private final ServedTopics topics;

    /** A partition of a request, and where its result belongs. */
    private record Asked(
            String topic,
            boolean allowed,
            ServedTopic served,
            ListOffsetsPartition partition,
            ListOffsetsTopicResponse results) {
        /** By text: names that clients choose may all have one hash, and need an order then. */
        String place() {
            return partition.partitionIndex() + " " + topic;
        }
    }

    /** Creates the handler. */
    public ListOffsetsHandler(ServedTopics topics) {
        this.topics = topics;
    }

    @Override
    public void handle(Exchange exchange, ListOffsetsRequestData request) {
        ListOffsetsResponseData response = new ListOffsetsResponseData();
        Access access = exchange.connection().access();
        boolean mayReplicate = request.replicaId() < 0 || access.may(Right.LIST_OFFSETS_AS_REPLICA);
        List<Asked> all = new ArrayList<>();
        for (var topic : request.topics()) {
            ListOffsetsTopicResponse results = new ListOffsetsTopicResponse().setName(topic.name());
            response.topics().add(results);
            boolean allowed = mayReplicate && access.may(Right.LIST_OFFSETS, topic.name());
            ServedTopic served = topics.find(topic.name());
            for (ListOffsetsPartition each : topic.partitions()) {
                all.add(new Asked(topic.name(), allowed, served, each, results));
            }
        }
        IsolationLevel isolation =
                request.isolationLevel() == 0
                        ? IsolationLevel.READ_UNCOMMITTED
                        : IsolationLevel.READ_COMMITTED;
        DuplicateNames<String> duplicates = new DuplicateNames<>(all.stream().map(Asked::place));
        exchange.inSteps(
                all,
                each -> {
                    if (!duplicates.isAnswered(each.place())) {
                        each.results
                                .partitions()
                                .add(find(each, duplicates, exchange.version(), isolation));
                    }
                },
                () -> exchange.reply(response));
    }

    private static ListOffsetsPartitionResponse find(
            Asked asked,
            DuplicateNames<String> duplicates,
            short version,
            IsolationLevel isolation) {
        if (!asked.allowed) {
            return refused(asked, Errors.TOPIC_AUTHORIZATION_FAILED);
        }
        return duplicates.contains(asked.place())
                ? refused(asked, Errors.INVALID_REQUEST)
                : find(asked.served, asked.partition, version, isolation);
    }

    private static ListOffsetsPartitionResponse refused(Asked asked, Errors error) {
        return new ListOffsetsPartitionResponse()
                .setPartitionIndex(asked.partition.partitionIndex())
                .setErrorCode(error.code());
    }

    private static ListOffsetsPartitionResponse find(
            ServedTopic topic,
            ListOffsetsPartition asked,
            short version,
            IsolationLevel isolation) {
        ListOffsetsPartitionResponse result =
                new ListOffsetsPartitionResponse().setPartitionIndex(asked.partitionIndex());
        ServedPartition served = topic == null ? null : topic.partition(asked.partitionIndex());
        if (served == null) {
            return result.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }
        if (!isKnown(asked.timestamp(), version)) {
            return result.setErrorCode(Errors.UNSUPPORTED_VERSION.code());
        }
        try {
            return find(served.partition(), asked.timestamp(), isolation, result);
        } catch (RuntimeException e) {
            return result.setErrorCode(ErrorMapper.codeOf(e).code());
        }
    }

    private static boolean isKnown(long timestamp, short version) {
        if (timestamp > MAX_TIMESTAMP) {
            return true;
        }
        return timestamp >= EARLIEST_PENDING_UPLOAD
                && version >= KNOWN_SINCE[(int) (MAX_TIMESTAMP - timestamp)];
    }

    private static ListOffsetsPartitionResponse find(
            Partition partition,
            long timestamp,
            IsolationLevel isolation,
            ListOffsetsPartitionResponse result) {
        if (timestamp == LATEST) {
            return result.setOffset(partition.visibleOffset(isolation));
        }
        if (timestamp == EARLIEST || timestamp == EARLIEST_LOCAL) {
            return result.setOffset(partition.logStartOffset());
        }
        if (timestamp == LATEST_TIERED || timestamp == EARLIEST_PENDING_UPLOAD) {
            return result; // there is no remote storage
        }
        TimestampedOffset found =
                timestamp == MAX_TIMESTAMP
                        ? partition.findLatestTimestamp(isolation)
                        : partition.findTimestamp(timestamp, isolation);
        return found == null
                ? result
                : result.setOffset(found.offset()).setTimestamp(found.timestampMs());
    }
}
