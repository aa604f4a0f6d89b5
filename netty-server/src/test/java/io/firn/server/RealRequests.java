package io.firn.server;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** What a well-behaved client asks of one partition, one after the other, in any version. */
final class RealRequests {
    private final String topic;

    private record Ask(ApiKeys key, ApiMessage message) {}

    RealRequests(String topic) {
        this.topic = topic;
    }

    /** A talk, in the given version of each API, or the nearest that there is. */
    byte[][] talk(int version) {
        List<byte[]> requests = new ArrayList<>();
        List<Ask> byName = asks(topic);
        List<Ask> byId = asks(""); // with the id of no topic
        for (int i = 0; i < byName.size(); i++) {
            ApiKeys key = byName.get(i).key;
            int nearest = Math.min(version, key.latestVersion(false));
            short used = (short) Math.max(nearest, key.oldestVersion());
            for (List<Ask> asks : List.of(byName, byId)) {
                try {
                    requests.add(Wire.request(key, used, asks.get(i).message));
                    break;
                } catch (UnsupportedVersionException e) {
                    continue; // it says what that version has no words for
                }
            }
        }
        return requests.toArray(new byte[0][]);
    }

    private static List<Ask> asks(String topic) {
        List<Ask> asks = new ArrayList<>();
        asks.add(new Ask(ApiKeys.CREATE_TOPICS, create(topic)));
        short all = Asks.ALL;
        asks.add(new Ask(ApiKeys.PRODUCE, Asks.produce(topic, 0, all, batch(1, 0))));
        asks.add(new Ask(ApiKeys.PRODUCE, Asks.produce(topic, 0, (short) 1, batch(1, 2))));
        asks.add(new Ask(ApiKeys.PRODUCE, Asks.produce(topic, 0, all, batch(1, 2))));
        asks.add(new Ask(ApiKeys.PRODUCE, Asks.produce(topic, 1, (short) 0, batch(2, 0))));
        asks.add(new Ask(ApiKeys.FETCH, Asks.fetch(topic, 0, 1, 1_000)));
        FetchRequestData parked = Asks.fetch(topic, 0, 4, 1_000).setMaxWaitMs(100_000);
        for (long timestamp : new long[] {-1, -2, -3, 1_700_000_000_000L}) {
            asks.add(new Ask(ApiKeys.LIST_OFFSETS, list(topic, timestamp)));
        }
        asks.add(new Ask(ApiKeys.OFFSET_COMMIT, commit(topic)));
        asks.add(new Ask(ApiKeys.OFFSET_FETCH, committed(topic)));
        asks.add(new Ask(ApiKeys.OFFSET_FETCH, committed()));
        asks.add(new Ask(ApiKeys.OFFSET_FOR_LEADER_EPOCH, epochs(topic)));
        asks.add(new Ask(ApiKeys.DELETE_RECORDS, delete(topic)));
        asks.add(new Ask(ApiKeys.FETCH, parked));
        asks.add(new Ask(ApiKeys.PRODUCE, Asks.produce(topic, 0, all, batch(1, 4))));
        return asks;
    }

    private static MemoryRecords batch(long producer, int sequence) {
        return Asks.batch(producer, sequence, new byte[10], new byte[100]);
    }

    private static CreateTopicsRequestData create(String topic) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(1_000);
        request.topics()
                .add(
                        new CreatableTopic()
                                .setName(topic)
                                .setNumPartitions(2)
                                .setReplicationFactor((short) 1));
        return request;
    }

    private static ListOffsetsRequestData list(String topic, long timestamp) {
        return new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(
                        List.of(
                                new ListOffsetsTopic()
                                        .setName(topic)
                                        .setPartitions(
                                                List.of(
                                                        new ListOffsetsPartition()
                                                                .setTimestamp(timestamp)))));
    }

    private static OffsetCommitRequestData commit(String topic) {
        return new OffsetCommitRequestData()
                .setGroupId("g")
                .setTopics(
                        List.of(
                                new OffsetCommitRequestTopic()
                                        .setName(topic)
                                        .setPartitions(
                                                List.of(
                                                        new OffsetCommitRequestPartition()
                                                                .setCommittedOffset(2)))));
    }

    private static OffsetFetchRequestData committed(String topic) {
        return new OffsetFetchRequestData()
                .setGroupId("g")
                .setTopics(
                        List.of(
                                new OffsetFetchRequestTopic()
                                        .setName(topic)
                                        .setPartitionIndexes(List.of(0, 1))));
    }

    private static OffsetFetchRequestData committed() {
        OffsetFetchRequestGroup all = new OffsetFetchRequestGroup().setGroupId("g").setTopics(null);
        return new OffsetFetchRequestData().setGroups(List.of(all));
    }

    private static OffsetForLeaderEpochRequestData epochs(String topic) {
        OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData();
        request.topics()
                .add(
                        new OffsetForLeaderTopic()
                                .setTopic(topic)
                                .setPartitions(
                                        List.of(new OffsetForLeaderPartition().setLeaderEpoch(9))));
        return request;
    }

    private static DeleteRecordsRequestData delete(String topic) {
        return new DeleteRecordsRequestData()
                .setTimeoutMs(1_000)
                .setTopics(
                        List.of(
                                new DeleteRecordsTopic()
                                        .setName(topic)
                                        .setPartitions(
                                                List.of(
                                                        new DeleteRecordsPartition()
                                                                .setOffset(2)))));
    }
}
