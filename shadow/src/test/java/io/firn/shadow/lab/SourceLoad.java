package io.firn.shadow.lab;

import io.firn.kafka.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Producers of every kind, while brokers end and leaders move. */
final class SourceLoad {
    static final String PLAIN = "plain";
    static final String IN_TRANSACTIONS = "in-transactions";
    static final String COMPACTED = "compacted";
    static final List<String> TOPICS = List.of(PLAIN, IN_TRANSACTIONS, COMPACTED);
    private static final List<String> CODECS = List.of("gzip", "snappy", "lz4", "zstd", "none");

    private final KafkaCluster cluster;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong aborts = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean isEnding;

    SourceLoad(KafkaCluster cluster) {
        this.cluster = cluster;
    }

    static void createTopics(KafkaCluster cluster) throws Exception {
        Map<String, String> small = Map.of("segment.bytes", "1048576", "min.insync.replicas", "2");
        cluster.create(PLAIN, 3, small);
        cluster.create(IN_TRANSACTIONS, 2, small);
        Map<String, String> compacted = new HashMap<>(small);
        compacted.put("cleanup.policy", "compact");
        compacted.put("min.cleanable.dirty.ratio", "0.01");
        compacted.put("delete.retention.ms", "1000");
        compacted.put("segment.ms", "5000");
        cluster.create(COMPACTED, 2, compacted);
    }

    SourceLoad start(long seed) {
        Random seeds = new Random(seed);
        for (String codec : CODECS) {
            add(new Random(seeds.nextLong()), random -> plain(codec, random));
        }
        add(new Random(seeds.nextLong()), random -> transactions("t-1", random));
        add(new Random(seeds.nextLong()), random -> transactions("t-2", random));
        add(new Random(seeds.nextLong()), this::compacted);
        return this;
    }

    private interface Work {
        void run(Random random) throws InterruptedException;
    }

    /** A producer that failed for good is followed by another one. */
    private void add(Random random, Work work) {
        Thread thread =
                new Thread(
                        () -> {
                            while (!isEnding) {
                                try {
                                    work.run(random);
                                } catch (KafkaException e) {
                                    failures.incrementAndGet();
                                } catch (InterruptedException e) {
                                    return;
                                }
                            }
                        });
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, Object> settings) {
        Map<String, Object> all = cluster.client();
        all.put("linger.ms", "5");
        all.put("delivery.timeout.ms", "60000");
        all.put("request.timeout.ms", "5000");
        all.put("max.block.ms", "30000");
        all.putAll(settings);
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** The codec "none" goes with a producer that is not idempotent and does not wait for all. */
    private void plain(String codec, Random random) throws InterruptedException {
        Map<String, Object> settings = new HashMap<>(Map.of("compression.type", codec));
        if (codec.equals("none")) {
            settings.put("enable.idempotence", "false");
            settings.put("acks", "1");
        }
        try (KafkaProducer<byte[], byte[]> producer = producer(settings)) {
            while (!isEnding) {
                for (int i = random.nextInt(40); i >= 0; i--) {
                    send(producer, PLAIN, random.nextInt(3), key(random, 1 << 20), random);
                }
                Thread.sleep(random.nextInt(60));
            }
        }
    }

    private void transactions(String id, Random random) throws InterruptedException {
        try (KafkaProducer<byte[], byte[]> producer =
                producer(
                        Map.of(
                                "transactional.id",
                                id,
                                "transaction.timeout.ms",
                                "10000",
                                "compression.type",
                                CODECS.get(random.nextInt(5))))) {
            producer.initTransactions();
            while (!isEnding) {
                producer.beginTransaction();
                for (int i = random.nextInt(30); i >= 0; i--) {
                    send(
                            producer,
                            IN_TRANSACTIONS,
                            random.nextInt(2),
                            key(random, 1 << 20),
                            random);
                }
                if (random.nextInt(10) < 3) {
                    producer.flush();
                    producer.abortTransaction();
                    aborts.incrementAndGet();
                } else {
                    producer.commitTransaction();
                }
                Thread.sleep(random.nextInt(60));
            }
        }
    }

    private void compacted(Random random) throws InterruptedException {
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of("compression.type", "lz4"))) {
            while (!isEnding) {
                for (int i = random.nextInt(60); i >= 0; i--) {
                    byte[] key = key(random, 300);
                    send(producer, COMPACTED, Math.floorMod(key[0], 2), key, random);
                }
                Thread.sleep(random.nextInt(60));
            }
        }
    }

    private static byte[] key(Random random, int keys) {
        return Integer.toString(random.nextInt(keys)).getBytes(StandardCharsets.UTF_8);
    }

    private void send(
            KafkaProducer<byte[], byte[]> producer,
            String topic,
            int partition,
            byte[] key,
            Random random) {
        byte[] value = null;
        if (!topic.equals(COMPACTED) || random.nextInt(5) > 0) {
            value = new byte[random.nextInt(800)];
            random.nextBytes(value);
        }
        var unused = producer.send(new ProducerRecord<>(topic, partition, key, value));
        records.incrementAndGet();
    }

    String figures() {
        return records
                + " records sent, "
                + aborts
                + " transactions aborted by their producers, "
                + failures
                + " producers failed and were replaced";
    }

    /** Ends all producers. */
    void stop() throws InterruptedException {
        isEnding = true;
        for (Thread each : threads) {
            each.join();
        }
    }
}
