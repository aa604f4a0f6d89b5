package io.firn.shadow.source;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopicCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochRequest;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochResponse;

/** Writes the requests of a {@link SourceClient}, and gives the answers to their partitions. */
final class PartitionRequests {
    /** Fetches with topic ids begin with version 13; a topic without one needs an earlier one. */
    private static final short LAST_VERSION_BY_NAME = 12;

    private final SourceConfig config;

    PartitionRequests(SourceConfig config) {
        this.config = config;
    }

    private static TopicPartition key(FollowedPartition partition) {
        return new TopicPartition(partition.topicName(), partition.partition());
    }

    private static Optional<Integer> epoch(int epoch) {
        return epoch < 0 ? Optional.empty() : Optional.of(epoch);
    }

    /**
     * Fetches what consumers are given, up to the high watermark: control batches and the batches
     * of aborted transactions are among it. With the epoch of the batch before the offset, a leader
     * that has not that batch says so instead of sending others.
     */
    FetchRequest.Builder fetch(List<? extends FollowedPartition> partitions, int mostBytes) {
        Map<TopicPartition, FetchRequest.PartitionData> wanted = new LinkedHashMap<>();
        boolean hasIds = true;
        for (FollowedPartition each : partitions) {
            Uuid id = SourceMetadata.kafkaId(each.sourceTopicId());
            hasIds &= !id.equals(Uuid.ZERO_UUID);
            wanted.put(
                    key(each),
                    new FetchRequest.PartitionData(
                            id,
                            each.fetchOffset(),
                            FetchRequest.INVALID_LOG_START_OFFSET,
                            Math.min(config.partitionBytes(), mostBytes),
                            epoch(each.leaderEpoch()),
                            epoch(each.lastFetchedEpoch())));
        }
        short version = hasIds ? ApiKeys.FETCH.latestVersion() : LAST_VERSION_BY_NAME;
        return FetchRequest.Builder.forConsumer(
                        version, config.longestWaitMs(), config.leastBytes(), wanted)
                .isolationLevel(IsolationLevel.READ_UNCOMMITTED)
                .setMaxBytes(Math.min(config.fetchBytes(), mostBytes));
    }

    void fetched(List<? extends FollowedPartition> asked, AbstractResponse body) {
        FetchResponse response = (FetchResponse) body;
        if (response.error() != Errors.NONE) {
            asked.forEach(each -> fail(each, response.error()));
            return;
        }
        Map<Answered, FetchResponseData.PartitionData> answers = new HashMap<>();
        for (FetchResponseData.FetchableTopicResponse topic : response.data().responses()) {
            for (FetchResponseData.PartitionData each : topic.partitions()) {
                answers.put(
                        Answered.of(topic.topic(), topic.topicId(), each.partitionIndex()), each);
            }
        }
        for (FollowedPartition each : asked) {
            Uuid id = SourceMetadata.kafkaId(each.sourceTopicId());
            FetchResponseData.PartitionData found =
                    answers.get(Answered.of("", id, each.partition()));
            if (found == null) {
                found =
                        answers.get(
                                Answered.of(each.topicName(), Uuid.ZERO_UUID, each.partition()));
            }
            if (found == null) {
                unanswered(each);
            } else if (found.errorCode() != Errors.NONE.code()) {
                fail(each, Errors.forCode(found.errorCode()));
            } else {
                each.onFetched(
                        bytes(found),
                        FetchResponse.isDivergingEpoch(found),
                        found.highWatermark(),
                        found.lastStableOffset(),
                        found.logStartOffset());
            }
        }
    }

    /** Which partition an answer is for: answers have the topic's id, or else its name. */
    private record Answered(String name, Uuid id, int partition) {
        static Answered of(String name, Uuid id, int partition) {
            return new Answered(id.equals(Uuid.ZERO_UUID) ? name : "", id, partition);
        }
    }

    private static ByteBuffer bytes(FetchResponseData.PartitionData answer) {
        return answer.records() instanceof MemoryRecords records
                ? records.buffer()
                : ByteBuffer.allocate(0);
    }

    OffsetsForLeaderEpochRequest.Builder epochEnds(List<? extends FollowedPartition> partitions) {
        OffsetForLeaderTopicCollection topics = new OffsetForLeaderTopicCollection();
        for (FollowedPartition each : partitions) {
            OffsetForLeaderTopic topic = topics.find(each.topicName());
            if (topic == null) {
                topic = new OffsetForLeaderTopic().setTopic(each.topicName());
                topics.add(topic);
            }
            topic.partitions()
                    .add(
                            new OffsetForLeaderPartition()
                                    .setPartition(each.partition())
                                    .setCurrentLeaderEpoch(each.leaderEpoch())
                                    .setLeaderEpoch(each.askedEpoch()));
        }
        return OffsetsForLeaderEpochRequest.Builder.forConsumer(topics);
    }

    void epochEnded(List<? extends FollowedPartition> asked, AbstractResponse body) {
        Map<TopicPartition, FollowedPartition> waiting = byKey(asked);
        ((OffsetsForLeaderEpochResponse) body)
                .data()
                .topics()
                .forEach(
                        topic ->
                                topic.partitions()
                                        .forEach(
                                                answer -> {
                                                    FollowedPartition partition =
                                                            waiting.remove(
                                                                    new TopicPartition(
                                                                            topic.topic(),
                                                                            answer.partition()));
                                                    if (partition == null) {
                                                        return;
                                                    }
                                                    if (answer.errorCode() != Errors.NONE.code()) {
                                                        fail(
                                                                partition,
                                                                Errors.forCode(answer.errorCode()));
                                                    } else {
                                                        partition.onEpochEnd(
                                                                answer.leaderEpoch(),
                                                                answer.endOffset());
                                                    }
                                                }));
        waiting.values().forEach(PartitionRequests::unanswered);
    }

    ListOffsetsRequest.Builder offsets(
            List<? extends FollowedPartition> partitions, boolean isEarliest) {
        Map<String, List<FollowedPartition>> byTopic =
                partitions.stream().collect(Collectors.groupingBy(FollowedPartition::topicName));
        List<ListOffsetsTopic> topics = new ArrayList<>();
        byTopic.forEach(
                (name, each) ->
                        topics.add(
                                new ListOffsetsTopic()
                                        .setName(name)
                                        .setPartitions(
                                                each.stream()
                                                        .map(one -> asked(one, isEarliest))
                                                        .toList())));
        return ListOffsetsRequest.Builder.forConsumer(false, IsolationLevel.READ_UNCOMMITTED)
                .setTargetTimes(topics);
    }

    private static ListOffsetsPartition asked(FollowedPartition partition, boolean isEarliest) {
        return new ListOffsetsPartition()
                .setPartitionIndex(partition.partition())
                .setCurrentLeaderEpoch(partition.leaderEpoch())
                .setTimestamp(
                        isEarliest
                                ? ListOffsetsRequest.EARLIEST_TIMESTAMP
                                : ListOffsetsRequest.LATEST_TIMESTAMP);
    }

    void listed(
            List<? extends FollowedPartition> asked, AbstractResponse body, boolean isEarliest) {
        Map<TopicPartition, FollowedPartition> waiting = byKey(asked);
        ((ListOffsetsResponse) body)
                .topics()
                .forEach(
                        topic ->
                                topic.partitions()
                                        .forEach(
                                                answer -> {
                                                    FollowedPartition partition =
                                                            waiting.remove(
                                                                    new TopicPartition(
                                                                            topic.name(),
                                                                            answer
                                                                                    .partitionIndex()));
                                                    if (partition == null) {
                                                        return;
                                                    }
                                                    if (answer.errorCode() != Errors.NONE.code()) {
                                                        fail(
                                                                partition,
                                                                Errors.forCode(answer.errorCode()));
                                                    } else {
                                                        partition.onOffset(
                                                                isEarliest, answer.offset());
                                                    }
                                                }));
        waiting.values().forEach(PartitionRequests::unanswered);
    }

    private static Map<TopicPartition, FollowedPartition> byKey(
            List<? extends FollowedPartition> partitions) {
        Map<TopicPartition, FollowedPartition> byKey = new HashMap<>();
        partitions.forEach(each -> byKey.put(key(each), each));
        return byKey;
    }

    private static void unanswered(FollowedPartition partition) {
        partition.onFailed(
                SourceError.TRANSIENT, "the broker's answer does not contain the partition");
    }

    private static void fail(FollowedPartition partition, Errors error) {
        partition.onFailed(kind(error), error.name() + ": " + error.message());
    }

    private static SourceError kind(Errors error) {
        return switch (error) {
            case NOT_LEADER_OR_FOLLOWER,
                    FENCED_LEADER_EPOCH,
                    UNKNOWN_LEADER_EPOCH,
                    LEADER_NOT_AVAILABLE,
                    REPLICA_NOT_AVAILABLE,
                    KAFKA_STORAGE_ERROR,
                    OFFSET_NOT_AVAILABLE ->
                    SourceError.NOT_LEADER;
            case OFFSET_OUT_OF_RANGE -> SourceError.OUT_OF_RANGE;
            case UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, INCONSISTENT_TOPIC_ID ->
                    SourceError.UNKNOWN_TOPIC;
            case TOPIC_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED, UNSUPPORTED_VERSION ->
                    SourceError.REFUSED;
            default -> SourceError.TRANSIENT;
        };
    }
}
