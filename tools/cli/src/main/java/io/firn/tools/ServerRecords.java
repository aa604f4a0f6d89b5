package io.firn.tools;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.StoredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The records of a topic on a server. */
final class ServerRecords implements RecordSource {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final String topic;
    private final List<Integer> partitions;

    private ServerRecords(
            KafkaConsumer<byte[], byte[]> consumer, String topic, List<Integer> partitions) {
        this.consumer = consumer;
        this.topic = topic;
        this.partitions = partitions;
        consumer.assign(partitions.stream().map(this::key).toList());
    }

    /** Connects to the server for them; all partitions if none is chosen. */
    static ServerRecords open(Properties config, String topic, List<Integer> chosen) {
        KafkaConsumer<byte[], byte[]> consumer = consumer(config);
        try {
            List<PartitionInfo> known = consumer.partitionsFor(topic);
            if (known.isEmpty()) {
                throw new InvalidOptionException("the server has no topic '" + topic + "'");
            }
            for (int each : chosen) {
                if (each >= known.size()) {
                    throw new InvalidOptionException(
                            "there is no partition "
                                    + each
                                    + ": topic "
                                    + topic
                                    + " has "
                                    + known.size());
                }
            }
            List<Integer> all = new ArrayList<>();
            known.forEach(each -> all.add(each.partition()));
            all.sort(null);
            return new ServerRecords(consumer, topic, chosen.isEmpty() ? all : chosen);
        } catch (RuntimeException e) {
            consumer.close();
            throw e;
        }
    }

    /** Returns a consumer that belongs to no group. */
    static KafkaConsumer<byte[], byte[]> consumer(Properties config) {
        Properties own = new Properties();
        own.setProperty("isolation.level", "read_committed");
        own.setProperty("auto.offset.reset", "earliest");
        own.putAll(config);
        own.setProperty("enable.auto.commit", "false");
        own.setProperty("allow.auto.create.topics", "false");
        own.remove("group.id");
        return new KafkaConsumer<>(own, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private TopicPartition key(int partition) {
        return new TopicPartition(topic, partition);
    }

    @Override
    public List<Integer> partitions() {
        return partitions;
    }

    @Override
    public long start(int partition) {
        TopicPartition key = key(partition);
        return consumer.beginningOffsets(List.of(key)).get(key);
    }

    @Override
    public long end(int partition) {
        TopicPartition key = key(partition);
        return consumer.endOffsets(List.of(key)).get(key);
    }

    @Override
    public long at(int partition, long timestampMs) {
        TopicPartition key = key(partition);
        OffsetAndTimestamp found = consumer.offsetsForTimes(Map.of(key, timestampMs)).get(key);
        return found == null ? end(partition) : found.offset();
    }

    @Override
    public void only(int partition) {
        consumer.assign(List.of(key(partition)));
    }

    @Override
    public void seek(int partition, long offset) {
        consumer.seek(key(partition), Math.min(Math.max(offset, start(partition)), end(partition)));
    }

    @Override
    public long position(int partition) {
        return consumer.position(key(partition));
    }

    @Override
    public void poll(
            Consumer<StoredRecord> records, Consumer<FirnException> gaps, Duration timeout) {
        for (ConsumerRecord<byte[], byte[]> each : consumer.poll(timeout)) {
            List<StoredRecord.Header> headers = new ArrayList<>();
            each.headers()
                    .forEach(one -> headers.add(new StoredRecord.Header(one.key(), one.value())));
            records.accept(
                    new StoredRecord(
                            each.partition(),
                            each.offset(),
                            each.timestamp(),
                            each.key(),
                            each.value(),
                            headers));
        }
    }

    @Override
    public boolean isAt(int partition, long end) {
        return position(partition) >= end;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
