import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * A word count with Kafka Streams, exactly once, while somebody kills the server: BOOTSTRAP
 * STATE_DIRECTORY FILE. Lines are written and counted until the file exists. Then the committed
 * counts have to become those of the lines that went in: a transaction that was lost, or carried
 * out twice, is in the sum for ever.
 */
final class ExactlyOnce {
    private static final int WORDS_IN_LINE = 8;
    private static final int VOCABULARY = 500;
    private static final int PARTITIONS = 4;
    private static final long HANGS_AFTER_S = 240;

    private final String bootstrap;
    private final Random random = new Random(17);
    private final Map<String, Long> expected = new TreeMap<>();
    private long lines;

    private ExactlyOnce(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    public static void main(String[] arguments) throws Exception {
        new ExactlyOnce(arguments[0]).run(Path.of(arguments[1]), Path.of(arguments[2]));
    }

    private void run(Path state, Path end) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(
                            List.of(
                                    new NewTopic("exact-lines", PARTITIONS, (short) 1),
                                    new NewTopic("exact-counts", PARTITIONS, (short) 1)))
                    .all()
                    .get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (KafkaStreams streams = new KafkaStreams(topology(), config(state))) {
            streams.setUncaughtExceptionHandler(
                    thrown -> {
                        thrown.printStackTrace();
                        return StreamThreadExceptionResponse.REPLACE_THREAD;
                    });
            streams.start();
            produce(end, failure);
            if (failure.get() != null) {
                throw new AssertionError("a line could not be written", failure.get());
            }
            awaitCounts();
        }
        System.out.printf(
                "%,d words in %,d lines, counted exactly once%n",
                expected.values().stream().mapToLong(n -> n).sum(), lines);
    }

    private void produce(Path end, AtomicReference<Throwable> failure) throws Exception {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrap),
                        new StringSerializer(),
                        new StringSerializer())) {
            while (!Files.exists(end)) {
                for (int i = 0; i < 20; i++) {
                    StringBuilder line = new StringBuilder();
                    for (int j = 0; j < WORDS_IN_LINE; j++) {
                        String word = "word" + random.nextInt(VOCABULARY);
                        expected.merge(word, 1L, Long::sum);
                        line.append(word).append(' ');
                    }
                    lines++;
                    producer.send(
                            new ProducerRecord<>("exact-lines", "line" + lines, line.toString()),
                            (place, thrown) -> {
                                if (thrown != null) {
                                    failure.set(thrown);
                                }
                            });
                }
                Thread.sleep(20);
            }
        }
    }

    private static Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("exact-lines")
                .flatMapValues(line -> Arrays.asList(line.trim().split(" ")))
                .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
                .count(Materialized.as("counts"))
                .toStream()
                .to("exact-counts", Produced.with(Serdes.String(), Serdes.Long()));
        return builder.build();
    }

    private Properties config(Path state) {
        Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "exact-word-count");
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        config.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        config.put("auto.offset.reset", "earliest");
        return config;
    }

    private void awaitCounts() {
        Map<String, Long> found = new HashMap<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);
        try (KafkaConsumer<String, Long> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers", bootstrap,
                                "group.id", "counts-" + System.nanoTime(),
                                "isolation.level", "read_committed",
                                "auto.offset.reset", "earliest"),
                        new StringDeserializer(),
                        new LongDeserializer())) {
            consumer.subscribe(List.of("exact-counts"));
            while (!found.equals(expected)) {
                if (System.nanoTime() - deadline > 0) {
                    long sum = found.values().stream().mapToLong(n -> n).sum();
                    long wanted = expected.values().stream().mapToLong(n -> n).sum();
                    throw new AssertionError("counted " + sum + " of " + wanted + " words");
                }
                consumer.poll(Duration.ofMillis(200))
                        .forEach(record -> found.put(record.key(), record.value()));
            }
        }
    }
}
