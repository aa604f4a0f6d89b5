package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.TopicOptions;
import io.firn.api.Gate;
import io.firn.api.ObservedMedium;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.host.ServiceAttachedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store has one server at a time, which ends before its store does. */
class StoreOfServerTest {
    private static final String TOPIC = "orders";

    @TempDir Path directory;

    private final Queue<Thread> made = new ConcurrentLinkedQueue<>();

    private Thread make(Runnable task) {
        Thread thread = new Thread(task);
        made.add(thread);
        return thread;
    }

    private LogStoreBuilder builder() {
        return LogStore.at(directory.resolve("store"))
                .tier(FileTier.at(directory.resolve("segments")));
    }

    private FirnServer.Builder server(LogStore store) {
        return FirnServer.of(store).port(0).threadFactory(this::make);
    }

    private static MetadataRequestData allTopics() {
        return new MetadataRequestData().setTopics(null);
    }

    private static MetadataResponseData metadata(Wire wire) throws IOException {
        return wire.ask(ApiKeys.METADATA, 12, allTopics(), new MetadataResponseData());
    }

    private void awaitNothingLeft(int port) {
        Running.await("its threads to end", () -> made.stream().noneMatch(Thread::isAlive));
        Running.await(
                "its port to be free",
                () -> {
                    try (ServerSocket free = new ServerSocket()) {
                        free.bind(new InetSocketAddress("127.0.0.1", port));
                        return true;
                    } catch (IOException e) {
                        return false;
                    }
                });
    }

    @Test
    void shouldRefuseASecondServerOnTheStoreAndSayWhichOneHasIt() throws Exception {
        try (LogStore store = builder().open()) {
            FirnServer first = server(store).start();
            ServiceAttachedException e =
                    assertThrows(ServiceAttachedException.class, () -> server(store).start());
            assertTrue(e.getMessage().contains(first.bootstrapServers()), e::getMessage);
            assertTrue(e.getMessage().contains("close it"), e::getMessage);
            store.createTopic(TOPIC, TopicOptions.defaults());
            try (Wire wire = new Wire(first)) {
                assertEquals(1, metadata(wire).topics().size(), "the first is not disturbed");
            }
            first.close();
            try (FirnServer second = server(store).start();
                    Wire wire = new Wire(second)) {
                assertEquals(1, metadata(wire).topics().size());
            }
        }
    }

    @Test
    void shouldServeTheStoreAfterAStartThatFailed() throws Exception {
        try (LogStore store = builder().open();
                ServerSocket taken = new ServerSocket(0)) {
            List<FirnServer.Builder> bad =
                    List.of(
                            server(store).port(taken.getLocalPort()),
                            server(store).threadFactory(task -> null),
                            server(store)
                                    .set("listeners", "SSL://127.0.0.1:0")
                                    .set("ssl.keystore.location", "none")
                                    .port(taken.getLocalPort()));
            for (FirnServer.Builder each : bad) {
                assertThrows(Exception.class, each::start);
                Running.await("no thread", () -> made.stream().noneMatch(Thread::isAlive));
            }
            // What a start reads late: the file of a group.
            Path groups = Files.createDirectories(store.directory().resolve("server/groups"));
            Files.writeString(groups.resolve("g"), "no file of a group");
            server(store).start().close();
        }
    }

    @Test
    void shouldSayWhichKeysHaveNoEffectOnAStoreThatTheApplicationHasOpened() throws Exception {
        try (LogStore store = builder().open();
                Logged log = new Logged("io.firn.server")) {
            server(store).set("num.partitions", 3).start().close();
            assertEquals(0, log.count("without effect"));
            server(store).set("log.dirs", "elsewhere").start().close();
            assertTrue(log.has("without effect on a server inside an application: [log.dirs]"));
        }
    }

    @Test
    void shouldCheckItsConfigurationBeforeItWritesAnything() throws Exception {
        try (LogStore store = builder().open()) {
            List<Path> before = files();
            for (FirnServer.Builder each :
                    List.of(
                            FirnServer.of(store).set("listeners", "PLAINTEXT://0.0.0.0:0"),
                            FirnServer.of(store)
                                    .set("listeners", "SSL://127.0.0.1:0")
                                    .set("ssl.keystore.location", "nowhere.p12"))) {
                assertThrows(InvalidOptionException.class, each::start);
                assertEquals(before, files());
            }
        }
    }

    @Test
    void shouldRefuseAStoreThatIsOpenReadOnlyAndWriteNothing() throws Exception {
        builder().open().close();
        List<Path> before = files();
        try (LogReader store = builder().openReadOnly()) {
            InvalidOptionException e =
                    assertThrows(
                            InvalidOptionException.class,
                            () -> server(HostedStore.of(store)).start());
            assertTrue(e.getMessage().contains("read-only"), e::getMessage);
        }
        assertEquals(before, files());
    }

    /** Without those that the background of a new store makes at some time. */
    private List<Path> files() throws IOException {
        Set<String> sometime = Set.of("ends", "spare", "epochs", ".epochs.tmp");
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(each -> !sometime.contains(each.getFileName().toString()))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void shouldStopWhenItsStoreIsClosedAndSaySo() throws Exception {
        try (Logged log = new Logged("io.firn.server")) {
            LogStore store = builder().open();
            store.createTopic(TOPIC, TopicOptions.defaults());
            FirnServer server = server(store).start();
            int port = server.port();
            try (Wire wire = new Wire(server)) {
                assertEquals(1, metadata(wire).topics().size());
                store.close();
                assertThrows(IOException.class, () -> metadata(wire), "it is disconnected");
            }
            awaitNothingLeft(port);
            server.close();
            assertThrows(FirnException.class, () -> server(store).start());
            Running.await("no thread", () -> made.stream().noneMatch(Thread::isAlive));
            assertEquals(1, log.count("is being closed"), "it says why, once");
            assertFalse(log.has("Exception"), "no stack trace");
        }
    }

    @Test
    void shouldNotAnswerWithoutTopicsWhileItsStoreIsBeingClosed() throws Exception {
        LogStore store = builder().open();
        store.createTopic(TOPIC, TopicOptions.defaults());
        FirnServer server = server(store).start();
        AtomicInteger answers = new AtomicInteger();
        Queue<Integer> topics = new ConcurrentLinkedQueue<>();
        List<Thread> clients =
                Stream.generate(
                                () ->
                                        new Thread(
                                                () -> {
                                                    while (topics(server, topics)) {
                                                        answers.incrementAndGet();
                                                    }
                                                }))
                        .limit(4)
                        .toList();
        clients.forEach(Thread::start);
        Running.await("many answers", () -> answers.get() > 100);
        store.close();
        for (Thread each : clients) {
            each.join();
        }
        assertEquals(List.of(), topics.stream().filter(count -> count != 1).toList());
    }

    private static boolean topics(FirnServer server, Queue<Integer> counts) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", server.port()), 10_000);
            try (Wire wire = new Wire(socket)) {
                for (int i = 0; i < 3; i++) {
                    counts.add(metadata(wire).topics().size());
                }
            }
            return true;
        } catch (IOException e) {
            return false; // refused, or disconnected
        }
    }

    @Test
    void shouldAnswerWhatIsUnderWayBeforeItsStoreIsClosed() throws Exception {
        ObservedMedium medium = new ObservedMedium();
        Gate gate = new Gate();
        LogStore store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")).withMedium(medium))
                        .open();
        store.createTopic(TOPIC, TopicOptions.defaults());
        FirnServer server = server(store).set("firn.shutdown.timeout.ms", 60_000).start();
        int port = server.port();
        medium.beforeForce(gate);
        gate.shut();
        try (Wire wire = new Wire(server)) {
            wire.send(Asks.produceBytes(TOPIC, 0, Asks.ALL, Asks.batch(new byte[100])));
            Running.await("the force to be stuck", () -> gate.held() > 0);
            Thread closes = new Thread(store::close);
            closes.start();
            Running.await(
                    "it to let nobody in",
                    () -> {
                        try (Socket socket = new Socket("127.0.0.1", port)) {
                            return !socket.isConnected();
                        } catch (IOException e) {
                            return true;
                        }
                    });
            gate.open();
            assertEquals(Errors.NONE.code(), Asks.produced(wire).errorCode());
            closes.join();
        }
        awaitNothingLeft(port);
    }

    @Test
    void shouldCloseItsStoreOnceWhenBothAreClosedAtTheSameTime() throws Exception {
        for (int i = 0; i < 5; i++) {
            LogStore store = builder().open();
            FirnServer server = server(store).start();
            int port = server.port();
            Thread other = new Thread(server::close);
            other.start();
            store.close();
            other.join();
            awaitNothingLeft(port);
        }
    }
}
