package io.firn.bench.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Copies the first partition of a topic to another exactly once: what a poll returned and the
 * group's offsets are one transaction.
 */
final class ExactlyOnceCopy extends Thread {
    private final String bootstrap;
    private final TopicPartition from;
    private final String to;
    private final long count;
    private long transactions;

    /**
     * Creates it; {@link #start} begins.
     *
     * @param count how many records it copies before it ends
     */
    ExactlyOnceCopy(String bootstrap, String from, String to, long count) {
        super("copy");
        this.bootstrap = bootstrap;
        this.from = new TopicPartition(from, 0);
        this.to = to;
        this.count = count;
    }

    /** Returns how many transactions it took; call it after the end. */
    long transactions() {
        return transactions;
    }

    @Override
    public void run() {
        try (KafkaConsumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(
                                Map.of(
                                        "bootstrap.servers",
                                        bootstrap,
                                        "group.id",
                                        "copy-of-" + from.topic(),
                                        "enable.auto.commit",
                                        false,
                                        "auto.offset.reset",
                                        "earliest",
                                        "isolation.level",
                                        "read_committed"),
                                new ByteArrayDeserializer(),
                                new ByteArrayDeserializer());
                KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(
                                Map.of(
                                        "bootstrap.servers",
                                        bootstrap,
                                        "transactional.id",
                                        "copy-of-" + from.topic(),
                                        "linger.ms",
                                        0),
                                new ByteArraySerializer(),
                                new ByteArraySerializer())) {
            producer.initTransactions();
            consumer.subscribe(List.of(from.topic()));
            for (long copied = 0; copied < count; ) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
                if (!records.isEmpty()) {
                    copy(records, consumer, producer);
                    copied += records.count();
                }
            }
        }
    }

    private void copy(
            ConsumerRecords<byte[], byte[]> records,
            KafkaConsumer<byte[], byte[]> consumer,
            KafkaProducer<byte[], byte[]> producer) {
        producer.beginTransaction();
        for (ConsumerRecord<byte[], byte[]> each : records) {
            var unused = producer.send(new ProducerRecord<>(to, 0, null, each.value()));
        }
        producer.sendOffsetsToTransaction(records.nextOffsets(), consumer.groupMetadata());
        producer.commitTransaction();
        transactions++;
    }
}
