package io.firn.shadow;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** A source in the test's process: a store with a server on it. It tells no leader epochs. */
final class InProcessSource implements AutoCloseable {
    private final Path directory;
    private final ServerConfig config;
    private LogStore store;
    private FirnServer server;

    InProcessSource(Path directory) throws IOException {
        this(directory, 0, Map.of());
    }

    InProcessSource(Path directory, int port, Map<String, String> more) throws IOException {
        this.directory = directory;
        Map<String, String> settings = new HashMap<>(more);
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("log.segment.bytes", "1048576");
        settings.put("auto.create.topics.enable", "false");
        this.config = ServerConfig.of(settings);
        start(port);
    }

    private void start(int port) throws IOException {
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("segments")))
                        .open();
        server = FirnServer.of(store).config(config).port(port).start();
    }

    /** Returns the port, which it had. */
    int stop() {
        int port = server.port();
        server.close();
        store.close();
        return port;
    }

    void startAgain(int port) throws IOException {
        start(port);
    }

    LogStore store() {
        return store;
    }

    Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", server.bootstrapServers());
        properties.setProperty("metadata.max.age.ms", "200");
        properties.setProperty("fetch.max.wait.ms", "50");
        properties.setProperty("reconnect.backoff.max.ms", "100");
        return properties;
    }

    private Map<String, Object> client() {
        return Map.of("bootstrap.servers", server.bootstrapServers());
    }

    Admin admin() {
        return Admin.create(client());
    }

    void create(String topic, int partitions, Map<String, String> settings) throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(
                            List.of(new NewTopic(topic, partitions, (short) 1).configs(settings)))
                    .all()
                    .get();
        }
    }

    void delete(String topic) throws Exception {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
    }

    KafkaProducer<String, String> producer(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(client());
        all.put("linger.ms", "2");
        all.putAll(settings);
        return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
    }

    /** Appends records with the numbers as keys and values. */
    void produce(String topic, int partition, int from, int to, Map<String, Object> settings)
            throws ExecutionException, InterruptedException {
        try (KafkaProducer<String, String> producer = producer(settings)) {
            for (int i = from; i < to; i++) {
                var unused =
                        producer.send(
                                new ProducerRecord<>(topic, partition, "k" + i, "value " + i));
            }
        }
    }

    @Override
    public void close() {
        stop();
    }
}
