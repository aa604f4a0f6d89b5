package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.LogStore;
import io.firn.Topic;
import io.firn.api.ObservedMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A produce request with the first records of many partitions. */
class ManyBlocksTest {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 12;
    private static final int AT_ONCE = 4;

    @TempDir Path directory;
    private final ObservedMedium medium = new ObservedMedium();

    private static byte[] request(byte[] value) {
        MemoryRecords batch = Asks.batch(value);
        ProduceRequestData request = Asks.produce(TOPIC, 0, Asks.ALL, batch);
        List<PartitionProduceData> all = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            all.add(new PartitionProduceData().setIndex(i).setRecords(batch));
        }
        request.topicData().iterator().next().setPartitionData(all);
        return Wire.request(ApiKeys.PRODUCE, (short) Asks.PRODUCE, request);
    }

    private static void checkProduced(Wire wire, long offset) throws IOException {
        List<PartitionProduceResponse> answers =
                wire.receive(ApiKeys.PRODUCE, Asks.PRODUCE, new ProduceResponseData())
                        .responses()
                        .iterator()
                        .next()
                        .partitionResponses();
        assertEquals(PARTITIONS, answers.size());
        for (int i = 0; i < PARTITIONS; i++) {
            assertEquals(i, answers.get(i).index());
            assertEquals(0, answers.get(i).errorCode());
            assertEquals(offset, answers.get(i).baseOffset());
        }
    }

    @Test
    void shouldHaveTheBlocksOfAllPartitionsReservedAtTheSameTime() throws Exception {
        CountDownLatch reserving = new CountDownLatch(AT_ONCE);
        medium.beforeCreate(
                file -> {
                    if (!file.toString().endsWith(".active.tmp")) {
                        return;
                    }
                    reserving.countDown();
                    try {
                        if (!reserving.await(Running.HANGS_AFTER_S, TimeUnit.SECONDS)) {
                            throw new IOException("no other block is being reserved");
                        }
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                });
        try (Running running = new Running(directory, Map.of(), Running.filesOn(medium));
                Wire wire = new Wire(running.server())) {
            running.createTopic(TOPIC, PARTITIONS, Map.of());
            wire.send(request(new byte[100]));
            wire.send(request(new byte[200])); // of one client, so it does not overtake
            checkProduced(wire, 0);
            checkProduced(wire, 1);
        }
    }

    /** The block of the first partition may need what those of the others hold: descriptors. */
    @Test
    void shouldAppendWhereThereIsABlockWhileThePartitionBeforeWaitsForOne() throws Exception {
        CompletableFuture<LogStore> store = new CompletableFuture<>();
        medium.beforeCreate(
                file -> {
                    if (file.toString().endsWith(".active.tmp") && file.getParent().endsWith("0")) {
                        awaitRecordsInAllOthers(store.join().openTopic(TOPIC));
                    }
                });
        try (Running running = new Running(directory, Map.of(), Running.filesOn(medium));
                Wire wire = new Wire(running.server())) {
            store.complete(running.store());
            running.createTopic(TOPIC, PARTITIONS, Map.of());
            wire.send(request(new byte[100]));
            checkProduced(wire, 0);
        }
    }

    private static void awaitRecordsInAllOthers(Topic topic) {
        for (int i = 1; i < PARTITIONS; i++) {
            int index = i;
            Running.await(
                    "a record of partition " + i, () -> topic.partition(index).nextOffset() > 0);
        }
    }
}
