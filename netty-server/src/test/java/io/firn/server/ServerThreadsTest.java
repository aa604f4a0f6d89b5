package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.file.FileTier;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The threads of a server that an application embeds, which are the application's to make. */
class ServerThreadsTest {
    @TempDir Path directory;

    private final Queue<Thread> made = new ConcurrentLinkedQueue<>();

    private Thread make(Runnable task) {
        Thread thread = new Thread(task);
        made.add(thread);
        return thread;
    }

    private LogStore store() {
        return LogStore.at(directory).tier(FileTier.at(directory.resolve("segments"))).open();
    }

    /** Returns the threads of servers that nobody's factory made. */
    private List<String> others() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getThreadGroup() == Thread.currentThread().getThreadGroup())
                .filter(each -> !made.contains(each))
                .map(Thread::getName)
                .filter(each -> each.matches("firn-(net|accept|server|admin|read|handshake).*"))
                .toList();
    }

    @Test
    void shouldTakeAllThreadsFromTheFactoryNameThemAndEndThem() throws Exception {
        List<String> before = others();
        try (LogStore store = store();
                FirnServer server =
                        FirnServer.of(store).port(0).threadFactory(this::make).start()) {
            Map<String, Object> client = Map.of("bootstrap.servers", server.bootstrapServers());
            try (Admin admin = Admin.create(client)) {
                admin.createTopics(List.of(new NewTopic("snow", 1, (short) 1))).all().get();
            }
            List<String> names = made.stream().map(Thread::getName).toList();
            assertTrue(
                    names.containsAll(
                            List.of(
                                    "firn-accept-1",
                                    "firn-net-1",
                                    "firn-server-1",
                                    "firn-admin-1")),
                    () -> "found " + names);
            assertEquals(before, others());
        }
        Running.await("the threads to end", () -> made.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void shouldSayThatAFactoryMakesNoThreadsAndLeaveNothingBehind() throws Exception {
        List<ThreadFactory> bad =
                List.of(
                        task -> null,
                        task -> made.size() < 1 ? make(task) : null,
                        task -> made.size() < 2 ? make(task) : null);
        try (LogStore store = store()) {
            for (ThreadFactory each : bad) {
                made.clear();
                FirnServer.Builder server = FirnServer.of(store).port(0).threadFactory(each);
                InvalidOptionException e =
                        assertThrows(InvalidOptionException.class, server::start);
                assertTrue(
                        e.getMessage().contains("the thread factory made no thread for firn-"),
                        e::getMessage);
                Running.await("all threads to end", () -> made.stream().noneMatch(Thread::isAlive));
            }
            made.clear();
            FirnServer.of(store).port(0).threadFactory(this::make).start().close();
        }
    }
}
