package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small batches of many records, which have to be decompressed for the records to be counted. */
class DenseBatchesTest {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 40;
    private static final int RECORDS = 4_000;

    /** Acknowledged without a force: an answer is held up by nothing but the counting. */
    private static final short WRITTEN = 1;

    @TempDir Path directory;

    /** 100 MB of zeros, in a few KB. */
    private static MemoryRecords dense() {
        return zeros(RECORDS, null);
    }

    private static MemoryRecords zeros(int records, byte[] key) {
        byte[] value = new byte[25_000 * RECORDS / records];
        MemoryRecordsBuilder builder =
                MemoryRecords.builder(
                        ByteBuffer.allocate(1 << 20),
                        Compression.zstd().build(),
                        TimestampType.CREATE_TIME,
                        0);
        for (int i = 0; i < records; i++) {
            builder.append(1_700_000_000_000L, key, value);
        }
        return builder.build();
    }

    private static byte[] request(MemoryRecords batch, int partitions) {
        ProduceRequestData request = Asks.produce(TOPIC, 0, WRITTEN, batch);
        List<PartitionProduceData> all = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            all.add(new PartitionProduceData().setIndex(i).setRecords(batch));
        }
        request.topicData().iterator().next().setPartitionData(all);
        return Wire.request(ApiKeys.PRODUCE, (short) Asks.PRODUCE, request);
    }

    private static List<PartitionProduceResponse> produced(Wire wire) throws Exception {
        return wire.receive(ApiKeys.PRODUCE, Asks.PRODUCE, new ProduceResponseData())
                .responses()
                .iterator()
                .next()
                .partitionResponses();
    }

    @Test
    void shouldAnswerOthersOnTheSameEventLoopWhileTheRecordsOfABatchAreCounted() throws Exception {
        MemoryRecords batch = dense();
        assertTrue(batch.sizeInBytes() < RECORDS * 7, batch.sizeInBytes() + " bytes");
        try (Running running = new Running(directory, Map.of("num.network.threads", "1"));
                Wire hostile = new Wire(running.server());
                Wire bystander = new Wire(running.server())) {
            running.createTopic(TOPIC, PARTITIONS, Map.of());
            hostile.send(request(Asks.batch(new byte[1]), PARTITIONS)); // all have their blocks now
            assertEquals(PARTITIONS, produced(hostile).size());
            hostile.send(request(batch, PARTITIONS));
            // In order: what the same client sends next is not overtaken, and does not overtake.
            hostile.send(request(batch, 1));
            awaitSecondProduce(running);
            bystander.ask(
                    ApiKeys.METADATA, 12, new MetadataRequestData(), new MetadataResponseData());
            assertTrue(hostile.isSilentFor(1)); // it is still being counted
            for (PartitionProduceResponse each : produced(hostile)) {
                assertEquals(0, each.errorCode());
                assertEquals(1, each.baseOffset());
            }
            assertEquals(1 + RECORDS, produced(hostile).get(0).baseOffset());
            Running.await("all to be given back", () -> queuedBytes(running) == 0);
        }
    }

    /** If each of them cost time for each other one, this would take longer than tests may. */
    @Test
    void shouldRefuseVeryManyDenseBatchesForATopicThatDoesNotExistWithoutCountingTheirRecords()
            throws Exception {
        int many = 200_000;
        ByteBuffer header = ByteBuffer.allocate(61);
        header.putInt(8, 49).put(16, (byte) 2).putShort(21, (short) 1).putInt(57, 1_000);
        try (Running running = new Running(directory, Map.of());
                Wire hostile = new Wire(running.server())) {
            hostile.send(request(MemoryRecords.readableRecords(header), many));
            List<PartitionProduceResponse> refused = produced(hostile);
            assertEquals(many, refused.size());
            for (PartitionProduceResponse each : refused) {
                assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), each.errorCode());
            }
            Running.await("all to be given back", () -> queuedBytes(running) == 0);
        }
    }

    private static void awaitSecondProduce(Running running) {
        Running.await(
                "the request to be read",
                () ->
                        running.server()
                                        .metrics()
                                        .getRequestsByApi()
                                        .getOrDefault(ApiKeys.PRODUCE.name, 0L)
                                > 1);
    }

    /** Few records with keys: only a compacted topic looks at them. */
    @Test
    void shouldAnswerOthersWhileTheKeysOfABatchAreLookedAt() throws Exception {
        byte[] key = {1};
        MemoryRecords batch = zeros(40, key);
        MemoryRecords small =
                MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1L, key, new byte[1]));
        try (Running running = new Running(directory, Map.of("num.network.threads", "1"));
                Wire hostile = new Wire(running.server());
                Wire bystander = new Wire(running.server())) {
            running.createTopic(TOPIC, PARTITIONS, Map.of("cleanup.policy", "compact"));
            hostile.send(request(small, PARTITIONS));
            assertEquals(PARTITIONS, produced(hostile).size());
            hostile.send(request(batch, PARTITIONS));
            hostile.send(request(small, 1));
            awaitSecondProduce(running);
            bystander.ask(
                    ApiKeys.METADATA, 12, new MetadataRequestData(), new MetadataResponseData());
            assertTrue(hostile.isSilentFor(1)); // they are still being looked at
            for (PartitionProduceResponse each : produced(hostile)) {
                assertEquals(0, each.errorCode());
                assertEquals(1, each.baseOffset());
            }
            assertEquals(41, produced(hostile).get(0).baseOffset());
            Running.await("all to be given back", () -> queuedBytes(running) == 0);
        }
    }

    private static long queuedBytes(Running running) {
        return running.server().metrics().getQueuedBytes();
    }
}
