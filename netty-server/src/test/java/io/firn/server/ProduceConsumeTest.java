package io.firn.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka's own producer and consumer, as they come, on a store. */
class ProduceConsumeTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    @TempDir Path directory;
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void shouldGiveBackWhatWasProducedInOrder(String compression) throws Exception {
        try (KafkaProducer<String, String> producer =
                running.producer(Map.of("compression.type", compression, "linger.ms", 5))) {
            for (int i = 0; i < 5_000; i++) {
                ProducerRecord<String, String> record =
                        new ProducerRecord<>("orders", 0, (long) i, "key-" + i, "value-" + i);
                record.headers().add("h", ("header-" + i).getBytes(UTF_8));
                var unused = producer.send(record);
            }
        }
        try (KafkaConsumer<String, String> consumer = running.consumer(Map.of())) {
            consumer.assign(List.of(ORDERS));
            List<ConsumerRecord<String, String>> read = Running.read(consumer, 5_000);
            for (int i = 0; i < read.size(); i++) {
                ConsumerRecord<String, String> record = read.get(i);
                assertEquals(i, record.offset());
                assertEquals("key-" + i, record.key());
                assertEquals("value-" + i, record.value());
                assertEquals(i, record.timestamp());
                assertEquals(
                        "header-" + i, new String(record.headers().lastHeader("h").value(), UTF_8));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "all"})
    void shouldTakeRecordsWithEachKindOfAcknowledgement(String acks) throws Exception {
        try (KafkaProducer<String, String> producer =
                running.producer(Map.of("acks", acks, "enable.idempotence", false))) {
            for (int i = 0; i < 100; i++) {
                var unused = producer.send(new ProducerRecord<>("orders", 0, null, "v" + i));
            }
            producer.flush();
        }
        try (KafkaConsumer<String, String> consumer = running.consumer(Map.of())) {
            consumer.assign(List.of(ORDERS));
            assertEquals("v99", Running.read(consumer, 100).get(99).value());
        }
    }

    @Test
    void shouldCarryRecordsOf900KilobytesOverSeveralSegments() throws Exception {
        Random random = new Random(7);
        List<byte[]> values = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                byte[] value = new byte[900_000];
                random.nextBytes(value);
                values.add(value);
                sent.add(producer.send(new ProducerRecord<>("orders", 0, null, value)));
            }
            for (Future<RecordMetadata> each : sent) {
                each.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
        }
        assertTrue(running.store().metrics().partitions().get(0).segments() > 5);
        try (KafkaConsumer<byte[], byte[]> consumer = running.rawConsumer(Map.of())) {
            consumer.assign(List.of(ORDERS));
            var read = Running.read(consumer, 12);
            for (int i = 0; i < 12; i++) {
                assertArrayEquals(values.get(i), read.get(i).value());
            }
        }
    }

    @Test
    void shouldRefuseABatchAboveTheTopicsLimitAndTakeTheNext() throws Exception {
        running.createTopic("orders", 1, Map.of("max.message.bytes", "2000"));
        try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of())) {
            Future<RecordMetadata> tooLarge =
                    producer.send(new ProducerRecord<>("orders", new byte[10_000]));
            ExecutionException e =
                    assertThrows(
                            ExecutionException.class,
                            () -> tooLarge.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
            assertInstanceOf(RecordTooLargeException.class, e.getCause());
            assertEquals(
                    0,
                    producer.send(new ProducerRecord<>("orders", new byte[100]))
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                            .offset());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4"})
    void shouldFindOffsetsByTimestamp(String compression) throws Exception {
        try (KafkaProducer<String, String> producer =
                running.producer(Map.of("compression.type", compression))) {
            for (int i = 0; i < 1_000; i++) {
                var unused =
                        producer.send(
                                new ProducerRecord<>("orders", 0, 1_000L + 10L * i, "k", "v"));
            }
        }
        try (KafkaConsumer<String, String> consumer = running.consumer(Map.of())) {
            OffsetAndTimestamp found = consumer.offsetsForTimes(Map.of(ORDERS, 5_995L)).get(ORDERS);
            assertEquals(500, found.offset());
            assertEquals(6_000, found.timestamp());
            assertEquals(null, consumer.offsetsForTimes(Map.of(ORDERS, 99_999L)).get(ORDERS));
            assertEquals(1_000, consumer.endOffsets(List.of(ORDERS)).get(ORDERS));
            assertEquals(0, consumer.beginningOffsets(List.of(ORDERS)).get(ORDERS));
            consumer.assign(List.of(ORDERS));
            consumer.seek(ORDERS, found.offset());
            assertEquals(500, Running.read(consumer, 500).get(0).offset());
        }
    }

    @Test
    void shouldStampRecordsWithItsOwnTimeWhereTheTopicAsksForIt() throws Exception {
        running.createTopic("orders", 1, Map.of("message.timestamp.type", "LogAppendTime"));
        long before = System.currentTimeMillis();
        RecordMetadata sent;
        try (KafkaProducer<String, String> producer = running.producer(Map.of())) {
            sent =
                    producer.send(new ProducerRecord<>("orders", 0, 17L, "k", "v"))
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        assertTrue(sent.timestamp() >= before);
        try (KafkaConsumer<String, String> consumer = running.consumer(Map.of())) {
            consumer.assign(List.of(ORDERS));
            assertEquals(sent.timestamp(), Running.read(consumer, 1).get(0).timestamp());
        }
    }

    /** Each answer has room for one record only: all partitions are to have their turn. */
    @Test
    void shouldServePartitionsFairlyWhenAnAnswerHasRoomForOne() throws Exception {
        int partitions = 5;
        int each = 12;
        running.createTopic("fair", partitions, Map.of());
        List<TopicPartition> all = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of("linger.ms", 0))) {
            for (int p = 0; p < partitions; p++) {
                all.add(new TopicPartition("fair", p));
                for (int i = 0; i < each; i++) {
                    producer.send(new ProducerRecord<>("fair", p, null, new byte[20_000]))
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
                }
            }
        }
        Map<String, Object> narrow =
                Map.of("fetch.max.bytes", 20_000, "max.partition.fetch.bytes", 20_000);
        try (KafkaConsumer<byte[], byte[]> consumer = running.rawConsumer(narrow)) {
            consumer.assign(all);
            int[] read = new int[partitions];
            int total = 0;
            while (total < partitions * each / 2) {
                for (ConsumerRecord<byte[], byte[]> record : Running.readSome(consumer)) {
                    read[record.partition()]++;
                    total++;
                }
            }
            for (int p = 0; p < partitions; p++) {
                assertTrue(read[p] >= each / 4, java.util.Arrays.toString(read));
            }
        }
    }

    @Test
    void shouldShareTheLogWithTheApplicationThatOwnsIt() throws Exception {
        running.createTopic("orders", 1, Map.of());
        try (Appender appender = running.store().openTopic("orders").partition(0).openAppender()) {
            appender.append("from the application".getBytes(UTF_8));
        }
        try (KafkaProducer<String, String> producer = running.producer(Map.of())) {
            producer.send(new ProducerRecord<>("orders", "from a client"))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        List<String> tailed = new ArrayList<>();
        try (Tailer tailer = running.store().openTopic("orders").openTailer()) {
            tailer.poll(
                    record -> {
                        tailed.add(UTF_8.decode(record.value()).toString());
                        return Action.CONTINUE;
                    },
                    10);
        }
        assertEquals(List.of("from the application", "from a client"), tailed);
        try (KafkaConsumer<String, String> consumer = running.consumer(Map.of())) {
            consumer.assign(List.of(ORDERS));
            assertEquals(
                    tailed, Running.read(consumer, 2).stream().map(ConsumerRecord::value).toList());
        }
    }

    @Test
    void shouldWakeAConsumerThatWaitsForMore() throws Exception {
        running.createTopic("orders", 1, Map.of());
        try (KafkaConsumer<String, String> consumer =
                        running.consumer(Map.of("fetch.max.wait.ms", 30_000));
                KafkaProducer<String, String> producer = running.producer(Map.of())) {
            consumer.assign(List.of(ORDERS));
            for (int i = 0; i < 20; i++) {
                consumer.poll(Duration.ofMillis(20)); // a fetch waits, for half a minute
                producer.send(new ProducerRecord<>("orders", "v" + i))
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
                assertEquals("v" + i, Running.read(consumer, 1).get(0).value());
            }
            // It would wait for the last fetch otherwise.
            consumer.close(CloseOptions.timeout(Duration.ofMillis(100)));
        }
    }

    @Test
    void shouldLoseAndDoubleNothingWhenRestartedUnderAProducerAndAConsumer() throws Exception {
        running.createTopic("orders", 1, Map.of());
        int count = 20_000;
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        Thread sender =
                new Thread(
                        () -> {
                            try (KafkaProducer<String, String> producer =
                                    running.producer(Map.of("linger.ms", 1))) {
                                for (int i = 0; i < count; i++) {
                                    sent.add(
                                            producer.send(
                                                    new ProducerRecord<>(
                                                            "orders", 0, null, "v" + i)));
                                    if (i % 100 == 0) {
                                        producer.flush();
                                    }
                                }
                            }
                        });
        try (KafkaConsumer<String, String> consumer = running.consumer(Map.of())) {
            consumer.assign(List.of(ORDERS));
            List<String> read = new ArrayList<>();
            sender.start();
            int[] restarts = {0};
            Running.await(
                    count + " records",
                    () -> {
                        consumer.poll(Duration.ofMillis(50)).forEach(r -> read.add(r.value()));
                        if (restarts[0] < 3 && read.size() > 3_000 * (restarts[0] + 1)) {
                            restarts[0]++;
                            restart();
                        }
                        return read.size() >= count;
                    });
            assertEquals(3, restarts[0]);
            sender.join(TimeUnit.SECONDS.toMillis(Running.HANGS_AFTER_S));
            for (int i = 0; i < count; i++) {
                assertEquals("v" + i, read.get(i));
            }
            assertEquals(count, read.size());
        }
        for (int i = 0; i < count; i++) {
            assertEquals(i, sent.get(i).get(1, TimeUnit.SECONDS).offset());
        }
    }

    private void restart() {
        try {
            running.restart();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
