package io.firn.bench.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends records at a fixed rate, regardless of responses (an open loop), and receives them in the
 * same process. A record carries the moment at which it was due, so that a delayed sender makes its
 * records late, which avoids coordinated omission. Prints how late the sender was, in ms, and the
 * latency until the acknowledgement and until the record is received, in µs.
 *
 * <p>With a second topic an application in the same process copies each record from the first topic
 * to the second exactly once, and received is what a consumer of the second topic sees of committed
 * records.
 */
public final class OpenLoop {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};
    private static final long MAX_NS = TimeUnit.SECONDS.toNanos(60);

    private final Histogram acknowledged = new Histogram(MAX_NS, 3);
    private final Histogram received = new Histogram(MAX_NS, 3);
    private final String topic;
    private final String copy;
    private final int rate;
    private final int bytes;
    private final long count;
    private final long warmUp;
    private long lateNs;

    private OpenLoop(
            String topic, String copy, int rate, int bytes, int warmUpSeconds, int seconds) {
        this.topic = topic;
        this.copy = copy;
        this.rate = rate;
        this.bytes = bytes;
        this.warmUp = (long) rate * warmUpSeconds;
        this.count = warmUp + (long) rate * seconds;
    }

    /** {@code BOOTSTRAP TOPIC RATE BYTES WARM-UP-SECONDS SECONDS ACKS RECEIVE [COPY]}. */
    public static void main(String[] arguments) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, e) -> {
                    e.printStackTrace();
                    System.exit(1); // or the others would wait for its records
                });
        OpenLoop loop =
                new OpenLoop(
                        arguments[1],
                        arguments.length == 9 ? arguments[8] : null,
                        Integer.parseInt(arguments[2]),
                        Integer.parseInt(arguments[3]),
                        Integer.parseInt(arguments[4]),
                        Integer.parseInt(arguments[5]));
        boolean receives = Boolean.parseBoolean(arguments[7]);
        loop.run(arguments[0], arguments[6], receives);
        System.out.println("late " + TimeUnit.NANOSECONDS.toMillis(loop.lateNs));
        print("acknowledged", loop.acknowledged);
        if (receives) {
            print("received", loop.received);
        }
    }

    private static void print(String what, Histogram histogram) {
        StringBuilder line = new StringBuilder(what);
        for (double percentile : PERCENTILES) {
            line.append(
                    String.format(
                            Locale.ROOT,
                            " %.0f",
                            histogram.getValueAtPercentile(percentile) / 1e3));
        }
        System.out.println(line);
    }

    private void run(String bootstrap, String acks, boolean receives) throws Exception {
        Thread receiver = new Thread(() -> receive(bootstrap), "receiver");
        if (receives) {
            receiver.start();
        }
        ExactlyOnceCopy copying =
                copy == null ? null : new ExactlyOnceCopy(bootstrap, topic, copy, count);
        if (copying != null) {
            copying.start();
        }
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrap, "acks", acks, "linger.ms", 0),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            send(producer);
        }
        receiver.join();
        if (copying != null) {
            copying.join();
            System.out.println("transactions " + copying.transactions());
        }
    }

    private void send(KafkaProducer<byte[], byte[]> producer) {
        long start = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        for (long i = 0; i < count; i++) {
            long due = start + i * TimeUnit.SECONDS.toNanos(1) / rate;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            if (i >= warmUp) {
                lateNs = Math.max(lateNs, System.nanoTime() - due);
            }
            byte[] value = new byte[bytes];
            ByteBuffer.wrap(value).putLong(due).putLong(i);
            boolean counts = i >= warmUp;
            var unused =
                    producer.send(
                            new ProducerRecord<>(topic, 0, null, value),
                            (metadata, error) -> {
                                if (error != null) {
                                    throw new IllegalStateException("not sent", error);
                                }
                                if (counts) {
                                    record(acknowledged, due); // only one thread calls this
                                }
                            });
        }
    }

    private static void record(Histogram histogram, long due) {
        histogram.recordValue(Math.min(MAX_NS, Math.max(0, System.nanoTime() - due)));
    }

    private void receive(String bootstrap) {
        TopicPartition partition = new TopicPartition(copy == null ? topic : copy, 0);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                bootstrap,
                                "isolation.level",
                                copy == null ? "read_uncommitted" : "read_committed"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToEnd(List.of(partition));
            consumer.position(partition);
            for (long seen = 0; seen < count; ) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(100))) {
                    ByteBuffer value = ByteBuffer.wrap(each.value());
                    long due = value.getLong();
                    if (value.getLong() >= warmUp) {
                        record(received, due);
                    }
                    seen++;
                }
            }
        }
    }
}
