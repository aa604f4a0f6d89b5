package io.firn.forward.cluster;

import io.firn.forward.cluster.TargetFailure.Kind;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** A cluster of Kafka, by one producer and one Admin. */
final class KafkaTarget implements Target {
    private final ConsumerGroupMetadata group;
    private final BooleanSupplier isEnding;
    private final Admin admin;
    private final Producer<byte[], byte[]> producer;

    /** The first record that was not accepted, of which all later failures are a consequence. */
    private final AtomicReference<TargetFailure> refused = new AtomicReference<>();

    private KafkaTarget(
            ConsumerGroupMetadata group,
            BooleanSupplier isEnding,
            Admin admin,
            Producer<byte[], byte[]> producer) {
        this.group = group;
        this.isEnding = isEnding;
        this.admin = admin;
        this.producer = producer;
    }

    static KafkaTarget open(TargetConfig config, BooleanSupplier isEnding) {
        Admin admin = null;
        // It connects to nothing. There is no other way to a group's metadata that will stay.
        try (Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(config.consumer())) {
            admin = Admin.create(config.admin());
            return new KafkaTarget(
                    consumer.groupMetadata(),
                    isEnding,
                    admin,
                    new KafkaProducer<>(config.producer()));
        } catch (KafkaException e) {
            if (admin != null) {
                admin.close(Duration.ZERO);
            }
            throw failure("connect to " + config.bootstrapServers(), e);
        }
    }

    private static TargetFailure failure(String what, Throwable error) {
        return new TargetFailure(
                TargetErrors.kindOf(error),
                "could not " + what + ": " + TargetErrors.describe(error),
                error);
    }

    @Override
    public Map<String, TargetTopic> topics(Collection<String> names) {
        Map<String, TargetTopic> topics = new HashMap<>();
        admin.describeTopics(names)
                .topicNameValues()
                .forEach(
                        (name, found) -> {
                            TopicDescription topic = get("find topic " + name, found);
                            String topicId = topic.topicId().toString();
                            int partitions = topic.partitions().size();
                            topics.put(name, new TargetTopic(name, topicId, partitions));
                        });
        return topics;
    }

    @Override
    public Map<TargetPartition, Position> positions(
            Collection<TargetPartition> partitions, boolean isStable) {
        List<TopicPartition> asked =
                partitions.stream().map(p -> new TopicPartition(p.topic(), p.partition())).toList();
        var spec = new ListConsumerGroupOffsetsSpec().topicPartitions(asked);
        var options = new ListConsumerGroupOffsetsOptions().requireStable(isStable);
        Map<TargetPartition, Position> positions = new HashMap<>();
        KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> found =
                admin.listConsumerGroupOffsets(Map.of(group.groupId(), spec), options)
                        .partitionsToOffsetAndMetadata(group.groupId());
        get("read the positions of group " + group.groupId(), found)
                .forEach(
                        (p, offset) -> {
                            if (offset != null && offset.offset() >= 0) {
                                positions.put(
                                        new TargetPartition(p.topic(), p.partition()),
                                        Position.parse(offset.offset(), offset.metadata()));
                            }
                        });
        return positions;
    }

    private <T> T get(String what, KafkaFuture<T> future) {
        while (true) {
            try {
                return future.get(100, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (isEnding.getAsBoolean()) {
                    throw new TargetFailure(Kind.PASSING, "ended", e);
                }
            } catch (ExecutionException e) {
                throw failure(what, e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TargetFailure(Kind.PASSING, "interrupted", e);
            }
        }
    }

    @Override
    public void initTransactions() {
        call("begin as producer " + group.groupId(), producer::initTransactions);
    }

    @Override
    public void begin() {
        call("begin a transaction", producer::beginTransaction);
    }

    @Override
    public void send(String topic, OutgoingRecord record, String source) {
        call(
                "send",
                () -> {
                    var unused =
                            producer.send(
                                    new ProducerRecord<>(
                                            topic,
                                            record.partition(),
                                            record.timestamp(),
                                            record.key(),
                                            record.value(),
                                            record.headers()),
                                    (metadata, error) -> {
                                        if (error != null) {
                                            note(source, record, topic, error);
                                        }
                                    });
                });
        throwFirst(); // or else each of the following ones waits as long as this one has
    }

    private void note(String source, OutgoingRecord record, String topic, Exception error) {
        String what =
                "send record "
                        + record.offset()
                        + " of "
                        + source
                        + " ("
                        + record.bytes()
                        + " bytes) to "
                        + topic
                        + "-"
                        + record.partition();
        refused.compareAndSet(null, failure(what, error));
    }

    @Override
    public void sendPositions(Map<TargetPartition, Position> positions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        positions.forEach(
                (p, position) ->
                        offsets.put(
                                new TopicPartition(p.topic(), p.partition()),
                                new OffsetAndMetadata(position.offset(), position.metadata())));
        call(
                "add the positions to the transaction",
                () -> producer.sendOffsetsToTransaction(offsets, group));
    }

    @Override
    public void commit() {
        call("commit a transaction", producer::commitTransaction);
    }

    private void call(String what, Runnable step) {
        try {
            step.run();
        } catch (KafkaException | IllegalStateException e) { // the latter when it was closed
            throwFirst();
            throw failure(what, e);
        }
    }

    private void throwFirst() {
        TargetFailure first = refused.get();
        if (first != null) {
            throw first;
        }
    }

    @Override
    public void abandon() {
        producer.close(Duration.ZERO);
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
        admin.close(Duration.ZERO);
    }
}
