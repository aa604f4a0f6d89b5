package io.firn.shadow.lab;

import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.file.FileTier;
import io.firn.kafka.KafkaCluster;
import io.firn.shadow.Shadow;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * How long a record takes from its producer to a consumer, and to a tailer of a shadow, in one run
 * beside each other. A record has the time when it was sent; with one replica, the high watermark
 * of the source passes it before it is acknowledged. Arguments: a directory, records per second,
 * seconds.
 */
public final class Latency {
    private static final String TOPIC = "latency";
    private static final int RECORD_BYTES = 256;
    private static final int WARM_UP_S = 10;

    private final int rate;
    private final int count;
    private final int first;
    private final long[] acknowledgedNs;
    private final long[] consumedNs;
    private final long[] tailedNs;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private Latency(int rate, int seconds) {
        this.rate = rate;
        this.first = rate * WARM_UP_S;
        this.count = first + rate * seconds;
        this.acknowledgedNs = new long[count];
        this.consumedNs = new long[count];
        this.tailedNs = new long[count];
    }

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        Latency run = new Latency(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        try (KafkaCluster cluster =
                new KafkaCluster(
                        Files.createDirectories(directory.resolve("kafka")),
                        System.getProperty("firn.kafka.path"))) {
            cluster.serveAlone(TOPIC, 1);
            run.run(cluster, directory.resolve("store"));
        }
        System.exit(0);
    }

    private void run(KafkaCluster cluster, Path directory) throws Exception {
        Properties source = new Properties();
        source.setProperty("bootstrap.servers", cluster.bootstrapServers());
        try (LogStore store =
                        LogStore.at(directory)
                                .tier(FileTier.at(directory.resolve("segments")))
                                .open();
                Shadow shadow = Shadow.of(store, source).topics(TOPIC).start()) {
            KafkaCluster.await("the copy", () -> !shadow.snapshot().partitions().isEmpty());
            Thread consumer = start(() -> consume(cluster.bootstrapServers()));
            Thread tailer = start(() -> tail(store));
            produce(cluster);
            consumer.join();
            tailer.join();
        }
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get());
        }
        System.out.printf(
                Locale.ROOT,
                "%d records at %d/s, after %d s; us: p50, p99, p99.9, most%n",
                count - first,
                rate,
                WARM_UP_S);
        long[] none = new long[count];
        print("sent to acknowledged", acknowledgedNs, none);
        print("sent to consumer", consumedNs, none);
        print("sent to tailer", tailedNs, none);
        print("acknowledged to consumer", consumedNs, acknowledgedNs);
        print("acknowledged to tailer", tailedNs, acknowledgedNs);
        print("consumer to tailer", tailedNs, consumedNs);
    }

    private Thread start(Runnable work) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                work.run();
                            } catch (RuntimeException | Error e) {
                                failure.set(e);
                            }
                        });
        thread.start();
        return thread;
    }

    private void produce(KafkaCluster cluster) {
        Map<String, Object> settings = cluster.client();
        settings.put("linger.ms", "0");
        settings.put("acks", "all");
        long intervalNs = 1_000_000_000L / rate;
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            long dueNs = System.nanoTime();
            for (int i = 0; i < count; i++) {
                while (System.nanoTime() < dueNs) {
                    LockSupport.parkNanos(dueNs - System.nanoTime());
                }
                dueNs += intervalNs;
                int number = i;
                long sentNs = System.nanoTime();
                byte[] value = new byte[RECORD_BYTES];
                ByteBuffer.wrap(value).putInt(number).putLong(sentNs);
                var unused =
                        producer.send(
                                new ProducerRecord<>(TOPIC, 0, null, value),
                                (metadata, e) -> {
                                    acknowledgedNs[number] = System.nanoTime() - sentNs;
                                    if (e != null) {
                                        failure.set(e);
                                    }
                                });
            }
        }
    }

    private void consume(String bootstrapServers) {
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrapServers),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            int taken = 0;
            while (taken < count && failure.get() == null) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    note(ByteBuffer.wrap(record.value()), consumedNs);
                    taken++;
                }
            }
        }
    }

    private void tail(LogStore store) {
        try (Tailer tailer = store.openTopic(TOPIC).openTailer()) {
            int taken = 0;
            while (taken < count && failure.get() == null) {
                taken +=
                        tailer.forEach(
                                record -> note(record.value(), tailedNs),
                                1000,
                                Duration.ofMillis(100));
            }
        }
    }

    private static void note(ByteBuffer value, long[] tookNs) {
        long now = System.nanoTime();
        int at = value.position();
        tookNs[value.getInt(at)] = now - value.getLong(at + Integer.BYTES);
    }

    private void print(String what, long[] toNs, long[] fromNs) {
        Histogram found = new Histogram(3);
        int before = 0;
        for (int i = first; i < count; i++) {
            long tookNs = toNs[i] - fromNs[i];
            before += tookNs < 0 ? 1 : 0; // a thread was told late
            found.recordValue(Math.max(0, tookNs));
        }
        System.out.printf(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %.0f | %.0f |%s%n",
                what,
                found.getValueAtPercentile(50) / 1e3,
                found.getValueAtPercentile(99) / 1e3,
                found.getValueAtPercentile(99.9) / 1e3,
                found.getMaxValue() / 1e3,
                before == 0 ? "" : " " + before + " below 0");
    }
}
