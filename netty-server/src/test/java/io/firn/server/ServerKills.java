package io.firn.server;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Kills a server, again and again, under an idempotent producer and a consumer in a group, which go
 * on as if nothing had been: what was sent is there once, in order, at the offset that was
 * acknowledged, and the group stands where it committed.
 */
final class ServerKills {
    private static final String TOPIC = "orders";
    private static final String GROUP = "readers";
    private static final int PARTITIONS = 3;
    private static final int RECORDS_A_ROUND = 2_000;
    private static final Duration POLL = Duration.ofMillis(50);

    private final ServerProcess server;
    private final Random random;

    /** By partition, what was sent and where it was acknowledged to lie. */
    private final List<List<AtomicLong>> sent = new ArrayList<>();

    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final Map<TopicPartition, Long> committed = new HashMap<>();
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private long received;

    private ServerKills(ServerProcess server, long seed) {
        this.server = server;
        this.random = new Random(seed);
        for (int i = 0; i < PARTITIONS; i++) {
            sent.add(new ArrayList<>());
        }
    }

    /** {@code ServerKills DIRECTORY ROUNDS SEED}. */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[1]);
        System.out.println(run(Path.of(arguments[0]), rounds, Long.parseLong(arguments[2])));
        System.exit(0); // clients may still want to close in peace
    }

    /**
     * Kills so many times.
     *
     * @return what was seen, in a line
     * @throws IllegalStateException when a promise was broken
     */
    static String run(Path directory, int rounds, long seed) throws Exception {
        Map<String, String> settings =
                Map.of(
                        "log.segment.bytes", "131072", // they roll all the time
                        "group.initial.rebalance.delay.ms", "0");
        try (ServerProcess server = new ServerProcess(directory, settings)) {
            return new ServerKills(server, seed).run(rounds);
        }
    }

    private Map<String, Object> client(Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(more);
        all.put("bootstrap.servers", server.bootstrapServers());
        all.put("reconnect.backoff.max.ms", 100);
        all.put("retry.backoff.ms", 20);
        return all;
    }

    private String run(int rounds) throws Exception {
        try (Admin admin = Admin.create(client(Map.of()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        long slowest = 0;
        try (KafkaProducer<String, String> producer =
                        new KafkaProducer<>(
                                client(Map.of("linger.ms", 1, "batch.size", 4_000)),
                                new StringSerializer(),
                                new StringSerializer());
                KafkaConsumer<String, String> consumer =
                        new KafkaConsumer<>(
                                client(
                                        Map.of(
                                                "group.id",
                                                GROUP,
                                                "enable.auto.commit",
                                                false,
                                                "default.api.timeout.ms",
                                                60_000,
                                                "auto.offset.reset",
                                                "earliest")),
                                new StringDeserializer(),
                                new StringDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            for (int round = 0; round < rounds; round++) {
                Thread sender = new Thread(() -> send(producer), "sender");
                sender.start();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(400)));
                readAndCommit(consumer, 1 + random.nextInt(3));
                server.kill();
                server.start();
                slowest = Math.max(slowest, server.startMs());
                checkGroup();
                sender.join(TimeUnit.SECONDS.toMillis(Running.HANGS_AFTER_S));
                require(!sender.isAlive(), "the producer hangs");
                producer.flush();
                require(failures.isEmpty(), "the producer failed: " + failures);
            }
            Running.await(
                    "the consumer to have all",
                    () -> {
                        readAndCommit(consumer, 1);
                        return received >= count();
                    });
        }
        checkLog();
        return String.format(
                "%d kills: %,d records, none lost, doubled or out of order; %,d received by the"
                        + " group; slowest start %d ms",
                rounds, count(), received, slowest);
    }

    private long count() {
        return sent.stream().mapToLong(List::size).sum();
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    private void send(KafkaProducer<String, String> producer) {
        for (int i = 0; i < RECORDS_A_ROUND; i++) {
            int partition = i % PARTITIONS;
            List<AtomicLong> before = sent.get(partition);
            AtomicLong offset = new AtomicLong(-1);
            String value = partition + "-" + before.size() + "-" + "x".repeat(i % 200);
            before.add(offset);
            var unused =
                    producer.send(
                            new ProducerRecord<>(TOPIC, partition, null, value),
                            (metadata, error) -> {
                                if (error != null) {
                                    failures.add(error);
                                } else {
                                    offset.set(metadata.offset());
                                }
                            });
            if (i % 50 == 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3)); // over a while
            }
        }
    }

    /** A group gets what it did not commit once more; in order, and without a gap, all the same. */
    private void readAndCommit(KafkaConsumer<String, String> consumer, int polls) {
        for (int i = 0; i < polls; i++) {
            for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                TopicPartition partition = new TopicPartition(TOPIC, record.partition());
                long next = positions.getOrDefault(partition, 0L);
                require(
                        record.offset() <= next,
                        partition + ": got offset " + record.offset() + " after " + (next - 1));
                require(
                        record.value().startsWith(record.partition() + "-" + record.offset() + "-"),
                        record.value() + " at offset " + record.offset());
                if (record.offset() == next) {
                    received++;
                }
                positions.put(partition, Math.max(next, record.offset() + 1));
            }
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition each : consumer.assignment()) {
            offsets.put(each, new OffsetAndMetadata(consumer.position(each)));
        }
        try {
            consumer.commitSync(offsets);
            offsets.forEach((partition, at) -> committed.put(partition, at.offset()));
        } catch (KafkaException e) {
            return; // in the middle of a rebalance: not committed, and no promise made
        }
    }

    private void checkGroup() throws Exception {
        try (Admin admin = Admin.create(client(Map.of()))) {
            Map<TopicPartition, OffsetAndMetadata> found =
                    admin.listConsumerGroupOffsets(GROUP)
                            .partitionsToOffsetAndMetadata()
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            committed.forEach(
                    (partition, offset) ->
                            // A commit whose answer was lost may be there, too.
                            require(
                                    found.get(partition) != null
                                            && found.get(partition).offset() >= offset,
                                    partition
                                            + ": committed was "
                                            + offset
                                            + ", found "
                                            + found.get(partition)));
            require(
                    committed.isEmpty()
                            || admin.describeConsumerGroups(List.of(GROUP))
                                            .all()
                                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                                            .get(GROUP)
                                            .members()
                                            .size()
                                    == 1,
                    "the group lost its member");
        }
    }

    private void checkLog() throws IOException {
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        client(Map.of()), new StringDeserializer(), new StringDeserializer())) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                TopicPartition place = new TopicPartition(TOPIC, partition);
                consumer.assign(Set.of(place));
                consumer.seekToBeginning(Set.of(place));
                List<AtomicLong> expected = sent.get(partition);
                require(
                        consumer.endOffsets(Set.of(place)).get(place) == expected.size(),
                        place + " ends at " + consumer.endOffsets(Set.of(place)));
                var found = Running.read(consumer, expected.size());
                for (int i = 0; i < found.size(); i++) {
                    require(
                            found.get(i).value().startsWith(partition + "-" + i + "-"),
                            place + ": " + found.get(i).value() + " is number " + i);
                    require(
                            expected.get(i).get() == found.get(i).offset(),
                            place + ": number " + i + " was acknowledged at " + expected.get(i));
                }
            }
        }
    }
}
