package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Cursor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kafka stores any offset that a client commits, and answers it. */
@Timeout(60)
class CommitsOutsideTheLogTest {
    private static final String TOPIC = "events";
    private static final String GROUP = "readers";
    private static final int RECORDS = 10;
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);

    @TempDir Path directory;
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory, Map.of());
        create();
        produce(RECORDS);
    }

    @AfterEach
    void stop() throws Exception {
        running.close();
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private void create() throws Exception {
        try (Admin admin = running.admin()) {
            get(admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all());
        }
    }

    private void produce(int count) {
        try (KafkaProducer<String, String> producer = running.producer(Map.of())) {
            for (int i = 0; i < count; i++) {
                var unused = producer.send(new ProducerRecord<>(TOPIC, "v" + i));
            }
        }
    }

    private Errors commit(long offset, String metadata) throws Exception {
        OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName(TOPIC);
        topic.partitions()
                .add(
                        new OffsetCommitRequestPartition()
                                .setCommittedOffset(offset)
                                .setCommittedMetadata(metadata));
        OffsetCommitRequestData request = new OffsetCommitRequestData().setGroupId(GROUP);
        request.topics().add(topic);
        try (Wire wire = new Wire(running.server())) {
            return Errors.forCode(
                    wire.ask(ApiKeys.OFFSET_COMMIT, 8, request, new OffsetCommitResponseData())
                            .topics()
                            .get(0)
                            .partitions()
                            .get(0)
                            .errorCode());
        }
    }

    /** All that is committed, as a client finds it that asks for all. */
    private List<String> committed() throws Exception {
        OffsetFetchRequestData request =
                new OffsetFetchRequestData()
                        .setGroups(
                                List.of(
                                        new OffsetFetchRequestGroup()
                                                .setGroupId(GROUP)
                                                .setTopics(null)));
        try (Wire wire = new Wire(running.server())) {
            return wire
                    .ask(ApiKeys.OFFSET_FETCH, 9, request, new OffsetFetchResponseData())
                    .groups()
                    .get(0)
                    .topics()
                    .stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .map(CommitsOutsideTheLogTest::shown)
                    .toList();
        }
    }

    private static String shown(OffsetFetchResponsePartitions each) {
        return each.committedOffset() + " " + each.metadata();
    }

    @Test
    void shouldStoreAndAnswerEveryOffsetAsKafkaDoes() throws Exception {
        List<Long> offsets =
                List.of(11L, -1L, -2L, 3L, 1_000L, Long.MIN_VALUE, 10L, Long.MAX_VALUE, 0L);
        for (long offset : offsets) {
            assertEquals(Errors.NONE, commit(offset, "note " + offset));
            assertEquals(List.of(offset + " note " + offset), committed());
            running.restart();
            assertEquals(List.of(offset + " note " + offset), committed());
        }
    }

    @Test
    void shouldGiveTheApplicationTheLastPositionInTheLog() throws Exception {
        assertEquals(Errors.NONE, commit(4, null));
        assertEquals(Errors.NONE, commit(15, null));
        Cursor cursor = running.store().openTopic(TOPIC).cursor(GROUP);
        assertEquals(4, cursor.offset(0));
        produce(RECORDS);
        assertEquals(15, cursor.offset(0));
    }

    @Test
    void shouldDeleteOffsetsOutsideTheLogWithTheOthers() throws Exception {
        assertEquals(Errors.NONE, commit(1_000, null));
        try (Admin admin = running.admin()) {
            get(admin.deleteConsumerGroupOffsets(GROUP, Set.of(PARTITION)).all());
            assertEquals(List.of(), committed());
            assertEquals(Errors.NONE, commit(-2, null));
            get(admin.deleteConsumerGroups(List.of(GROUP)).all());
            assertEquals(List.of(), committed());
            assertEquals(Errors.NONE, commit(-2, null));
            get(admin.deleteTopics(List.of(TOPIC)).all());
            create();
            assertEquals(List.of(), committed());
        }
    }

    @Test
    void shouldCommitThePositionThatAConsumerHadInATopicThatWasCreatedAgain() throws Exception {
        Map<String, Object> settings =
                Map.of(
                        "group.id",
                        GROUP,
                        "metadata.max.age.ms",
                        100,
                        "auto.offset.reset",
                        "earliest");
        try (KafkaConsumer<String, String> consumer = running.consumer(settings);
                Admin admin = running.admin()) {
            consumer.assign(List.of(PARTITION));
            assertEquals(RECORDS, Running.read(consumer, RECORDS).size());
            get(admin.deleteTopics(List.of(TOPIC)).all());
            create();
            consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(RECORDS)));
            assertEquals(
                    new OffsetAndMetadata(RECORDS),
                    consumer.committed(Set.of(PARTITION)).get(PARTITION));
            produce(3);
            Running.await(
                    "the records of the new topic",
                    () -> {
                        consumer.poll(Duration.ofMillis(50));
                        return consumer.position(PARTITION) == 3;
                    });
            consumer.commitSync();
            assertEquals(List.of("3 "), committed());
            get(
                    admin.alterConsumerGroupOffsets(
                                    "another", Map.of(PARTITION, new OffsetAndMetadata(500)))
                            .all());
            assertTrue(
                    get(admin.listConsumerGroupOffsets("another").partitionsToOffsetAndMetadata())
                            .containsValue(new OffsetAndMetadata(500)));
        }
    }
}
