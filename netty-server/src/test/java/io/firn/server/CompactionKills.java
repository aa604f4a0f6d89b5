package io.firn.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Kills a server, again and again, while it compacts a topic to which eight producers append: after
 * each kill the latest value of every key is what was acknowledged last, and no key that was
 * deleted has come back. Half of the producers write in transactions, of which three in ten are
 * aborted: nothing that was aborted is ever a key's latest value, nor does it remove one.
 *
 * <p>In half of the rounds the hot tier is full: new segments go to the cold one, and some
 * compactions find no room. In three of ten rounds a bit of some partition's oldest segment is
 * flipped, so that compactions leave it out; that partition is compared again once the bit is
 * flipped back. If a tombstone above were removed meanwhile, what it deleted would be there again.
 */
final class CompactionKills {
    private static final String TOPIC = "prices";
    private static final String KEY = "key-";
    private static final int PARTITIONS = 4;
    private static final int KEYS = 50_000;
    private static final int RECORDS_A_ROUND = 2_000;
    private static final int TOMBSTONE_PERCENT = 20;
    private static final long TOMBSTONE_MS = 2_000;
    private static final int IN_TRANSACTION = 20;
    private static final int ABORT_PERCENT = 30;
    private static final int MOST_ATTEMPTS = 5;
    private static final String[] CODECS = {"none", "gzip", "lz4", "zstd"};
    private static final int PRODUCERS = 8;
    private static final Pattern REWRITTEN = Pattern.compile("[0-9]{20}\\.([0-9]+)");
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int SEGMENT_BYTES = 262_144;
    private static final int PERIOD = 10;
    private static final int ROT_BEGINS = 1;
    private static final int ROT_ENDS = 4;
    private static final int FULL_FROM = 5;
    private static final int ENOUGH_ROUNDS = 50;

    private final ServerProcess server;
    private final List<Path> tiers;
    private final Random random;

    /** By key, what was sent last; null for a tombstone. Each key has one producer. */
    private final List<Map<String, String>> latest = new ArrayList<>();

    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong aborted = new AtomicLong();
    private final SkippedCompactions skipped = new SkippedCompactions();
    private BitRot rot;
    private int rots;
    private int fullRounds;

    private CompactionKills(ServerProcess server, List<Path> tiers, long seed) {
        this.server = server;
        this.tiers = tiers;
        this.random = new Random(seed);
        for (int i = 0; i < PRODUCERS; i++) {
            latest.add(new HashMap<>());
        }
    }

    /** {@code CompactionKills DIRECTORY ROUNDS SEED}. */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[1]);
        System.out.println(run(Path.of(arguments[0]), rounds, Long.parseLong(arguments[2])));
        System.exit(0); // clients may still want to close in peace
    }

    /**
     * Kills so many times.
     *
     * @return what was seen, in a line
     * @throws IllegalStateException when a promise was broken
     */
    static String run(Path directory, int rounds, long seed) throws Exception {
        CompactionKills kills;
        String seen;
        List<Path> tiers = List.of(directory.resolve("hot"), directory.resolve("cold"));
        Map<String, String> settings =
                Map.of(
                        "log.segment.bytes", Integer.toString(SEGMENT_BYTES),
                        "storage.tiers", tiers(tiers, 1L << 30));
        try (ServerProcess server = new ServerProcess(directory, settings)) {
            kills = new CompactionKills(server, tiers, seed);
            seen = kills.run(rounds);
        }
        return seen + kills.atRest(directory);
    }

    private static String tiers(List<Path> tiers, long hotBytes) {
        return "file:" + tiers.get(0) + "@" + hotBytes + ",file:" + tiers.get(1);
    }

    /** While no server runs: decides how the next one finds its tiers. */
    private void prepare(int round) throws IOException {
        boolean isFull = round % PERIOD >= FULL_FROM;
        long used = bytesIn(tiers.get(0));
        long capacity = isFull ? used + random.nextInt(SEGMENT_BYTES / 8) : 1L << 30;
        server.set("storage.tiers", tiers(tiers, Math.max(capacity, SEGMENT_BYTES)));
        server.set("storage.migrate.threshold", isFull ? "-1" : "0.01");
        fullRounds += isFull ? 1 : 0;
        if (round % PERIOD == ROT_BEGINS) {
            rot = BitRot.in(tiers, random.nextInt(PARTITIONS), random);
            rots += rot == null ? 0 : 1;
        } else if (round % PERIOD == ROT_ENDS) {
            mend();
        }
    }

    private void mend() throws IOException {
        if (rot != null) {
            rot.mend();
            rot = null;
        }
    }

    private boolean isReadable(int partition) {
        return rot == null || rot.partition() != partition;
    }

    private static long bytesIn(Path tier) throws IOException {
        long bytes = 0;
        if (Files.exists(tier)) {
            try (Stream<Path> all = Files.walk(tier)) {
                for (Path each : all.filter(Files::isRegularFile).toList()) {
                    bytes += Files.size(each);
                }
            }
        }
        return bytes;
    }

    private Map<String, Object> client(Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(more);
        all.put("bootstrap.servers", server.bootstrapServers());
        all.put("reconnect.backoff.max.ms", 100);
        all.put("retry.backoff.ms", 20);
        return all;
    }

    private String run(int rounds) throws Exception {
        NewTopic topic =
                new NewTopic(TOPIC, PARTITIONS, (short) 1)
                        .configs(
                                Map.of(
                                        "cleanup.policy", "compact",
                                        "min.cleanable.dirty.ratio", "0.05",
                                        "delete.retention.ms", Long.toString(TOMBSTONE_MS)));
        try (Admin admin = Admin.create(client(Map.of()))) {
            admin.createTopics(List.of(topic)).all().get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        List<KafkaProducer<String, String>> producers = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            producers.add(producer(i));
        }
        long checked = 0;
        try {
            for (int round = 0; round < rounds; round++) {
                List<Thread> senders = new ArrayList<>();
                for (int i = 0; i < PRODUCERS; i++) {
                    int number = i;
                    Random own = new Random(random.nextLong());
                    KafkaProducer<String, String> producer = producers.get(number);
                    senders.add(
                            new Thread(
                                    () -> {
                                        if (isTransactional(number)) {
                                            sendInTransactions(producer, number, own);
                                        } else {
                                            send(
                                                    producer,
                                                    number,
                                                    own,
                                                    RECORDS_A_ROUND,
                                                    latest.get(number));
                                        }
                                    }));
                }
                senders.forEach(Thread::start);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1_000)));
                server.kill();
                prepare(round);
                server.start();
                for (Thread each : senders) {
                    each.join(TimeUnit.SECONDS.toMillis(Running.HANGS_AFTER_S));
                    require(!each.isAlive(), "a producer hangs");
                }
                producers.forEach(KafkaProducer::flush);
                require(failures.isEmpty(), "a producer failed: " + failures);
                checked += readAndCheck(round);
                skipped.ask(server.pid());
            }
        } finally {
            producers.forEach(each -> each.close(Duration.ZERO));
        }
        if (rounds >= ENOUGH_ROUNDS) {
            require(skipped.of("no room") > 0, "no compaction met a full tier: " + skipped);
            require(skipped.of("damaged") > 0, "no compaction met damage: " + skipped);
        }
        return String.format(
                "%d kills, %d of them into a full tier, %d times a damaged segment: %,d records"
                        + " sent, %,d transactions aborted, %,d latest values compared, segments skipped %s; ",
                rounds, fullRounds, rots, sent.get(), aborted.get(), checked, skipped);
    }

    /** By turns of one kind: in transactions, idempotent, in transactions, plain. */
    private static boolean isTransactional(int number) {
        return number % 2 == 0;
    }

    private KafkaProducer<String, String> producer(int number) {
        boolean isIdempotent = number % 4 != 3;
        Map<String, Object> settings = new HashMap<>();
        settings.put("linger.ms", 2);
        settings.put("batch.size", 8_000);
        settings.put("acks", "all");
        settings.put("enable.idempotence", isIdempotent);
        settings.put("max.in.flight.requests.per.connection", isIdempotent ? 5 : 1);
        settings.put("compression.type", CODECS[number / 2 % CODECS.length]);
        if (isTransactional(number)) {
            settings.put("transactional.id", "producer-" + number);
        }
        KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        client(settings), new StringSerializer(), new StringSerializer());
        if (isTransactional(number)) {
            producer.initTransactions();
        }
        return producer;
    }

    private void sendInTransactions(
            KafkaProducer<String, String> producer, int number, Random own) {
        try {
            for (int i = 0; i < RECORDS_A_ROUND; i += IN_TRANSACTION) {
                Map<String, String> changes = new HashMap<>();
                producer.beginTransaction();
                send(producer, number, own, IN_TRANSACTION, changes);
                if (own.nextInt(100) < ABORT_PERCENT) {
                    producer.flush(); // so that there is something to abort
                    producer.abortTransaction();
                    aborted.incrementAndGet();
                } else {
                    producer.commitTransaction();
                    latest.get(number).putAll(changes);
                }
            }
        } catch (RuntimeException e) {
            failures.add(e);
        }
    }

    private void send(
            KafkaProducer<String, String> producer,
            int number,
            Random own,
            int records,
            Map<String, String> changes) {
        for (int i = 0; i < records; i++) {
            // Half of the records go to few keys, so that much is superseded.
            int bound = own.nextBoolean() ? KEYS : KEYS / 100;
            int key = own.nextInt(bound / PRODUCERS) * PRODUCERS + number;
            String value =
                    own.nextInt(100) < TOMBSTONE_PERCENT
                            ? null
                            : sent.get() + "-" + "x".repeat(own.nextInt(200));
            String name = KEY + key;
            changes.put(name, value);
            sent.incrementAndGet();
            var unused =
                    producer.send(
                            new ProducerRecord<>(TOPIC, partitionOf(name), name, value),
                            (metadata, error) -> {
                                if (error != null) {
                                    failures.add(error);
                                }
                            });
            if (i % 50 == 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10)); // over a while
            }
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    /** A reader that is slower than tombstones stay may miss one: then another one reads. */
    private long readAndCheck(int round) {
        for (int attempt = 0; true; attempt++) {
            long begin = System.nanoTime();
            Map<String, String> found = readAll();
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            try {
                return check(round, found);
            } catch (IllegalStateException e) {
                if (tookMs < TOMBSTONE_MS || attempt == MOST_ATTEMPTS) {
                    throw e;
                }
                System.out.println("read again after " + tookMs + " ms: " + e.getMessage());
            }
        }
    }

    private Map<String, String> readAll() {
        Map<String, String> found = new HashMap<>();
        List<TopicPartition> all = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            if (isReadable(i)) {
                all.add(new TopicPartition(TOPIC, i));
            }
        }
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        client(Map.of("isolation.level", "read_committed")),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            Map<TopicPartition, Long> before = new HashMap<>();
            Running.await(
                    "the consumer to come to the end",
                    () -> {
                        for (ConsumerRecord<String, String> each : consumer.poll(POLL)) {
                            TopicPartition place = new TopicPartition(TOPIC, each.partition());
                            Long last = before.put(place, each.offset());
                            require(
                                    last == null || last < each.offset(),
                                    place + ": offset " + each.offset() + " after " + last);
                            found.put(each.key(), each.value());
                        }
                        return all.stream()
                                .allMatch(place -> consumer.position(place) >= ends.get(place));
                    });
        }
        return found;
    }

    /** Returns how many keys have a value. */
    private long check(int round, Map<String, String> found) {
        long values = 0;
        for (Map<String, String> mine : latest) {
            for (Map.Entry<String, String> each : mine.entrySet()) {
                if (!isReadable(partitionOf(each.getKey()))) {
                    continue;
                }
                String there = found.get(each.getKey());
                require(
                        Objects.equals(there, each.getValue()),
                        String.format(
                                "round %d: %s is %s, acknowledged was %s",
                                round, each.getKey(), there, each.getValue()));
                values += there == null ? 0 : 1;
            }
        }
        require(
                found.keySet().stream()
                        .allMatch(key -> latest.stream().anyMatch(mine -> mine.containsKey(key))),
                "a key that nobody has sent");
        return values;
    }

    private static int partitionOf(String key) {
        return Integer.parseInt(key.substring(KEY.length())) % PARTITIONS;
    }

    /** Returns how often the segments were rewritten that were rewritten most often. */
    private static int generations(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.map(path -> REWRITTEN.matcher(path.getFileName().toString()))
                    .filter(Matcher::matches)
                    .mapToInt(found -> Integer.parseInt(found.group(1)))
                    .max()
                    .orElse(0);
        }
    }

    /** Compacts what is left, and compares it with what is live. */
    private String atRest(Path directory) throws IOException {
        int generations = generations(directory);
        require(generations > 1, "the server has not compacted anything twice");
        mend();
        long live = 0;
        for (Map<String, String> mine : latest) {
            for (Map.Entry<String, String> each : mine.entrySet()) {
                if (each.getValue() != null) {
                    live += 80 + each.getKey().length() + each.getValue().length();
                }
            }
        }
        try (LogStore store =
                LogStore.at(directory.resolve("firn"))
                        .tier(FileTier.at(tiers.get(0)))
                        .tier(FileTier.at(tiers.get(1)))
                        .open()) {
            Topic topic = store.openTopic(TOPIC);
            long bytes = 0;
            Map<String, String> found = new HashMap<>();
            for (int i = 0; i < PARTITIONS; i++) {
                store.compact(TOPIC, i);
                Partition partition = topic.partition(i);
                bytes += partition.metrics().bytes();
                readAll(partition, found);
            }
            check(-1, found);
            require(store.findings().isEmpty(), store.findings().toString());
            return String.format(
                    "none lost, none came back; segments rewritten up to %d times; %,d bytes at"
                            + " rest for %,d live ones before compression, %.2f times",
                    generations, bytes, live, (double) bytes / live);
        }
    }

    private static void readAll(Partition partition, Map<String, String> found) {
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                byte[] key = record.copy().key();
                                byte[] value = record.copy().value();
                                found.put(
                                        new String(key, UTF_8),
                                        value == null ? null : new String(value, UTF_8));
                                return Action.CONTINUE;
                            },
                            1_000)
                    > 0) {
                continue;
            }
        }
    }
}
