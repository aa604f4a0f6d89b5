package io.firn.junit;

import io.firn.LogStore;
import io.firn.RecordHandler;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A server for Kafka clients in the process of a test, with a store of its own in a temporary
 * directory. {@link FirnKafka} makes one for a test class; {@link #of} makes one anywhere else.
 *
 * <pre>{@code
 * try (FirnKafkaServer kafka = FirnKafkaServer.of().topic("orders", 3).start()) {
 *     new Orders(kafka.bootstrapServers()).place("book");
 *     assertEquals(1, kafka.records("orders").size());
 * }
 * }</pre>
 *
 * <p>Nothing is forced to the disk while records are produced, as in a Kafka broker with its
 * default settings. Thread-safe.
 */
public final class FirnKafkaServer implements AutoCloseable {
    private static final int SEGMENT_BYTES = 16 << 20;

    private final TemporaryDirectory directory;
    private final LogStore store;
    private final FirnServer server;
    private final Map<String, Integer> topics;

    private FirnKafkaServer(Builder builder) {
        topics = new LinkedHashMap<>(builder.topics);
        directory = TemporaryDirectory.create();
        LogStore opened = null;
        FirnServer started = null;
        boolean isStarted = false;
        try {
            opened =
                    LogStore.at(directory.path().resolve("store"))
                            .tier(FileTier.at(directory.path().resolve("segments")))
                            .open();
            store = opened;
            createTopics();
            FirnServer.Builder starting =
                    FirnServer.of(store)
                            .set("listeners", "PLAINTEXT://127.0.0.1:0")
                            .set("log.segment.bytes", SEGMENT_BYTES)
                            .set("group.initial.rebalance.delay.ms", 0);
            builder.settings.forEach(starting::set);
            started = starting.start();
            server = started;
            isStarted = true;
        } catch (IOException e) {
            throw new UncheckedIOException("the server does not start: " + e.getMessage(), e);
        } finally {
            if (!isStarted) {
                close(started, opened, directory);
            }
        }
    }

    /** Starts to describe a server. */
    public static Builder of() {
        return new Builder();
    }

    /** Returns the server's address, for {@code bootstrap.servers} of clients. */
    public String bootstrapServers() {
        return server.bootstrapServers();
    }

    /** Returns the store that the server serves; it is closed with the server. */
    public LogStore store() {
        return store;
    }

    /**
     * Creates a topic.
     *
     * @param partitions from 1
     * @throws io.firn.TopicExistsException if there is one
     */
    public void createTopic(String name, int partitions) {
        store.createTopic(
                name,
                TopicOptions.defaults()
                        .withPartitions(partitions)
                        .withDurability(io.firn.Durability.WRITTEN)
                        .withSegmentBytes(SEGMENT_BYTES));
    }

    /**
     * Returns copies of the records that a topic has now, partition by partition, in the order of
     * their offsets. Records of transactions that are not committed are left out.
     *
     * @throws io.firn.UnknownTopicException if there is no such topic
     */
    public List<ProducedRecord> records(String topic) {
        List<ProducedRecord> records = new ArrayList<>();
        Topic read = store.openTopic(topic);
        for (int partition = 0; partition < read.partitionCount(); partition++) {
            try (Tailer tailer =
                    read.openTailer(
                            TailerOptions.defaults()
                                    .withPartitions(partition)
                                    .withStartAtEarliest())) {
                RecordHandler copy =
                        record -> {
                            records.add(new ProducedRecord(record));
                            return RecordHandler.Action.CONTINUE;
                        };
                while (tailer.poll(copy, 1_000) > 0) {
                    // Until there are no more.
                }
            }
        }
        return records;
    }

    /**
     * Deletes all topics with the offsets that groups committed in them, and creates the topics of
     * the {@link Builder} again.
     */
    public void clear() {
        for (String each : store.topicNames()) {
            store.deleteTopic(each);
        }
        createTopics();
    }

    private void createTopics() {
        topics.forEach(this::createTopic);
    }

    /** Stops the server, closes the store and deletes its directory. */
    @Override
    public void close() {
        close(server, store, directory);
    }

    private static void close(FirnServer server, LogStore store, TemporaryDirectory directory) {
        try (directory;
                store;
                server) {
            // The last one is closed first.
        }
    }

    /** Describes a server before it starts. For one thread. */
    public static final class Builder {
        private final Map<String, Integer> topics = new LinkedHashMap<>();
        private final Map<String, String> settings = new LinkedHashMap<>();

        private Builder() {}

        /**
         * Adds a topic that exists from the start.
         *
         * @param partitions from 1
         */
        public Builder topic(String name, int partitions) {
            topics.put(Objects.requireNonNull(name, "name"), partitions);
            return this;
        }

        /** Sets a key of the server's configuration, as in its configuration file. */
        public Builder set(String key, String value) {
            settings.put(Objects.requireNonNull(key, "key"), value);
            return this;
        }

        /**
         * Starts the server, on a free port of the loopback interface unless {@code listeners} is
         * set.
         *
         * @throws io.firn.InvalidOptionException if a setting or topic is refused
         */
        public FirnKafkaServer start() {
            return new FirnKafkaServer(this);
        }
    }
}
