package users;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.junit.FirnKafka;
import io.firn.junit.FirnKafkaServer;
import io.firn.junit.ProducedRecord;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Kafka Streams application with its threads, clients, state store and changelog. */
@FirnKafka(topics = {"lines:2", "counts"})
class WordCountTest {
    private static final String CHANGELOG = "word-count-words-changelog";

    @TempDir private Path directory;

    private static StreamsBuilder wordCount() {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> lines = builder.stream("lines");
        lines.flatMapValues(line -> List.of(line.toLowerCase(Locale.ROOT).split(" ")))
                .groupBy((key, word) -> word, Grouped.as("by-word"))
                .count(Materialized.as("words"))
                .toStream()
                .mapValues(String::valueOf)
                .to("counts");
        return builder;
    }

    private KafkaStreams start(FirnKafkaServer kafka, String state) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "word-count");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve(state).toString());
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put("consumer.auto.offset.reset", "earliest");
        KafkaStreams streams = new KafkaStreams(wordCount().build(), settings);
        streams.start();
        await("it runs", () -> streams.state() == KafkaStreams.State.RUNNING);
        return streams;
    }

    private static void produce(FirnKafkaServer kafka, String... lines) throws Exception {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (String line : lines) {
                producer.send(new ProducerRecord<>("lines", line, line)).get();
            }
        }
    }

    /** The last count of each word. */
    private static Map<String, String> counts(FirnKafkaServer kafka) {
        Map<String, String> counts = new TreeMap<>();
        kafka.records("counts")
                .forEach(each -> counts.put(each.keyAsString(), each.valueAsString()));
        return counts;
    }

    private static Map<String, Long> changelog(FirnKafkaServer kafka) {
        Map<String, Long> counts = new TreeMap<>();
        for (ProducedRecord each : kafka.records(CHANGELOG)) {
            counts.put(each.keyAsString(), ByteBuffer.wrap(each.value()).getLong());
        }
        return counts;
    }

    private static long ofStore(KafkaStreams streams, String word) {
        Long count =
                streams.store(
                                StoreQueryParameters.fromNameAndType(
                                        "words", QueryableStoreTypes.<String, Long>keyValueStore()))
                        .get(word);
        return count == null ? 0 : count;
    }

    @Test
    void shouldCountWordsExactlyOnceAndRestoreTheStoreFromItsChangelog(FirnKafkaServer kafka)
            throws Exception {
        KafkaStreams streams = start(kafka, "first");
        try {
            produce(kafka, "a rose is a rose", "is a rose");
            await(
                    "all counts",
                    () -> Map.of("a", "3", "is", "2", "rose", "3").equals(counts(kafka)));
            await("the store", () -> ofStore(streams, "rose") == 3);
        } finally {
            // Else the next one waits until the session of this one is over.
            streams.close(
                    CloseOptions.groupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP));
        }
        assertEquals(Map.of("a", 3L, "is", 2L, "rose", 3L), changelog(kafka));

        produce(kafka, "a rose");
        // Without its state directory it has the changelog only.
        try (KafkaStreams restored = start(kafka, "second")) {
            await("all counts", () -> "4".equals(counts(kafka).get("rose")));
            await("the store", () -> ofStore(restored, "is") == 2);
        }
        assertEquals(Map.of("a", "4", "is", "2", "rose", "4"), counts(kafka));
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(120).toNanos();
        while (!isTrue(condition)) {
            assertTrue(System.nanoTime() < end, what);
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                throw new IllegalStateException(what, e);
            }
        }
    }

    /** A store cannot be queried while its partitions move. */
    private static boolean isTrue(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (InvalidStateStoreException e) {
            return false;
        }
    }
}
