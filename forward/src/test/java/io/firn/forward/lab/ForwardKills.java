package io.firn.forward.lab;

import io.firn.LogStore;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.kafka.Children;
import io.firn.kafka.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Kills a process that appends and forwards, and the brokers that it forwards to; then compares
 * what a consumer reads with the store. Arguments: directory, records, kills, seed. System
 * property: {@code firn.kafka.path}, the class path of Kafka's programs.
 */
public final class ForwardKills {
    private static final int KILLS_PER_BROKER = 5;

    private final Path directory;
    private final long records;
    private final int kills;
    private final long seed;
    private final Random random;
    private int brokerKills;
    private int outages;

    private ForwardKills(String[] arguments) {
        directory = Path.of(arguments[0]);
        records = Long.parseLong(arguments[1]);
        kills = Integer.parseInt(arguments[2]);
        seed = Long.parseLong(arguments[3]);
        random = new Random(seed);
    }

    /** Runs it. */
    public static void main(String[] arguments) throws Exception {
        new ForwardKills(arguments).run();
        System.exit(0); // Kafka's clients may have threads that do not end soon
    }

    private static void say(String format, Object... arguments) {
        System.out.printf(format + "%n", arguments);
    }

    private void run() throws Exception {
        say("seed %d, in %s", seed, directory);
        try (KafkaCluster cluster =
                new KafkaCluster(
                        Files.createDirectories(directory.resolve("kafka")),
                        System.getProperty("firn.kafka.path"))) {
            Map<String, String> settings = Map.of("min.insync.replicas", "2");
            cluster.create(ForwardChild.TARGET, ForwardChild.PARTITIONS, settings);
            awaitReplicas(cluster);
            for (int i = 1; i <= kills; i++) {
                Process child = start(cluster, 3L * Integer.MAX_VALUE);
                Thread.sleep(500 + random.nextInt(4000));
                if (i % KILLS_PER_BROKER == 0) {
                    disturb(cluster, child);
                } else {
                    kill(child);
                }
                if (i % 10 == 0) {
                    say("%d kills, %d of brokers, %d outages", i, brokerKills, outages);
                }
            }
            Process last = start(cluster, records);
            if (last.waitFor() != 0) {
                throw new IllegalStateException("it did not forward everything, see child.log");
            }
            say("%d kills, %d of brokers, %d outages", kills, brokerKills, outages);
            compare(cluster);
        }
    }

    private Process start(KafkaCluster cluster, long most) throws IOException {
        return Children.start(
                directory.resolve("child.log"),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ForwardChild.class.getName(),
                        directory.resolve("store").toString(),
                        cluster.bootstrapServers(),
                        Long.toString(most),
                        Long.toString(random.nextLong())));
    }

    /** Kills one broker, or all of them for 20 s, and the process while they are gone or later. */
    private void disturb(KafkaCluster cluster, Process child) throws Exception {
        boolean isOutage = random.nextInt(4) == 0;
        int first = 1 + brokerKills % KafkaCluster.BROKERS;
        for (int i = 0; i < (isOutage ? KafkaCluster.BROKERS : 1); i++) {
            cluster.kill(1 + (first + i) % KafkaCluster.BROKERS);
            brokerKills++;
        }
        outages += isOutage ? 1 : 0;
        Thread.sleep(isOutage ? 20_000 : 4_000);
        boolean isGone = random.nextBoolean();
        if (isGone) {
            kill(child); // while it cannot go on
        }
        for (int i = 0; i < (isOutage ? KafkaCluster.BROKERS : 1); i++) {
            cluster.start(1 + (first + i) % KafkaCluster.BROKERS);
        }
        awaitReplicas(cluster);
        if (!isGone) {
            Thread.sleep(random.nextInt(2000));
            kill(child);
        }
    }

    private static void kill(Process child) throws InterruptedException {
        if (!child.isAlive()) {
            throw new IllegalStateException("it ended by itself, see child.log");
        }
        Children.kill(child);
    }

    private static void awaitReplicas(KafkaCluster cluster) throws Exception {
        KafkaCluster.await("all replicas", () -> cluster.isInSync(List.of(ForwardChild.TARGET)));
    }

    private void compare(KafkaCluster cluster) {
        Map<String, Object> settings = new HashMap<>(cluster.client());
        settings.put("isolation.level", "read_committed");
        settings.put("auto.offset.reset", "earliest");
        long compared = 0;
        try (LogStore store = ForwardChild.open(directory.resolve("store"));
                KafkaConsumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(
                                settings,
                                new ByteArrayDeserializer(),
                                new ByteArrayDeserializer())) {
            for (int i = 0; i < ForwardChild.PARTITIONS; i++) {
                TopicPartition partition = new TopicPartition(ForwardChild.TARGET, i);
                consumer.assign(List.of(partition));
                consumer.seekToBeginning(List.of(partition));
                try (Tailer tailer =
                        store.openTopic(ForwardChild.TOPIC).partition(i).openTailer()) {
                    compared += compare(tailer, consumer, partition);
                }
            }
        }
        say("%d records compared: none lost, doubled or out of order", compared);
    }

    private static long compare(
            Tailer tailer, KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
        long end = consumer.endOffsets(List.of(partition)).get(partition);
        long compared = 0;
        var expected = tailer.iterator();
        while (consumer.position(partition) < end) {
            for (ConsumerRecord<byte[], byte[]> found : consumer.poll(Duration.ofMillis(200))) {
                if (!expected.hasNext()) {
                    throw new IllegalStateException(partition + " has too many: " + found.offset());
                }
                StoredRecord record = expected.next();
                if (!Arrays.equals(record.key(), found.key())
                        || !Arrays.equals(record.value(), found.value())
                        || record.timestamp() != found.timestamp()
                        || !record.headers().equals(headers(found))) {
                    throw new IllegalStateException(
                            partition
                                    + " differs at offset "
                                    + found.offset()
                                    + ", record "
                                    + record.offset());
                }
                compared++;
            }
        }
        if (expected.hasNext()) {
            throw new IllegalStateException(partition + " ends before " + expected.next().offset());
        }
        return compared;
    }

    private static List<StoredRecord.Header> headers(ConsumerRecord<?, ?> record) {
        return Arrays.stream(record.headers().toArray())
                .map(each -> new StoredRecord.Header(each.key(), each.value()))
                .toList();
    }
}
