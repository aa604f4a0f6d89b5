package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Compression;
import io.firn.TopicOptions;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.kafka.SourceLog;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients get of a topic that is a replica of another log's. */
class ReplicatedTopicTest {
    private static final String TOPIC = "replica";

    @TempDir Path directory;

    @Test
    void shouldShowTheBatchesOfTheSourceAndRefuseOthers() throws Exception {
        try (Running running = new Running(directory, Map.of())) {
            SourceLog source = new SourceLog(100, 4).append(Compression.GZIP, "a", "b");
            source.epoch(7).transactional(1, 0, "aborted").marker(1, false);
            source.append(Compression.NONE, "c");
            try (ReplicaAppender appender =
                    HostedPartition.of(
                                    running.store()
                                            .createTopic(
                                                    TOPIC,
                                                    TopicOptions.defaults().withReplicated(true))
                                            .partition(0))
                            .openReplicaAppender()) {
                while (appender.nextOffset() < source.nextOffset()) {
                    appender.append(source.fetch(appender.nextOffset(), 10));
                }
                appender.force();
            }
            try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of())) {
                ExecutionException refused =
                        assertThrows(
                                ExecutionException.class,
                                () ->
                                        producer.send(
                                                        new ProducerRecord<>(
                                                                TOPIC, 0, null, new byte[1]))
                                                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
                assertInstanceOf(PolicyViolationException.class, refused.getCause());
            }
            TopicPartition partition = new TopicPartition(TOPIC, 0);
            try (KafkaConsumer<byte[], byte[]> consumer =
                    running.rawConsumer(Map.of("isolation.level", "read_committed"))) {
                consumer.assign(List.of(partition));
                consumer.seekToBeginning(List.of(partition));
                List<ConsumerRecord<byte[], byte[]>> read = Running.read(consumer, 3);
                assertEquals(
                        List.of(100L, 101L, 104L),
                        read.stream().map(ConsumerRecord::offset).toList());
                assertEquals(Optional.of(4), read.get(0).leaderEpoch());
                assertEquals(Optional.of(7), read.get(2).leaderEpoch());
            }
        }
    }
}
