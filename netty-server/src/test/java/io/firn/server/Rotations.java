package io.firn.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLSocket;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Replaces the certificate of a server, again and again, under producers and a consumer group that
 * use TLS; some of the new files are broken. No connection of the clients is closed, no record is
 * lost, doubled or out of order, and new connections get the newest certificate that can be used.
 */
final class Rotations {
    private static final String TOPIC = "orders";
    private static final int PRODUCERS = 2;
    private static final int CONSUMERS = 2;

    /** So that on a busy machine no record waits for longer than its client does. */
    private static final long MOST_IN_FLIGHT = 1_000;

    private static final int HANGS_AFTER_MS = (int) (1_000 * Running.HANGS_AFTER_S);

    private final Running running;
    private final Path file;
    private final Path trusted;
    private final List<Metrics> clients = new ArrayList<>();
    private final AtomicLong[] acknowledged = new AtomicLong[PRODUCERS];
    private final Map<Integer, Long> read = new ConcurrentHashMap<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean stopped;
    private volatile boolean allSent;

    /** What tells of a client's connections. */
    private interface Metrics {
        Map<MetricName, ? extends Metric> metrics();
    }

    private Rotations(Running running, Path file, Path trusted) {
        this.running = running;
        this.file = file;
        this.trusted = trusted;
        for (int i = 0; i < PRODUCERS; i++) {
            acknowledged[i] = new AtomicLong();
        }
    }

    /** {@code Rotations DIRECTORY COUNT}. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        TestKeys one = TestKeys.make(directory, "one");
        TestKeys two = TestKeys.make(directory, "two");
        System.out.println(run(directory, Integer.parseInt(arguments[1]), one, two));
    }

    /**
     * Replaces the file so many times, by a broken one each fourth time, beginning with the second.
     *
     * @param keys two, which take turns
     * @return what was seen, in a line
     * @throws IllegalStateException when a promise was broken
     */
    static String run(Path directory, int count, TestKeys... keys) throws Exception {
        Path file = directory.resolve("in-use.p12");
        Files.copy(keys[0].file(), file);
        Map<String, String> settings = new HashMap<>(keys[0].keystore());
        settings.put("ssl.keystore.location", file.toString());
        settings.put("listeners", "SSL://127.0.0.1:0");
        settings.put("firn.authentication.timeout.ms", Integer.toString(HANGS_AFTER_MS));
        settings.put("num.partitions", Integer.toString(PRODUCERS));
        try (Running running = new Running(directory, settings)) {
            return new Rotations(running, file, TestKeys.trusting(directory, keys))
                    .run(keys, count);
        }
    }

    private Map<String, Object> client(Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(more);
        all.put("bootstrap.servers", running.server().bootstrapServers());
        all.put("security.protocol", "SSL");
        all.put("auto.offset.reset", "earliest");
        all.put("request.timeout.ms", HANGS_AFTER_MS);
        all.putAll(TestKeys.truststore(trusted));
        return all;
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    private String run(TestKeys[] keys, int count) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            int partition = i;
            threads.add(new Thread(() -> guard(() -> produce(partition)), "producer-" + i));
        }
        for (int i = 0; i < CONSUMERS; i++) {
            threads.add(new Thread(() -> guard(this::consume), "consumer-" + i));
        }
        threads.forEach(Thread::start);
        int broken = 0;
        Certificate expected = keys[0].certificate();
        try (Logged logged = new Logged("io.firn.server")) {
            awaitProgress();
            for (int i = 1; i <= count; i++) {
                if (i % 4 == 2) {
                    broken++;
                    String garbage = "garbage " + i;
                    Path beside = Files.writeString(file.resolveSibling("beside"), garbage);
                    Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING);
                    int lines = broken;
                    Running.await(
                            "the broken file to be named",
                            () -> logged.count("has changed and cannot be used") >= lines);
                } else {
                    TestKeys next = keys[(i - broken) % 2];
                    expected = next.certificate();
                    next.replace(file);
                    Certificate wanted = expected;
                    Running.await("the new certificate", () -> wanted.equals(presented()));
                }
                require(expected.equals(presented()), "another certificate is in use");
                awaitProgress();
            }
        }
        long closed = closedConnections();
        stopped = true;
        for (Thread each : threads) {
            each.join(); // the producers are the first
            allSent |= each == threads.get(PRODUCERS - 1);
        }
        require(failure.get() == null, "a client failed: " + failure.get());
        require(closed == 0, closed + " connections were closed");
        long records = 0;
        for (int i = 0; i < PRODUCERS; i++) {
            long sent = acknowledged[i].get();
            require(sent == read.get(i), sent + " records were sent, " + read.get(i) + " read");
            records += sent;
        }
        return String.format(
                "%d rotations, %d of them broken: %,d records, none lost, doubled or out of order;"
                        + " no connection closed",
                count, broken, records);
    }

    private interface Task {
        void run() throws Exception;
    }

    private void guard(Task task) {
        try {
            task.run();
        } catch (Exception | AssertionError e) {
            failure.compareAndSet(null, e);
        }
    }

    private Certificate presented() {
        try (SSLSocket socket =
                TestKeys.connect(running.server().port(), trusted, null, "TLSv1.3")) {
            return socket.getSession().getPeerCertificates()[0];
        } catch (Exception e) {
            throw new IllegalStateException("a new connection failed", e);
        }
    }

    /** Waits until each producer and the consumers have gone on. */
    private void awaitProgress() {
        for (int i = 0; i < PRODUCERS; i++) {
            int partition = i;
            long until = acknowledged[i].get() + 10;
            Running.await(
                    "records of partition " + i,
                    () -> failure.get() != null || read.getOrDefault(partition, 0L) >= until);
        }
        require(failure.get() == null, "a client failed: " + failure.get());
    }

    private long closedConnections() {
        double closed = 0;
        synchronized (clients) {
            require(clients.size() == PRODUCERS + CONSUMERS, "a client is missing");
            for (Metrics client : clients) {
                for (Metric each : client.metrics().values()) {
                    MetricName name = each.metricName();
                    if (name.name().equals("connection-close-total")
                            && name.group().matches("(producer|consumer)-metrics")) {
                        closed += (double) each.metricValue();
                    }
                }
            }
        }
        return (long) closed;
    }

    private void add(Metrics client) {
        synchronized (clients) {
            clients.add(client);
        }
    }

    private void produce(int partition) throws Exception {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        client(
                                Map.of(
                                        "retries",
                                        0,
                                        "enable.idempotence",
                                        false,
                                        "max.block.ms",
                                        HANGS_AFTER_MS,
                                        "delivery.timeout.ms",
                                        2 * HANGS_AFTER_MS)),
                        new StringSerializer(),
                        new StringSerializer())) {
            add(producer::metrics);
            for (long number = 0; !stopped && failure.get() == null; number++) {
                String value = number + " " + "x".repeat((int) (number % 1_000));
                var unused =
                        producer.send(
                                new ProducerRecord<>(TOPIC, partition, null, value),
                                (metadata, error) -> {
                                    if (error != null) {
                                        failure.compareAndSet(null, error);
                                    } else {
                                        acknowledged[partition].incrementAndGet();
                                    }
                                });
                do {
                    LockSupport.parkNanos(100_000); // there is one machine for all
                } while (number - acknowledged[partition].get() >= MOST_IN_FLIGHT
                        && failure.get() == null);
            }
            producer.flush();
        }
    }

    /** Reads until all is read that was acknowledged. */
    private void consume() throws Exception {
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        client(
                                Map.of(
                                        "group.id",
                                        "readers",
                                        "max.poll.interval.ms",
                                        2 * HANGS_AFTER_MS,
                                        "default.api.timeout.ms",
                                        HANGS_AFTER_MS)),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            add(consumer::metrics);
            consumer.subscribe(List.of(TOPIC));
            while (failure.get() == null && !(allSent && isAllRead())) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(50))) {
                    long next = read.getOrDefault(each.partition(), 0L);
                    if (each.offset() < next) {
                        continue; // once more, after a rebalance
                    }
                    require(
                            each.offset() == next && each.value().startsWith(next + " "),
                            "expected number " + next + ", found " + each);
                    read.put(each.partition(), next + 1);
                }
            }
        }
    }

    private boolean isAllRead() {
        for (int i = 0; i < PRODUCERS; i++) {
            if (read.getOrDefault(i, 0L) < acknowledged[i].get()) {
                return false;
            }
        }
        return true;
    }
}
