package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.StoredRecord;
import io.firn.kafka.CompactedFiles;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What clients get of a topic whose segments have fillers at the start, in the middle, at the end.
 */
@FirstRunOnly
class FillersTest {
    private static final String TOPIC = "orders";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final int RECORDS = 400;
    private static final long TIME = 1_700_000_000_000L;

    @TempDir Path directory;
    @TempDir Path keys;
    private TestKeys serverKeys;
    private Running running;
    private List<StoredRecord> left;

    @BeforeEach
    void start() throws Exception {
        serverKeys = TestKeys.make(keys, "server");
        Map<String, String> settings = new HashMap<>(serverKeys.keystore());
        settings.put("listeners", "PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0");
        settings.put("log.segment.bytes", "65536");
        running = new Running(directory, settings);
        running.createTopic(TOPIC, 1, Map.of());
        produce(RECORDS);
        // Each value is 1 KB: the first segments, one in the middle, and the last ones lose all.
        rewrite(
                offset ->
                        (offset >= 130 && offset < 180 && offset % 3 != 0)
                                || (offset >= 250 && offset < 320 && offset % 2 != 0));
        running.start(0);
        assertEquals(RECORDS, running.store().openTopic(TOPIC).partition(0).visibleOffset());
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private void produce(int count) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                running.rawProducer(Map.of("linger.ms", "0", "compression.type", "lz4"))) {
            for (int i = 0; i < count; i++) {
                byte[] value = new byte[1_000];
                new java.util.Random(i).nextBytes(value);
                var sent =
                        producer.send(
                                new ProducerRecord<>(
                                        TOPIC, 0, TIME + i, new byte[] {(byte) i}, value));
                if (i % 4 == 0) {
                    sent.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
                }
            }
        }
    }

    /** The server has stopped afterwards. */
    private void rewrite(Predicate<Long> keep) throws Exception {
        running.stop();
        left = CompactedFiles.rewrite(partition(), record -> keep.test(record.offset()));
    }

    private Path partition() throws Exception {
        return CompactedFiles.partitionsOf(directory.resolve("tier")).get(0);
    }

    private static List<Long> offsets(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream().map(ConsumerRecord::offset).toList();
    }

    private List<Long> expected() {
        return left.stream().map(StoredRecord::offset).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5_000, 1 << 20})
    void shouldGiveKafkasConsumerEveryRecordThatIsLeftOnceAndBringItToTheEnd(int maxBytes) {
        Map<String, Object> settings =
                Map.of("max.partition.fetch.bytes", maxBytes, "fetch.max.wait.ms", 10);
        try (KafkaConsumer<byte[], byte[]> consumer = running.rawConsumer(settings)) {
            readToTheEnd(consumer);
        }
    }

    private void readToTheEnd(KafkaConsumer<byte[], byte[]> consumer) {
        consumer.assign(List.of(PARTITION));
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        Running.await(
                "the end",
                () -> {
                    consumer.poll(Duration.ofMillis(100)).forEach(found::add);
                    return consumer.position(PARTITION) >= RECORDS;
                });
        assertEquals(expected(), offsets(found));
        for (ConsumerRecord<byte[], byte[]> each : found) {
            assertEquals(TIME + each.offset(), each.timestamp());
        }
        assertEquals(RECORDS, consumer.position(PARTITION));
        assertEquals(0, consumer.currentLag(PARTITION).orElseThrow());
    }

    @Test
    void shouldGiveThemOverTls() throws Exception {
        Map<String, Object> client = new HashMap<>(running.client("SSL", Map.of()));
        client.put("security.protocol", "SSL");
        client.putAll(TestKeys.truststore(TestKeys.trusting(keys, serverKeys)));
        client.put("auto.offset.reset", "earliest");
        client.put("fetch.max.wait.ms", 10);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            readToTheEnd(consumer);
        }
    }

    @Test
    void shouldNeitherBeginAnAnswerWithAFillerNorSendOnlyFillersBeforeTheLastRecord()
            throws Exception {
        TreeMap<Long, StoredRecord> all = new TreeMap<>();
        left.forEach(each -> all.put(each.offset(), each));
        try (Wire wire = new Wire(running.server())) {
            for (int maxBytes : new int[] {1, 1 << 20}) {
                for (long offset = 0; offset < RECORDS; offset++) {
                    FetchRequestData fetch = Asks.fetch(TOPIC, 0, offset, maxBytes);
                    PartitionData data = Asks.fetched(ask(wire, fetch));
                    assertEquals(0, data.errorCode());
                    assertEquals(RECORDS, data.highWatermark());
                    MutableRecordBatch first = firstOf(data);
                    assertNotNull(first, "at " + offset);
                    if (all.ceilingKey(offset) != null) {
                        assertTrue(first.countOrNull() > 0, "at " + offset);
                    } else if (first.countOrNull() == 0) {
                        assertEquals(RECORDS, first.nextOffset());
                        assertEquals(first.sizeInBytes(), data.records().sizeInBytes());
                    }
                }
            }
            assertEquals(0, Asks.fetched(wire, TOPIC, 0, RECORDS).records().sizeInBytes());
        }
    }

    private static FetchResponseData ask(Wire wire, FetchRequestData fetch) throws Exception {
        return wire.ask(ApiKeys.FETCH, Asks.FETCH, fetch, new FetchResponseData());
    }

    private static MutableRecordBatch firstOf(PartitionData data) {
        MemoryRecords records = (MemoryRecords) data.records();
        return records.sizeInBytes() == 0 ? null : records.batchIterator().next();
    }

    @Test
    void shouldNotEndALongPollWithAFillerButWithTheNextRecord() throws Exception {
        byte[] fetch =
                Wire.request(
                        ApiKeys.FETCH,
                        (short) Asks.FETCH,
                        Asks.fetch(TOPIC, 0, RECORDS - 10, 1 << 20).setMaxWaitMs(60_000));
        try (Wire wire = new Wire(running.server())) {
            wire.send(fetch);
            assertTrue(wire.isSilentFor(50));
            produce(1);
            PartitionData data =
                    Asks.fetched(wire.receive(ApiKeys.FETCH, Asks.FETCH, new FetchResponseData()));
            assertEquals(RECORDS, firstOf(data).baseOffset());
            assertEquals(1, firstOf(data).countOrNull());
        }
    }

    @Test
    void shouldPassManyFillersInSeveralSegmentsInSteps() throws Exception {
        running.stop();
        long next = RECORDS;
        for (int i = 0; i < 3; i++) {
            next = CompactedFiles.addFillers(partition(), next, 15_000, 30);
        }
        running.start(0);
        try (Wire wire = new Wire(running.server())) {
            FetchRequestData fetch = Asks.fetch(TOPIC, 0, RECORDS, 1 << 20);
            assertNull(firstOf(Asks.fetched(ask(wire, fetch))), "there are too many for one step");
            MutableRecordBatch last = firstOf(Asks.fetched(ask(wire, fetch)));
            assertEquals(next, last.nextOffset());
            assertEquals(0, last.countOrNull());
        }
        produce(1);
        try (Wire wire = new Wire(running.server())) {
            FetchRequestData fetch = Asks.fetch(TOPIC, 0, 330, 1 << 20).setMaxWaitMs(60_000);
            MutableRecordBatch first = firstOf(Asks.fetched(ask(wire, fetch)));
            assertEquals(next, first.baseOffset());
            assertEquals(1, first.countOrNull());
        }
    }

    @Test
    void shouldFindOffsetsByTimestamp() {
        TreeMap<Long, StoredRecord> all = new TreeMap<>();
        left.forEach(each -> all.put(each.offset(), each));
        try (KafkaConsumer<byte[], byte[]> consumer = running.rawConsumer(Map.of())) {
            for (long offset : new long[] {0, 100, 135, 200, 251, 300, 319, 390}) {
                OffsetAndTimestamp found =
                        consumer.offsetsForTimes(Map.of(PARTITION, TIME + offset)).get(PARTITION);
                Long next = all.ceilingKey(offset);
                assertEquals(next, found == null ? null : (Long) found.offset());
                assertFalse(found != null && found.timestamp() != TIME + next);
            }
        }
    }
}
