package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.TopicOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Clients that are disconnected in the middle of something leave nothing allocated. */
class LeakTest {
    private static final String TOPIC = "orders";
    private static final String ON_PURPOSE = "leaked on purpose";
    private static final int LARGE = 4 << 20;
    private static final int CLIENTS = 12;

    @TempDir Path directory;

    private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
    private final Logger netty = Logger.getLogger(ResourceLeakDetector.class.getName());
    private final List<String> leaks = new CopyOnWriteArrayList<>();
    private final Handler listener =
            new Handler() {
                @Override
                public void publish(LogRecord record) {
                    leaks.add(record.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @BeforeEach
    void listen() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        netty.addHandler(listener);
    }

    @AfterEach
    void stopListening() {
        netty.removeHandler(listener);
        ResourceLeakDetector.setLevel(before);
    }

    private static byte[] fetch(int maxWaitMs, long offset) {
        return Wire.request(
                ApiKeys.FETCH,
                (short) Asks.FETCH,
                Asks.fetch(TOPIC, 0, offset, LARGE).setMaxBytes(LARGE).setMaxWaitMs(maxWaitMs));
    }

    private static byte[] produce(short acks, int bytes) {
        return Asks.produceBytes(TOPIC, 0, acks, Asks.batch(new byte[bytes]));
    }

    /** Each is cut while the server reads, appends, waits or writes for it. */
    private static void cutEachInTheMiddle(Running running) throws IOException {
        byte[] framed = Wire.framed(produce(Asks.ALL, 60_000));
        for (int i = 0; i < CLIENTS; i++) {
            Wire half = new Wire(running.server());
            half.sendRaw(Arrays.copyOf(framed, 1 + i * framed.length / CLIENTS));
            Wire unanswered = new Wire(running.server());
            unanswered.sendRaw(framed);
            unanswered.send(produce((short) 0, 1_000));
            unanswered.sendRaw(framed);
            Wire deaf = new Wire(running.server());
            for (int n = 0; n < 4; n++) {
                deaf.send(fetch(0, n)); // more than its socket takes
            }
            Wire parked = new Wire(running.server());
            parked.send(fetch(600_000, Integer.MAX_VALUE / 2)); // answered: there is no such offset
            parked.send(fetch(600_000, nextOffset(running) + 10_000));
            Wire talking = new Wire(running.server());
            talking.send(fetch(0, 0));
            talking.receive();
            for (Wire each : List.of(half, unanswered, deaf, parked, talking)) {
                each.cut();
            }
        }
    }

    private static long nextOffset(Running running) {
        return running.store().openTopic(TOPIC).partition(0).nextOffset();
    }

    /** Segments of the topic that this process has in memory. */
    private long mapped() {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            String tier = directory.toRealPath().resolve("tier").toString();
            return maps.filter(line -> line.contains(tier)).count();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldGiveBackAllThatAClientHeldWhoIsCutInTheMiddle() throws Exception {
        try (Running running = new Running(directory, Map.of("log.segment.bytes", "131072"))) {
            running.createTopic(TOPIC, 1, Map.of());
            try (Wire wire = new Wire(running.server())) {
                for (int i = 0; i < 150; i++) {
                    wire.send(produce(Asks.ALL, 60_000));
                    assertEquals(0, Asks.produced(wire).errorCode());
                }
            }
            cutEachInTheMiddle(running);
            ServerMetricsMXBean metrics = running.server().metrics();
            Running.await("all to be gone", () -> metrics.getConnections() == 0);
            Running.await("no request to be held", () -> metrics.getQueuedBytes() == 0);

            assertTrue(mapped() > 0);
            try (Admin admin = running.admin()) {
                admin.deleteTopics(List.of(TOPIC))
                        .all()
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
            Running.await("no byte of the log to be held", () -> mapped() == 0);
            Running.await("the admin to be gone", () -> metrics.getConnections() == 0);
        }
        assertNoLeak();
    }

    private void assertNoLeak() {
        leakOnPurpose();
        Running.await("the leak on purpose to be found", this::isFound);
        List<String> others = leaks.stream().filter(leak -> !leak.contains(ON_PURPOSE)).toList();
        assertEquals(List.of(), others);
    }

    /** The first thing that a client says. */
    private static byte[] hello(Path trusted) throws Exception {
        SSLEngine engine = TestKeys.context(trusted, null).createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer said = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), said);
        return Arrays.copyOf(said.array(), said.position());
    }

    @Test
    void shouldGiveBackAllThatAClientHeldWhoIsCutInAHandshakeOrWhileItIsSentRecords()
            throws Exception {
        TestKeys keys = TestKeys.make(directory, "server");
        Path trusted = TestKeys.trusting(directory, keys);
        Map<String, String> settings = new HashMap<>(keys.keystore());
        settings.put("listeners", "SSL://127.0.0.1:0,PLAINTEXT://127.0.0.1:0");
        try (Running running = new Running(directory, settings)) {
            int port = running.server().port();
            running.store().createTopic(TOPIC, TopicOptions.defaults());
            try (Wire wire = new Wire(TestKeys.connect(port, trusted, null, "TLSv1.3"))) {
                for (int i = 0; i < 100; i++) {
                    wire.send(produce(Asks.ALL, 60_000));
                    assertEquals(0, Asks.produced(wire).errorCode());
                }
            }
            byte[] hello = hello(trusted);
            for (int i = 0; i < CLIENTS; i++) {
                Wire half = new Wire(port);
                half.sendRaw(Arrays.copyOf(hello, 1 + i * hello.length / CLIENTS));
                Wire whole = new Wire(port);
                whole.sendRaw(hello);
                Wire garbage = new Wire(port);
                garbage.sendRaw(new byte[1 + i * 1_000]);
                Wire deaf = new Wire(TestKeys.connect(port, trusted, null, "TLSv1.3"));
                deaf.send(fetch(0, 0)); // more than its socket takes
                Wire parked = new Wire(TestKeys.connect(port, trusted, null, "TLSv1.2"));
                parked.send(fetch(600_000, nextOffset(running) + 10_000));
                Wire refused = new Wire(TestKeys.connect(port, trusted, null, "TLSv1.2"));
                refused.sendRaw(new byte[] {-1, -1, -1, -1, 0, 0});
                for (Wire each : List.of(half, whole, garbage, deaf, parked, refused)) {
                    each.cut();
                }
            }
            ServerMetricsMXBean metrics = running.server().metrics();
            Running.await("all to be gone", () -> metrics.getConnections() == 0);
            Running.await("no request to be held", () -> metrics.getQueuedBytes() == 0);
        }
        assertNoLeak();
    }

    /** By which it is known that leaks are found, and all older ones too. */
    private static void leakOnPurpose() {
        ByteBuf dropped = ByteBufAllocator.DEFAULT.buffer(16);
        dropped.touch(ON_PURPOSE);
    }

    private boolean isFound() {
        System.gc();
        ByteBufAllocator.DEFAULT.buffer(16).release(); // looks for others on its way
        return leaks.stream().anyMatch(leak -> leak.contains(ON_PURPOSE));
    }
}
