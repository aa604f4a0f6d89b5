package io.firn.forward;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A cluster in the test's process: a store with a server on it. */
final class InProcessCluster implements AutoCloseable {
    private final Path directory;
    private LogStore store;
    private FirnServer server;
    private int port;

    InProcessCluster(Path directory) throws IOException {
        this.directory = directory;
        start();
    }

    private void start() throws IOException {
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("segments")))
                        .open();
        Map<String, String> settings = new HashMap<>();
        settings.put("auto.create.topics.enable", "false");
        settings.put("log.segment.bytes", "1048576");
        server = FirnServer.of(store).config(ServerConfig.of(settings)).port(port).start();
        port = server.port();
    }

    /** Ends it; {@link #startAgain} continues on the same port. */
    void stop() {
        server.close();
        store.close();
    }

    void startAgain() throws IOException {
        start();
    }

    LogStore store() {
        return store;
    }

    Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", "127.0.0.1:" + port);
        properties.setProperty("reconnect.backoff.max.ms", "100");
        properties.setProperty("retry.backoff.max.ms", "100");
        return properties;
    }

    /** Returns properties with which calls soon fail if the cluster does not answer. */
    Properties hastyProperties() {
        Properties properties = properties();
        properties.setProperty("linger.ms", "0");
        properties.setProperty("max.block.ms", "1000");
        properties.setProperty("request.timeout.ms", "1000");
        properties.setProperty("delivery.timeout.ms", "1000");
        properties.setProperty("default.api.timeout.ms", "1000");
        return properties;
    }

    Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + port));
    }

    void create(String topic, int partitions) throws Exception {
        create(topic, partitions, Map.of());
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

    void deleteGroup(String group) throws Exception {
        try (Admin admin = admin()) {
            admin.deleteConsumerGroups(List.of(group)).all().get();
        }
    }

    /** Returns the committed records of a partition. */
    List<ConsumerRecord<String, String>> records(String topic, int partition) {
        Map<String, Object> settings =
                Map.of(
                        "bootstrap.servers",
                        "127.0.0.1:" + port,
                        "isolation.level",
                        "read_committed",
                        "auto.offset.reset",
                        "earliest",
                        "enable.auto.commit",
                        "false");
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            TopicPartition only = new TopicPartition(topic, partition);
            consumer.assign(List.of(only));
            consumer.seekToBeginning(List.of(only));
            long end = consumer.endOffsets(Set.of(only)).get(only);
            while (consumer.position(only) < end) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
        }
        return records;
    }

    List<String> values(String topic, int partition) {
        return records(topic, partition).stream().map(ConsumerRecord::value).toList();
    }

    /** Returns the committed values of all partitions, without their order. */
    Set<String> allValues(String topic, int partitions) {
        Set<String> values = new HashSet<>();
        for (int i = 0; i < partitions; i++) {
            values.addAll(values(topic, i));
        }
        return values;
    }

    @Override
    public void close() {
        stop();
    }
}
