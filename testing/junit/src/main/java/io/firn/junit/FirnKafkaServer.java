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
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
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

    private final Path directory;
    private final LogStore store;
    private final FirnServer server;
    private final Map<String, Integer> topics;

    private FirnKafkaServer(Builder builder) {
        topics = new LinkedHashMap<>(builder.topics);
        try {
            directory = Files.createTempDirectory("firn-junit-");
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary directory for the server", e);
        }
        LogStore opened = null;
        FirnServer started = null;
        try {
            opened =
                    LogStore.at(directory.resolve("store"))
                            .tier(FileTier.at(directory.resolve("segments")))
                            .open();
            FirnServer.Builder starting =
                    FirnServer.of(opened)
                            .port(0)
                            .set("log.segment.bytes", SEGMENT_BYTES)
                            .set("group.initial.rebalance.delay.ms", 0);
            builder.settings.forEach(starting::set);
            started = starting.start();
        } catch (IOException e) {
            throw new UncheckedIOException("the server does not start in " + directory, e);
        } finally {
            if (started == null) {
                if (opened != null) {
                    opened.close();
                }
                delete(directory);
            }
        }
        store = opened;
        server = started;
        createTopics();
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
        try {
            server.close();
        } finally {
            store.close();
            delete(directory);
        }
    }

    private static void delete(Path directory) {
        try {
            Files.walkFileTree(
                    directory,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                                throws IOException {
                            Files.deleteIfExists(file);
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult postVisitDirectory(Path at, IOException failure)
                                throws IOException {
                            Files.deleteIfExists(at);
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (NoSuchFileException e) {
            // The test deleted it.
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + directory, e);
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
         * Starts the server on a free port of the loopback interface.
         *
         * @throws io.firn.InvalidOptionException if a setting or topic is refused
         */
        public FirnKafkaServer start() {
            return new FirnKafkaServer(this);
        }
    }
}
