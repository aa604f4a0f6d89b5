package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.RefusedException;
import io.firn.StoredRecord;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Appends to a topic on a server, with an idempotent producer. */
final class ServerSink implements RecordSink {
    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final int partitions;
    private final Map<Integer, Long> counts = new ConcurrentSkipListMap<>();
    private volatile Exception failure;

    private ServerSink(KafkaProducer<byte[], byte[]> producer, String topic, int partitions) {
        this.producer = producer;
        this.topic = topic;
        this.partitions = partitions;
    }

    static ServerSink open(Properties config, String topic) {
        // A producer would wait for a topic that does not exist until it gives up, or create it.
        int partitions;
        try (Topics topics = new ServerTopics(ServerConnection.open(config))) {
            partitions = topics.describe(topic).partitions().size();
        }
        Properties own = new Properties();
        own.setProperty("linger.ms", "5");
        own.setProperty("max.block.ms", "15000");
        own.setProperty("delivery.timeout.ms", "30000");
        own.putAll(config);
        own.setProperty("acks", "all");
        return new ServerSink(
                new KafkaProducer<>(own, new ByteArraySerializer(), new ByteArraySerializer()),
                topic,
                partitions);
    }

    @Override
    public void append(StoredRecord record) {
        throwIfFailed();
        if (record.partition() >= partitions) {
            throw new InvalidOptionException(
                    "there is no partition "
                            + record.partition()
                            + ": the topic has "
                            + partitions);
        }
        ProducerRecord<byte[], byte[]> sent =
                new ProducerRecord<>(
                        topic,
                        record.partition() < 0 ? null : record.partition(),
                        record.timestamp() < 0 ? null : record.timestamp(),
                        record.key(),
                        record.value());
        record.headers().forEach(each -> sent.headers().add(each.key(), each.value()));
        var unused =
                producer.send(
                        sent,
                        (metadata, e) -> {
                            if (e == null) {
                                counts.merge(metadata.partition(), 1L, Long::sum);
                            } else {
                                failure = e;
                            }
                        });
    }

    @Override
    public Map<Integer, Long> flush() {
        producer.flush();
        throwIfFailed();
        return counts;
    }

    private void throwIfFailed() {
        Exception e = failure;
        if (e instanceof KafkaException) {
            throw (KafkaException) e;
        } else if (e != null) {
            throw new RefusedException("the record was not appended: " + e, e);
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
