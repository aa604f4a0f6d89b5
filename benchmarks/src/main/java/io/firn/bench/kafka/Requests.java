package io.firn.bench.kafka;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * Requests that are encoded once and sent many times, so that the load costs its sender nearly
 * nothing, and where the few fields that a sender looks at lie in the responses.
 */
final class Requests {
    static final short PRODUCE_VERSION = 13;
    static final short FETCH_VERSION = 17;

    /** Where the error code lies in the response to a produce request for one partition. */
    static final int PRODUCE_ERROR = 4 + 1 + 1 + 16 + 1 + 4;

    /** Where the error code lies in the response to a fetch request for one partition. */
    static final int FETCH_ERROR = 4 + 1 + 4 + 2 + 4 + 1 + 16 + 1 + 4;

    /** Where the length of the records lies, one more than it is, as an unsigned varint. */
    static final int FETCH_RECORDS = FETCH_ERROR + 2 + 8 + 8 + 8 + 1 + 4;

    private static final int RECORD_BYTES = 1 << 10;
    private static final int RECORD_OVERHEAD = 24;
    private static final int TIMEOUT_MS = 30_000;
    private static final long OFFSET_MARK = 0x7A6B_5C4D_3E2F_1001L;

    private Requests() {}

    /**
     * Returns a batch of records of 1 KiB with their overhead.
     *
     * @param kib the size of the batch, about
     */
    static MemoryRecords batch(int kib) {
        SimpleRecord[] records = new SimpleRecord[kib];
        Random random = new Random(kib);
        for (int i = 0; i < kib; i++) {
            byte[] value = new byte[RECORD_BYTES - RECORD_OVERHEAD];
            random.nextBytes(value);
            records[i] = new SimpleRecord(System.currentTimeMillis(), null, value);
        }
        return MemoryRecords.withRecords(
                (byte) 2, 0, Compression.NONE, TimestampType.CREATE_TIME, records);
    }

    /** Returns a produce request with one batch, preceded by its length. */
    static ByteBuffer produce(Uuid topic, int partition, MemoryRecords batch, short acks) {
        TopicProduceDataCollection topics = new TopicProduceDataCollection();
        topics.add(
                new TopicProduceData()
                        .setTopicId(topic)
                        .setPartitionData(
                                List.of(
                                        new PartitionProduceData()
                                                .setIndex(partition)
                                                .setRecords(batch))));
        return frame(
                ApiKeys.PRODUCE,
                PRODUCE_VERSION,
                new ProduceRequestData()
                        .setAcks(acks)
                        .setTimeoutMs(TIMEOUT_MS)
                        .setTopicData(topics));
    }

    /** Returns a fetch request for one partition, preceded by its length. */
    static ByteBuffer fetch(Uuid topic, int partition, int maxBytes) {
        FetchPartition asked =
                new FetchPartition()
                        .setPartition(partition)
                        .setFetchOffset(OFFSET_MARK)
                        .setPartitionMaxBytes(maxBytes);
        return frame(
                ApiKeys.FETCH,
                FETCH_VERSION,
                new FetchRequestData()
                        .setMaxWaitMs(TIMEOUT_MS)
                        .setMinBytes(1)
                        .setMaxBytes(maxBytes)
                        .setTopics(
                                List.of(
                                        new FetchTopic()
                                                .setTopicId(topic)
                                                .setPartitions(List.of(asked)))));
    }

    /** Returns where the offset lies in a new fetch request. */
    static int offsetIn(ByteBuffer fetch) {
        int at = 0;
        while (fetch.getLong(at) != OFFSET_MARK) {
            at++;
        }
        return at;
    }

    private static ByteBuffer frame(ApiKeys api, short version, ApiMessage request) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        RequestHeaderData header =
                new RequestHeaderData()
                        .setRequestApiKey(api.id)
                        .setRequestApiVersion(version)
                        .setClientId("load");
        short headerVersion = api.requestHeaderVersion(version);
        int size = header.size(cache, headerVersion) + request.size(cache, version);
        ByteBuffer bytes = ByteBuffer.allocate(4 + size).putInt(size);
        ByteBufferAccessor writable = new ByteBufferAccessor(bytes);
        header.write(writable, cache, headerVersion);
        request.write(writable, cache, version);
        return ByteBuffer.allocateDirect(bytes.capacity()).put(bytes.flip()).flip();
    }
}
