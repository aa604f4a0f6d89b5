package io.firn.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * {@code kill -9} of a server under producers of transactions, each of which writes to several
 * partitions and moves an offset. Afterwards all that was committed is there once, nothing that was
 * aborted is seen, of what is unknown all or nothing, and no partition has an undecided offset.
 *
 * <p>Producers make a new client under the same name when theirs fails, as applications do.
 */
final class TransactionKills {
    private static final String TOPIC = "ledger";
    private static final String GROUP = "readers";
    private static final int PARTITIONS = 4;
    private static final int PRODUCERS = 3;
    private static final int RECORDS = 5;
    private static final int TIMEOUT_MS = 10_000;

    private final ServerProcess server;
    private final Random random;
    private final AtomicBoolean ended = new AtomicBoolean();

    /** Of a client that is no member of the group. */
    private ConsumerGroupMetadata outsider;

    /** What became of a transaction. */
    private enum Outcome {
        COMMITTED,
        ABORTED,
        UNKNOWN
    }

    private TransactionKills(ServerProcess server, long seed) {
        this.server = server;
        this.random = new Random(seed);
    }

    /** Kills: DIRECTORY ROUNDS SEED; half of them with each of the clients' protocols. */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[1]);
        long seed = Long.parseLong(arguments[2]);
        Path directory = Path.of(arguments[0]);
        System.out.println(run(directory.resolve("1"), rounds / 2, seed, 1));
        System.out.println(run(directory.resolve("2"), rounds - rounds / 2, seed, 2));
        System.exit(0); // clients may still want to close in peace
    }

    /**
     * Kills so many times.
     *
     * @param version of the clients' protocol
     * @return what was seen, in a line
     * @throws IllegalStateException when a promise was broken
     */
    static String run(Path directory, int kills, long seed, int version) throws Exception {
        Map<String, String> settings =
                Map.of(
                        "log.segment.bytes",
                        "131072", // they roll all the time
                        "firn.transaction.version",
                        Integer.toString(version));
        try (ServerProcess server = new ServerProcess(directory, settings)) {
            return "transaction.version "
                    + version
                    + ": "
                    + new TransactionKills(server, seed).run(kills);
        }
    }

    private Map<String, Object> client(Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(more);
        all.put("bootstrap.servers", server.bootstrapServers());
        all.put("reconnect.backoff.max.ms", 100);
        all.put("retry.backoff.ms", 20);
        return all;
    }

    private KafkaConsumer<String, String> consumer(Map<String, Object> more) {
        return new KafkaConsumer<>(
                client(more), new StringDeserializer(), new StringDeserializer());
    }

    private String run(int kills) throws Exception {
        List<Writer> writers = new ArrayList<>();
        try (Admin admin = Admin.create(client(Map.of()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            try (KafkaConsumer<String, String> consumer = consumer(Map.of("group.id", GROUP))) {
                outsider = consumer.groupMetadata();
            }
            for (int i = 0; i < PRODUCERS; i++) {
                writers.add(new Writer(i, random.nextLong()));
            }
            writers.forEach(Thread::start);
            for (int i = 0; i < kills; i++) {
                Thread.sleep(300 + random.nextInt(1_500));
                server.kill();
                server.start();
            }
            Thread.sleep(1_000);
            ended.set(true);
            for (Writer each : writers) {
                each.join(TimeUnit.SECONDS.toMillis(Running.HANGS_AFTER_S));
                each.check();
            }
            awaitNothingUndecided(admin);
            return kills + " kills, " + compare(writers) + "; " + offset(admin, writers);
        } finally {
            ended.set(true);
        }
    }

    // ---- writers

    /** One producer after another, of the same name. */
    private final class Writer extends Thread {
        private final int number;
        private final Random choices;
        private final Map<String, Outcome> outcomes = new TreeMap<>();
        private volatile Throwable failure;
        private int clients;
        private long moved = -1;
        private boolean isMoveKnown = true;

        Writer(int number, long seed) {
            super("writer-" + number);
            this.number = number;
            this.choices = new Random(seed);
            setDaemon(true);
        }

        @Override
        public void run() {
            int next = 0;
            while (!ended.get()) {
                try (KafkaProducer<String, String> producer =
                        new KafkaProducer<>(
                                client(
                                        Map.of(
                                                "transactional.id",
                                                getName(),
                                                "transaction.timeout.ms",
                                                TIMEOUT_MS,
                                                "max.block.ms",
                                                60_000)),
                                new StringSerializer(),
                                new StringSerializer())) {
                    clients++;
                    producer.initTransactions();
                    boolean isUsable = true;
                    while (isUsable && !ended.get()) {
                        isUsable = write(producer, getName() + ":" + next++);
                    }
                } catch (KafkaException e) {
                    continue; // another client
                } catch (Throwable e) {
                    failure = e;
                    return;
                }
            }
        }

        /** Returns false when the producer cannot be used any more. */
        private boolean write(KafkaProducer<String, String> producer, String transaction)
                throws Exception {
            boolean commits = choices.nextInt(4) > 0;
            outcomes.put(transaction, Outcome.ABORTED);
            producer.beginTransaction();
            try {
                List<Future<RecordMetadata>> sent = new ArrayList<>();
                for (int i = 0; i < RECORDS; i++) {
                    // One to its own, which so has at least as many records as it moves.
                    int partition = i == 0 ? number : choices.nextInt(PARTITIONS);
                    sent.add(
                            producer.send(
                                    new ProducerRecord<>(
                                            TOPIC, partition, null, transaction + ":" + i)));
                }
                for (Future<RecordMetadata> each : sent) {
                    each.get();
                }
                TopicPartition mine = new TopicPartition(TOPIC, number);
                producer.sendOffsetsToTransaction(
                        Map.of(mine, new OffsetAndMetadata(moved + 1)), outsider);
                if (!commits) {
                    producer.abortTransaction();
                    return true;
                }
                outcomes.put(transaction, Outcome.UNKNOWN);
                isMoveKnown = false;
                producer.commitTransaction();
                outcomes.put(transaction, Outcome.COMMITTED);
                moved++;
                isMoveKnown = true;
                return true;
            } catch (java.util.concurrent.ExecutionException | KafkaException e) {
                if (outcomes.get(transaction) == Outcome.UNKNOWN) {
                    return false;
                }
                producer.abortTransaction(); // throws when the client cannot
                return true;
            }
        }

        void check() {
            if (failure != null || isAlive()) {
                throw new IllegalStateException(getName() + " hangs or has failed", failure);
            }
        }
    }

    // ---- what is there at the end

    private static Map<TopicPartition, OffsetSpec> ends() {
        Map<TopicPartition, OffsetSpec> all = new HashMap<>();
        for (int i = 0; i < PARTITIONS; i++) {
            all.put(new TopicPartition(TOPIC, i), OffsetSpec.latest());
        }
        return all;
    }

    private static Map<TopicPartition, Long> ends(Admin admin, IsolationLevel isolation)
            throws Exception {
        Map<TopicPartition, Long> found = new HashMap<>();
        admin.listOffsets(ends(), new ListOffsetsOptions(isolation))
                .all()
                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                .forEach((place, each) -> found.put(place, each.offset()));
        return found;
    }

    /** A transaction whose producer is gone ends when its time is out. */
    private static void awaitNothingUndecided(Admin admin) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(6L * TIMEOUT_MS);
        while (!ends(admin, IsolationLevel.READ_COMMITTED)
                .equals(ends(admin, IsolationLevel.READ_UNCOMMITTED))) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("an offset is still undecided");
            }
            Thread.sleep(50);
        }
    }

    private String compare(List<Writer> writers) throws Exception {
        Map<String, Integer> times = new HashMap<>();
        try (Admin admin = Admin.create(client(Map.of()));
                KafkaConsumer<String, String> consumer =
                        consumer(Map.of("isolation.level", "read_committed"))) {
            Map<TopicPartition, Long> ends = ends(admin, IsolationLevel.READ_COMMITTED);
            consumer.assign(ends.keySet());
            consumer.seekToBeginning(ends.keySet());
            Running.await(
                    "the end",
                    () -> {
                        for (ConsumerRecord<String, String> each :
                                consumer.poll(Duration.ofMillis(50))) {
                            times.merge(each.value(), 1, Integer::sum);
                        }
                        return ends.entrySet().stream()
                                .allMatch(e -> consumer.position(e.getKey()) >= e.getValue());
                    });
        }
        int[] counts = new int[Outcome.values().length];
        Set<String> known = new HashSet<>();
        int clients = 0;
        for (Writer writer : writers) {
            clients += writer.clients;
            writer.outcomes.forEach(
                    (transaction, outcome) -> {
                        counts[outcome.ordinal()]++;
                        int seen = 0;
                        for (int i = 0; i < RECORDS; i++) {
                            known.add(transaction + ":" + i);
                            int each = times.getOrDefault(transaction + ":" + i, 0);
                            require(each <= 1, transaction + ":" + i + " came " + each + " times");
                            seen += each;
                        }
                        boolean isRight =
                                switch (outcome) {
                                    case COMMITTED -> seen == RECORDS;
                                    case ABORTED -> seen == 0;
                                    case UNKNOWN -> seen == 0 || seen == RECORDS;
                                };
                        require(isRight, transaction + " is " + outcome + ", seen were " + seen);
                    });
        }
        require(known.containsAll(times.keySet()), "there are records that nobody wrote");
        return counts[0]
                + " committed, "
                + counts[1]
                + " aborted, "
                + counts[2]
                + " unknown, by "
                + clients
                + " clients";
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    /** The offsets of the group are those of the last committed transactions. */
    private static String offset(Admin admin, List<Writer> writers) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> found =
                admin.listConsumerGroupOffsets(GROUP)
                        .partitionsToOffsetAndMetadata()
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        int compared = 0;
        for (Writer each : writers) {
            OffsetAndMetadata place = found.get(new TopicPartition(TOPIC, each.number));
            if (each.isMoveKnown) {
                long offset = place == null ? -1 : place.offset();
                require(
                        offset == each.moved,
                        each.getName() + " moved to " + each.moved + ", found " + offset);
                compared++;
            }
        }
        return compared + " offsets compared";
    }
}
