package io.firn.management;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Gate;
import io.firn.api.Waiting;
import io.firn.server.Authorizer;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What takes as long as its limits: threads that hang, and clients that hold the listener. */
@Tag("slow")
class WedgeTest {
    private static final Duration FALLS_WITHIN = Duration.ofSeconds(15);
    private static final int LOAD_S = Integer.getInteger("firn.load.s", 180);
    private static final String LIVE = "/health/live";

    @TempDir Path directory;
    private final Gate gate = new Gate();

    private static int live(ManagedServer managed) {
        try {
            return managed.status(LIVE);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until it is not live, because the gate holds a thread, and then until it is again. */
    private void checkFall(ManagedServer managed, String thread) throws IOException {
        Waiting.await("a thread that hangs", () -> gate.held() > 0);
        long since = System.nanoTime();
        Waiting.await("liveness to fall", () -> live(managed) == 503);
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
        assertTrue(tookMs <= FALLS_WITHIN.toMillis(), "it has fallen after " + tookMs + " ms");
        String page = managed.page(LIVE);
        assertTrue(page.contains(thread + " has stood still for"), page);
        gate.open();
        Waiting.await("liveness", () -> live(managed) == 200);
    }

    /** An authorizer is asked by the event loop whether a client may append. */
    private boolean holdAppends(Authorizer.Action action) {
        if (action.operation() == Authorizer.Operation.WRITE) {
            gate.run(null);
        }
        return true;
    }

    private static KafkaProducer<String, String> producer(ManagedServer managed) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        managed.server.bootstrapServers(),
                        "enable.idempotence",
                        false),
                new StringSerializer(),
                new StringSerializer());
    }

    @Test
    void livenessShouldFallWhenAnEventLoopHangs() throws Exception {
        try (ManagedServer managed =
                        new ManagedServer(
                                directory,
                                Map.of("num.network.threads", "1"),
                                builder -> builder.authorizer(this::holdAppends));
                KafkaProducer<String, String> producer = producer(managed)) {
            producer.send(new ProducerRecord<>("orders", "before")).get();
            gate.shut();
            var unused = producer.send(new ProducerRecord<>("orders", "hangs"));
            checkFall(managed, "firn-net-1");
        } finally {
            gate.open();
        }
    }

    @Test
    void livenessShouldFallWhenAForceHangs() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, Map.of());
                KafkaProducer<String, String> producer = producer(managed)) {
            producer.send(new ProducerRecord<>("orders", "before")).get();
            managed.medium.beforeForce(gate);
            gate.shut();
            var unused = producer.send(new ProducerRecord<>("orders", "hangs"));
            checkFall(managed, "firn-force");
        } finally {
            gate.open();
        }
    }

    /** As much as this machine can do, with more producers than processors. */
    @Test
    void livenessShouldNotFallInMinutesOfFullLoad() throws Exception {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LOAD_S);
        var producers = Executors.newCachedThreadPool();
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
                ends.add(producers.submit(() -> produceUntil(endNs, managed)));
            }
            while (System.nanoTime() < endNs) {
                String page = managed.page(LIVE);
                assertEquals(200, ManagedServer.statusOf(page), page);
                TimeUnit.SECONDS.sleep(1);
            }
            for (Future<?> each : ends) {
                each.get();
            }
        } finally {
            producers.shutdownNow();
        }
    }

    private static void produceUntil(long endNs, ManagedServer managed) {
        String value = "x".repeat(200);
        try (KafkaProducer<String, String> producer = producer(managed)) {
            for (int i = 0; System.nanoTime() < endNs; i++) {
                var unused = producer.send(new ProducerRecord<>("orders-" + i % 20, value));
            }
        }
    }

    /** As many as there may be, of which none ever sends a whole request. */
    @Test
    void clientsThatSendSlowlyShouldHoldTheListenerForSecondsOnly() throws Exception {
        List<Socket> slow = new ArrayList<>();
        var writers = Executors.newCachedThreadPool();
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            for (int i = 0; i < 200; i++) {
                Socket socket = managed.connect();
                slow.add(socket);
                boolean isSilent = i % 2 == 0;
                if (!isSilent) {
                    writers.execute(() -> drip(socket));
                }
            }
            Waiting.await("an answer beside them", () -> live(managed) == 200);
            Waiting.await("their end", () -> slow.stream().allMatch(WedgeTest::isClosed));
        } finally {
            writers.shutdownNow();
            for (Socket each : slow) {
                each.close();
            }
        }
    }

    private static void drip(Socket socket) {
        byte[] head = "GET / HTTP/1.1\r\nX: ".getBytes(StandardCharsets.US_ASCII);
        try {
            socket.getOutputStream().write(head);
            while (!Thread.interrupted()) {
                socket.getOutputStream().write('x');
                TimeUnit.MILLISECONDS.sleep(200);
            }
        } catch (IOException | InterruptedException e) {
            return;
        }
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true; // reset
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void clientsThatDoNotReadShouldHoldNobodyElse() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            for (int i = 0; i < 40; i++) {
                Socket socket = managed.connect();
                idle.add(socket);
                byte[] request =
                        ManagedServer.get(LIVE, "Host: localhost")
                                .replace("Connection: close\r\n", "")
                                .repeat(20)
                                .getBytes(StandardCharsets.US_ASCII);
                socket.getOutputStream().write(request);
            }
            assertEquals(200, managed.status(LIVE));
        } finally {
            for (Socket each : idle) {
                each.close();
            }
        }
    }
}
