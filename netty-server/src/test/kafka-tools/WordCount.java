import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * A word count with Kafka Streams, at least once: BOOTSTRAP STATE_DIRECTORY. Half-way it is closed
 * and comes back without its local state, which it then reads from its changelog. The counts are
 * compared with those of the lines that went in.
 */
final class WordCount {
    private static final int LINES = 20_000;
    private static final int WORDS_IN_LINE = 8;
    private static final int VOCABULARY = 500;
    private static final int PARTITIONS = 4;
    private static final long HANGS_AFTER_S = 240;

    private final String bootstrap;
    private final Random random = new Random(17);
    private final Map<String, Long> expected = new TreeMap<>();

    private WordCount(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    public static void main(String[] arguments) throws Exception {
        new WordCount(arguments[0]).run(Path.of(arguments[1]));
    }

    private void run(Path state) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(
                            List.of(
                                    new NewTopic("lines-in", PARTITIONS, (short) 1),
                                    new NewTopic("counts-out", PARTITIONS, (short) 1)))
                    .all()
                    .get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        produce();
        stream(state.resolve("first"));
        produce();
        stream(state.resolve("second"));
        System.out.printf(
                "%,d words in %,d lines, counted as they were written%n",
                expected.values().stream().mapToLong(n -> n).sum(), LINES);
    }

    private void produce() throws Exception {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrap),
                        new StringSerializer(),
                        new StringSerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < LINES / 2; i++) {
                StringBuilder line = new StringBuilder();
                for (int j = 0; j < WORDS_IN_LINE; j++) {
                    String word = "word" + random.nextInt(VOCABULARY);
                    expected.merge(word, 1L, Long::sum);
                    line.append(word).append(' ');
                }
                sent.add(
                        producer.send(
                                new ProducerRecord<>("lines-in", "line" + i, line.toString())));
            }
            for (Future<RecordMetadata> each : sent) {
                each.get(HANGS_AFTER_S, TimeUnit.SECONDS);
            }
        }
    }

    private static Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("lines-in")
                .flatMapValues(line -> Arrays.asList(line.trim().split(" ")))
                .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
                .count(Materialized.as("counts"))
                .toStream()
                .to("counts-out", Produced.with(Serdes.String(), Serdes.Long()));
        return builder.build();
    }

    /** Streams until the counts are what they should be, then closes. */
    private void stream(Path state) throws Exception {
        Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "word-count");
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.AT_LEAST_ONCE);
        config.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 500);
        config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        config.put("auto.offset.reset", "earliest");
        CountDownLatch broken = new CountDownLatch(1);
        try (KafkaStreams streams = new KafkaStreams(topology(), config)) {
            streams.setStateListener(
                    (now, before) -> {
                        if (now == KafkaStreams.State.ERROR) {
                            broken.countDown();
                        }
                    });
            streams.start();
            awaitCounts(broken);
        }
    }

    private void awaitCounts(CountDownLatch broken) {
        Map<String, Long> found = new HashMap<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);
        try (KafkaConsumer<String, Long> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers", bootstrap,
                                "group.id", "counts-" + System.nanoTime(),
                                "auto.offset.reset", "earliest"),
                        new StringDeserializer(),
                        new LongDeserializer())) {
            consumer.subscribe(List.of("counts-out"));
            while (!found.equals(expected)) {
                if (broken.getCount() == 0 || System.nanoTime() - deadline > 0) {
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
