package io.firn.server;

import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Produce and fetch requests for one partition, as a client puts them on the wire. */
final class Asks {
    static final int PRODUCE = 9;
    static final int FETCH = 12;
    static final short ALL = -1;

    private Asks() {}

    /** A batch of an idempotent producer. */
    static MemoryRecords batch(long producerId, int sequence, byte[]... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++) {
            records[i] = new SimpleRecord(1_700_000_000_000L, null, values[i]);
        }
        return MemoryRecords.withIdempotentRecords(
                Compression.NONE, producerId, (short) 0, sequence, records);
    }

    /** A batch of a producer without an id. */
    static MemoryRecords batch(byte[] value) {
        return MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(value));
    }

    static ProduceRequestData produce(
            String topic, int partition, short acks, MemoryRecords records) {
        ProduceRequestData request =
                new ProduceRequestData()
                        .setAcks(acks)
                        .setTimeoutMs(30_000)
                        .setTransactionalId(null);
        request.topicData()
                .add(
                        new TopicProduceData()
                                .setName(topic)
                                .setPartitionData(
                                        List.of(
                                                new PartitionProduceData()
                                                        .setIndex(partition)
                                                        .setRecords(records))));
        return request;
    }

    static byte[] produceBytes(String topic, int partition, short acks, MemoryRecords records) {
        return Wire.request(
                ApiKeys.PRODUCE, (short) PRODUCE, produce(topic, partition, acks, records));
    }

    /** What became of a batch. */
    static PartitionProduceResponse produced(
            Wire wire, String topic, int partition, short acks, MemoryRecords records)
            throws java.io.IOException {
        wire.send(produceBytes(topic, partition, acks, records));
        return produced(wire);
    }

    static PartitionProduceResponse produced(Wire wire) throws java.io.IOException {
        return wire.receive(ApiKeys.PRODUCE, PRODUCE, new ProduceResponseData())
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
    }

    static FetchRequestData fetch(String topic, int partition, long offset, int maxBytes) {
        return new FetchRequestData()
                .setMaxWaitMs(0)
                .setMinBytes(1)
                .setTopics(
                        List.of(
                                new FetchTopic()
                                        .setTopic(topic)
                                        .setPartitions(
                                                List.of(
                                                        new FetchPartition()
                                                                .setPartition(partition)
                                                                .setFetchOffset(offset)
                                                                .setPartitionMaxBytes(maxBytes)))));
    }

    /** What is found at an offset. */
    static PartitionData fetched(Wire wire, String topic, int partition, long offset)
            throws java.io.IOException {
        return fetched(
                wire.ask(
                        ApiKeys.FETCH,
                        FETCH,
                        fetch(topic, partition, offset, 1 << 20),
                        new org.apache.kafka.common.message.FetchResponseData()));
    }

    static PartitionData fetched(org.apache.kafka.common.message.FetchResponseData answer) {
        return answer.responses().get(0).partitions().get(0);
    }
}
