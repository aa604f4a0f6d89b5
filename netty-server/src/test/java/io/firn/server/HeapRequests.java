package io.firn.server;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Requests that take as much of a server's heap as they can. */
final class HeapRequests {
    private static final int METADATA_CHARS = 4_000;
    private static final int BOMB_BYTES = 30 << 20;

    private HeapRequests() {}

    static CreatableTopic topic(String name, int partitions) {
        return new CreatableTopic()
                .setName(name)
                .setNumPartitions(partitions)
                .setReplicationFactor((short) 1);
    }

    /** A topic of one partition that is compacted as soon as anything is appended. */
    static CreatableTopic compactedTopic(String name) {
        CreatableTopic topic = topic(name, 1);
        Map.of(
                        "cleanup.policy", "compact",
                        "min.cleanable.dirty.ratio", "0",
                        "delete.retention.ms", "0",
                        "segment.ms", "1000")
                .forEach(
                        (key, value) ->
                                topic.configs()
                                        .add(
                                                new CreatableTopicConfig()
                                                        .setName(key)
                                                        .setValue(value)));
        return topic;
    }

    /** A small batch whose one record is a tombstone with a very long key. */
    static MemoryRecords bomb() {
        return MemoryRecords.withRecords(
                Compression.zstd().build(), new SimpleRecord(1_000L, new byte[BOMB_BYTES], null));
    }

    /** Commits offset 0 of partitions of a topic, with long metadata; returns what each got. */
    static List<Errors> commit(Wire wire, String group, String topic, int partitions)
            throws IOException {
        OffsetCommitRequestTopic offsets = new OffsetCommitRequestTopic().setName(topic);
        for (int i = 0; i < partitions; i++) {
            offsets.partitions()
                    .add(
                            new OffsetCommitRequestPartition()
                                    .setPartitionIndex(i)
                                    .setCommittedMetadata("m".repeat(METADATA_CHARS)));
        }
        OffsetCommitRequestData request =
                new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setGenerationIdOrMemberEpoch(-1)
                        .setTopics(List.of(offsets));
        return wire
                .ask(ApiKeys.OFFSET_COMMIT, 8, request, new OffsetCommitResponseData())
                .topics()
                .get(0)
                .partitions()
                .stream()
                .map(each -> Errors.forCode(each.errorCode()))
                .toList();
    }
}
