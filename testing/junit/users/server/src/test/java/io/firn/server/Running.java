package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.LogStore;
import io.firn.api.Waiting;
import io.firn.junit.FirnKafkaServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Assumptions;

/**
 * What the tests of the server ask of a server, from firn-junit. A test that restarts it is
 * skipped.
 */
final class Running implements AutoCloseable {
    static final long HANGS_AFTER_S = Waiting.HANGS_AFTER_S;

    private final FirnKafkaServer kafka;

    Running(Path directory) {
        this(directory, Map.of());
    }

    Running(Path directory, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>();
        all.put("group.min.session.timeout.ms", "100");
        all.put("log.segment.bytes", "1048576");
        all.putAll(settings);
        FirnKafkaServer.Builder builder = FirnKafkaServer.of();
        all.forEach(builder::set);
        kafka = builder.start();
    }

    /** On other tiers. */
    Running(Path directory, Map<String, String> settings, Object tiers) {
        throw notHere("other tiers");
    }

    static Object filesOf(long bytes) {
        return bytes;
    }

    private static RuntimeException notHere(String what) {
        return Assumptions.abort("the server of firn-junit has no " + what);
    }

    void start(int port) throws IOException {
        throw notHere("second start");
    }

    void stop() {
        throw notHere("stop");
    }

    void restart() throws IOException {
        throw notHere("restart");
    }

    void restart(Map<String, String> settings) throws IOException {
        throw notHere("restart");
    }

    LogStore store() {
        return kafka.store();
    }

    FirnServer server() {
        return new FirnServer(kafka.bootstrapServers());
    }

    Map<String, Object> client() {
        Map<String, Object> client = new HashMap<>();
        client.put("bootstrap.servers", kafka.bootstrapServers());
        return client;
    }

    Map<String, Object> client(String listener, Map<String, ?> settings) {
        throw notHere("second listener");
    }

    Admin admin() {
        return Admin.create(client());
    }

    void createTopic(String name, int partitions, Map<String, String> configs) throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(configs)))
                    .all()
                    .get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    KafkaProducer<String, String> producer(Map<String, Object> settings) {
        Map<String, Object> all = client();
        all.putAll(settings);
        return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
    }

    KafkaProducer<byte[], byte[]> rawProducer(Map<String, Object> settings) {
        Map<String, Object> all = client();
        all.putAll(settings);
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    KafkaConsumer<String, String> consumer(Map<String, Object> settings) {
        Map<String, Object> all = client();
        all.put("auto.offset.reset", "earliest");
        all.putAll(settings);
        return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
    }

    KafkaConsumer<byte[], byte[]> rawConsumer(Map<String, Object> settings) {
        Map<String, Object> all = client();
        all.put("auto.offset.reset", "earliest");
        all.putAll(settings);
        return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Waits for a number of records and returns them. */
    static <K, V> List<ConsumerRecord<K, V>> read(KafkaConsumer<K, V> consumer, int count) {
        List<ConsumerRecord<K, V>> records = new ArrayList<>();
        await(
                count + " records",
                () -> {
                    consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                    return records.size() >= count;
                });
        assertEquals(count, records.size());
        return records;
    }

    /** Reads what there is next, waiting for it. */
    static <K, V> List<ConsumerRecord<K, V>> readSome(KafkaConsumer<K, V> consumer) {
        List<ConsumerRecord<K, V>> records = new ArrayList<>();
        await(
                "a record",
                () -> {
                    consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                    return !records.isEmpty();
                });
        return records;
    }

    static void await(String what, BooleanSupplier condition) {
        Waiting.await(what, condition);
    }

    @Override
    public void close() {
        kafka.close();
    }
}
