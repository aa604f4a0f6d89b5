package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.api.Waiting;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.server.config.ServerConfig;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A store with a server on it, and Kafka's own clients for it. */
final class Running implements AutoCloseable {
    /** After so long something hangs; nothing is expected to take a time. */
    static final long HANGS_AFTER_S = Waiting.HANGS_AFTER_S;

    private final Path directory;
    private final Function<Path, List<StorageTier>> tiers;
    private final UnaryOperator<FirnServer.Builder> options;
    private ServerConfig config;
    private LogStore store;
    private FirnServer server;

    Running(Path directory, Map<String, String> settings) throws IOException {
        this(directory, settings, Running::files);
    }

    /** One tier of files. */
    static List<StorageTier> files(Path where) {
        return List.of(FileTier.at(where.resolve("tier")));
    }

    /** One tier of files on a medium. */
    static Function<Path, List<StorageTier>> filesOn(FileMedium medium) {
        return where -> List.of(FileTier.at(where.resolve("tier")).withMedium(medium));
    }

    /** One tier of files with so much room. */
    static Function<Path, List<StorageTier>> filesOf(long bytes) {
        return where -> List.of(FileTier.at(where.resolve("tier")).withCapacityBytes(bytes));
    }

    /** On other tiers; they are made anew at each start. */
    Running(Path directory, Map<String, String> settings, Function<Path, List<StorageTier>> tiers)
            throws IOException {
        this(directory, settings, tiers, builder -> builder);
    }

    /** With options of the server that are no settings. */
    Running(
            Path directory,
            Map<String, String> settings,
            Function<Path, List<StorageTier>> tiers,
            UnaryOperator<FirnServer.Builder> options)
            throws IOException {
        this.directory = directory;
        this.tiers = tiers;
        this.options = options;
        Map<String, String> all = new HashMap<>();
        all.put("group.initial.rebalance.delay.ms", "0");
        all.put("group.min.session.timeout.ms", "100");
        all.put("log.segment.bytes", "1048576");
        all.putAll(settings);
        this.config = ServerConfig.of(all);
        start(0);
    }

    Running(Path directory) throws IOException {
        this(directory, Map.of());
    }

    void start(int port) throws IOException {
        LogStoreBuilder builder = LogStore.at(directory.resolve("store"));
        tiers.apply(directory).forEach(builder::tier);
        if (config.has("firn.max.partitions")) {
            builder.maxPartitions(config.integer("firn.max.partitions"));
        }
        store = builder.open();
        FirnServer.Builder serving = options.apply(FirnServer.of(store).config(config));
        try {
            server = (config.has("listeners") ? serving : serving.port(port)).start();
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    void stop() {
        server.close();
        store.close();
    }

    /** Ends it and brings it up again, on the same port. */
    void restart() throws IOException {
        int port = server.port();
        stop();
        start(port);
    }

    /** The same with other settings. */
    void restart(Map<String, String> settings) throws IOException {
        Map<String, String> all = new HashMap<>(config.given());
        all.putAll(settings);
        config = ServerConfig.of(all);
        restart();
    }

    LogStore store() {
        return store;
    }

    FirnServer server() {
        return server;
    }

    Map<String, Object> client() {
        Map<String, Object> client = new HashMap<>();
        client.put("bootstrap.servers", server.bootstrapServers());
        return client;
    }

    /** For a client that comes by this listener. */
    Map<String, Object> client(String listener, Map<String, ?> settings) {
        Map<String, Object> client = new HashMap<>(settings);
        client.put("bootstrap.servers", server.bootstrapServers(listener));
        return client;
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
        stop();
    }
}
