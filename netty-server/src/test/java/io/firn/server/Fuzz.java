package io.firn.server;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Throws requests of every API and version at a server, as they come from {@link RandomMessages}
 * and mutated, while a real producer and consumer use it. Each request is answered, or costs its
 * connection; nothing fails unexpectedly inside; the real clients lose nothing; memory comes back.
 * The seed decides everything but the timing.
 */
final class Fuzz implements AutoCloseable {
    private static final String ALIVE = "alive";
    private static final List<String> NAMES = List.of("fuzzed", "other", "g", "range", "1", "m");
    private static final int BURST = 10;

    private final Running running;
    private final Random random;
    private final RandomMessages messages;
    private final List<Version> served = new ArrayList<>();
    private final Map<String, String> unexpected = new ConcurrentHashMap<>();
    private final Handler listener = new Listener();
    private final Clients clients = new Clients();
    private long sent;
    private long closed;

    private record Version(ApiKeys key, short version) {}

    Fuzz(Running running, long seed) throws Exception {
        this.running = running;
        this.random = new Random(seed);
        this.messages = new RandomMessages(random, NAMES);
        Logger.getLogger("io.firn").addHandler(listener);
        running.createTopic(ALIVE, 1, Map.of());
        running.createTopic(NAMES.get(0), 2, Map.of());
        askWhatIsServed();
        clients.start();
    }

    private void askWhatIsServed() throws IOException {
        ApiVersionsResponseData versions;
        try (Wire wire = new Wire(running.server())) {
            versions =
                    wire.ask(
                            ApiKeys.API_VERSIONS,
                            0,
                            new ApiVersionsRequestData(),
                            new ApiVersionsResponseData());
        }
        versions.apiKeys()
                .forEach(
                        each -> {
                            ApiKeys key = ApiKeys.forId(each.apiKey());
                            int oldest = Math.max(each.minVersion(), key.oldestVersion());
                            for (int v = oldest; v <= each.maxVersion(); v++) {
                                served.add(new Version(key, (short) v));
                            }
                        });
    }

    /** {@code Fuzz REQUESTS SEED}. */
    public static void main(String[] arguments) throws Exception {
        long requests = Long.parseLong(arguments[0]);
        long seed = Long.parseLong(arguments[1]);
        Path directory = Files.createTempDirectory("firn-fuzz");
        System.out.println("seed " + seed + ", store in " + directory);
        Logger.getLogger("io.firn.server").setUseParentHandlers(false);
        long start = System.nanoTime();
        try (Running running = new Running(directory, settings());
                Fuzz fuzz = new Fuzz(running, seed)) {
            System.out.println(fuzz.served.size() + " APIs and versions");
            long step = Math.max(1, requests / 10);
            for (long done = 0; done < requests; done += step) {
                fuzz.run(step);
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                System.out.printf(
                        "%,d requests, %d s: %,d understood, %,d connections closed, heap %d MB,"
                                + " direct %d MB, real clients at %,d records%n",
                        fuzz.sent,
                        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                        running.server().metrics().getRequests(),
                        fuzz.closed,
                        (runtime.totalMemory() - runtime.freeMemory()) >> 20,
                        Math.max(0, PlatformDependent.usedDirectMemory()) >> 20,
                        fuzz.clients.read);
            }
            fuzz.check();
        }
        System.out.println("Nothing failed inside, and the real clients lost nothing.");
        System.exit(0);
    }

    static Map<String, String> settings() {
        return Map.of(
                "auto.create.topics.enable", "false",
                "log.segment.bytes", "262144",
                "socket.request.max.bytes", "1000000",
                "queued.max.request.bytes", "10000000");
    }

    /** Sends so many requests. */
    void run(long requests) throws Exception {
        long until = sent + requests;
        while (sent < until) {
            burst((int) Math.min(BURST, until - sent));
            clients.check();
        }
    }

    /** That nothing went wrong inside, and that what was held is given back. */
    void check() throws Exception {
        clients.stop();
        if (!unexpected.isEmpty()) {
            throw new IllegalStateException("unexpected failures: " + unexpected);
        }
        Running.await(
                "held bytes to be given back",
                () -> running.server().metrics().getQueuedBytes() == 0);
    }

    /** Some that can be read, and a last one that may be anything. */
    private void burst(int count) throws IOException {
        int expected = 0;
        boolean mayEnd = false;
        try (Wire wire = new Wire(running.server())) {
            for (int i = 0; i < count && !mayEnd; i++) {
                Version each = served.get(random.nextInt(served.size()));
                byte[] request = messages.request(each.key, each.version);
                if (random.nextInt(3) == 0) {
                    byte[] before = request.clone();
                    for (int n = random.nextInt(5); n > 0; n--) {
                        request = mutate(request);
                    }
                    mayEnd = !Arrays.equals(before, request);
                }
                // Without acknowledgement there is no answer, and a join may wait for others.
                mayEnd |=
                        each.key == ApiKeys.PRODUCE
                                || each.key == ApiKeys.JOIN_GROUP
                                || each.key == ApiKeys.SYNC_GROUP
                                || each.key == ApiKeys.FETCH;
                byte[] framed = Wire.framed(request);
                if (random.nextInt(50) == 0) {
                    ByteBuffer.wrap(framed).putInt(0, random.nextInt());
                    mayEnd = true;
                }
                sent++;
                wire.sendRaw(framed);
                expected += mayEnd ? 0 : 1;
            }
            for (; expected > 0; expected--) {
                wire.receive();
            }
            if (mayEnd && random.nextInt(4) == 0 && wire.isClosedWithin(1)) {
                closed++;
            }
        } catch (IOException e) {
            if (expected > 0 && !mayEnd) {
                throw new IOException("a request that can be read was not answered", e);
            }
            closed++;
        }
    }

    private byte[] mutate(byte[] bytes) {
        if (bytes.length < 12) {
            return bytes;
        }
        // Rarely its API and version: most of the fun is in the body.
        int from = random.nextInt(20) == 0 ? 0 : 8;
        int at = from + random.nextInt(bytes.length - from);
        switch (random.nextInt(6)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0x7f : 0xff);
            case 3 -> {
                int[] odd = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0, 1, 1 << 20};
                if (at + 4 <= bytes.length) {
                    ByteBuffer.wrap(bytes).putInt(at, odd[random.nextInt(odd.length)]);
                }
            }
            case 4 -> {
                return Arrays.copyOf(bytes, at);
            }
            default -> {
                byte[] longer = Arrays.copyOf(bytes, bytes.length + random.nextInt(64));
                for (int i = bytes.length; i < longer.length; i++) {
                    longer[i] = (byte) random.nextInt();
                }
                return longer;
            }
        }
        return bytes;
    }

    @Override
    public void close() {
        Logger.getLogger("io.firn").removeHandler(listener);
        clients.stopped.set(true);
    }

    /** What the library itself calls an error is none that a request should be able to cause. */
    private final class Listener extends Handler {
        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.SEVERE.intValue()) {
                Throwable thrown = record.getThrown();
                StackTraceElement[] at = thrown == null ? null : thrown.getStackTrace();
                unexpected.putIfAbsent(
                        at == null || at.length == 0 ? record.getMessage() : at[0].toString(),
                        record.getMessage() + ": " + thrown);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** A producer and a consumer that want nothing but to be served. */
    private final class Clients implements Runnable {
        private final Thread thread = new Thread(this, "real-clients");
        private final AtomicBoolean stopped = new AtomicBoolean();
        private volatile Throwable failure;
        private volatile long read;

        void start() {
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void run() {
            try (KafkaProducer<String, String> producer = running.producer(Map.of());
                    KafkaConsumer<String, String> consumer = running.consumer(Map.of())) {
                consumer.assign(List.of(new TopicPartition(ALIVE, 0)));
                for (long produced = 0; !stopped.get() || produced == 0; produced++) {
                    producer.send(new ProducerRecord<>(ALIVE, 0, null, "v" + produced))
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
                    long next = produced;
                    Running.await("record " + next, () -> take(consumer) > next);
                }
            } catch (Exception | AssertionError e) {
                failure = e;
            }
        }

        private long take(KafkaConsumer<String, String> consumer) {
            for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(100))) {
                if (each.offset() != read || !each.value().equals("v" + read)) {
                    throw new IllegalStateException("got " + each + ", expected was v" + read);
                }
                read = each.offset() + 1;
            }
            return read;
        }

        void check() {
            if (failure != null) {
                throw new IllegalStateException("the real clients are not served", failure);
            }
        }

        void stop() throws InterruptedException {
            stopped.set(true);
            thread.join(TimeUnit.SECONDS.toMillis(Running.HANGS_AFTER_S));
            check();
            if (thread.isAlive() || read == 0) {
                throw new IllegalStateException("the real clients hang, after " + read);
            }
        }
    }
}
