import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * A Kafka Streams application with a table of 10,000 keys: BOOTSTRAP STATE_DIRECTORY fill|restore.
 * "fill" sends a million updates, a twentieth of them deletions, until the table has the last value
 * of each key. "restore" starts it with an empty state directory: what the table has then comes
 * from its changelog, and is compared with the last value of each key again.
 */
final class RestoreState {
    private static final int UPDATES = 1_000_000;
    private static final int KEYS = 10_000;
    private static final int PARTITIONS = 4;
    private static final int ONE_DELETION_IN = 20;
    private static final long HANGS_AFTER_S = 240;

    private final String bootstrap;
    private final AtomicLong restored = new AtomicLong();
    private final AtomicLong beganNs = new AtomicLong();
    private final AtomicLong endedNs = new AtomicLong();
    private final AtomicLong offsets = new AtomicLong();

    private RestoreState(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    public static void main(String[] arguments) throws Exception {
        RestoreState run = new RestoreState(arguments[0]);
        boolean fills = arguments[2].equals("fill");
        if (fills) {
            run.create();
        }
        Map<String, Long> expected = run.updates(fills);
        run.stream(Path.of(arguments[1]), expected, fills);
        if (fills) {
            System.out.printf("%,d updates, %,d keys have a value%n", UPDATES, expected.size());
        } else {
            System.out.printf(
                    "%,d records restored of %,d offsets in %,d ms, %,d keys have their last value%n",
                    run.restored.get(),
                    run.offsets.get(),
                    TimeUnit.NANOSECONDS.toMillis(run.endedNs.get() - run.beganNs.get()),
                    expected.size());
        }
    }

    private void create() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic("updates", PARTITIONS, (short) 1)))
                    .all()
                    .get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    /** Returns what the table has after all updates, which are sent or only gone through. */
    private Map<String, Long> updates(boolean sends) throws Exception {
        Map<String, Long> last = new HashMap<>();
        Random random = new Random(29);
        AtomicReference<Exception> failure = new AtomicReference<>();
        try (KafkaProducer<String, Long> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrap, "linger.ms", 20),
                        new StringSerializer(),
                        new LongSerializer())) {
            for (int i = 0; i < UPDATES; i++) {
                String key = "key-" + random.nextInt(KEYS);
                Long value = random.nextInt(ONE_DELETION_IN) == 0 ? null : Long.valueOf(i);
                if (value == null) {
                    last.remove(key);
                } else {
                    last.put(key, value);
                }
                if (sends) {
                    producer.send(
                            new ProducerRecord<>("updates", key, value),
                            (metadata, e) -> failure.compareAndSet(null, e));
                }
            }
        }
        if (failure.get() != null) {
            throw failure.get();
        }
        return last;
    }

    /** Each update goes to the changelog: nothing is cached, and the input does not serve as one. */
    private static Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.table(
                "updates",
                Consumed.with(Serdes.String(), Serdes.Long()),
                Materialized.<String, Long>as(
                                Stores.persistentKeyValueStore(
                                        "latest"))
                        .withKeySerde(Serdes.String())
                        .withValueSerde(Serdes.Long())
                        .withCachingDisabled());
        return builder.build();
    }

    private void stream(Path state, Map<String, Long> expected, boolean fills) throws Exception {
        Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "restore-state");
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.AT_LEAST_ONCE);
        config.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 500);
        config.put(StreamsConfig.topicPrefix("segment.bytes"), 1 << 20);
        config.put("auto.offset.reset", "earliest");
        CountDownLatch broken = new CountDownLatch(1);
        try (KafkaStreams streams = new KafkaStreams(topology(), config)) {
            streams.setStateListener(
                    (now, before) -> {
                        if (now == KafkaStreams.State.ERROR) {
                            broken.countDown();
                        }
                    });
            streams.setGlobalStateRestoreListener(new Restored());
            streams.start();
            awaitTable(streams, expected, broken);
        }
        if (!fills && restored.get() < expected.size()) {
            throw new AssertionError("only " + restored + " records came from the changelog");
        }
    }

    private void awaitTable(
            KafkaStreams streams, Map<String, Long> expected, CountDownLatch broken)
            throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);
        Map<String, Long> found = Map.of();
        while (!found.equals(expected)) {
            if (broken.getCount() == 0 || System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        difference(found, expected) + "; the application is " + streams.state());
            }
            Thread.sleep(200);
            found = table(streams);
        }
    }

    private static Map<String, Long> table(KafkaStreams streams) {
        Map<String, Long> found = new HashMap<>();
        try {
            ReadOnlyKeyValueStore<String, Long> store =
                    streams.store(
                            StoreQueryParameters.fromNameAndType(
                                    "latest", QueryableStoreTypes.keyValueStore()));
            try (KeyValueIterator<String, Long> all = store.all()) {
                while (all.hasNext()) {
                    KeyValue<String, Long> each = all.next();
                    found.put(each.key, each.value);
                }
            }
        } catch (InvalidStateStoreException e) {
            return Map.of(); // it is being restored
        }
        return found;
    }

    private static String difference(Map<String, Long> found, Map<String, Long> expected) {
        for (Map.Entry<String, Long> each : expected.entrySet()) {
            Long value = found.get(each.getKey());
            if (!each.getValue().equals(value)) {
                return each + " is expected, " + value + " is there, of " + found.size() + " keys";
            }
        }
        return found.size() + " keys are there, not " + expected.size();
    }

    /** Counts what is read from the changelog. */
    private final class Restored implements StateRestoreListener {
        @Override
        public void onRestoreStart(TopicPartition partition, String store, long from, long to) {
            offsets.addAndGet(to - from);
            beganNs.compareAndSet(0, System.nanoTime());
        }

        @Override
        public void onBatchRestored(
                TopicPartition partition, String store, long endOffset, long records) {}

        @Override
        public void onRestoreEnd(TopicPartition partition, String store, long records) {
            restored.addAndGet(records);
            endedNs.set(System.nanoTime());
        }
    }
}
