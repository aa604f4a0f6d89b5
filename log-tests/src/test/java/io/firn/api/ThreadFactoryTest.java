package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store's threads are made by whom the application says. */
class ThreadFactoryTest {
    @TempDir private Path directory;
    private final ThreadGroup group = new ThreadGroup("own");
    private final List<Thread> made = new CopyOnWriteArrayList<>();
    private final ThreadFactory factory =
            work -> {
                Thread thread = new Thread(group, work);
                thread.setDaemon(true);
                made.add(thread);
                return thread;
            };

    private List<String> names() {
        return made.stream().map(Thread::getName).sorted().toList();
    }

    @Test
    void shouldMakeAllThreadsOfAStoreAndEndThemWithIt() {
        try (LogStore store = Stores.at(directory).threadFactory(factory).open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            assertTrue(names().containsAll(List.of("firn-force", "firn-tidy")), names().toString());
            try (LogStore reader = Stores.at(directory).readOnly().threadFactory(factory).open()) {
                assertTrue(names().contains("firn-follow"), names().toString());
                try (Appender appender = partition.openAppender()) {
                    appender.append(new byte[1]);
                }
                Stores.await(
                        "the follower",
                        () -> reader.openTopic("t").partition(0).visibleOffset() == 1);
            }
        }
        assertTrue(made.stream().noneMatch(Thread::isAlive), names().toString());
    }

    @Test
    void shouldRefuseToOpenWithoutThreads() {
        assertThrows(
                InvalidOptionException.class,
                () -> Stores.at(directory).threadFactory(work -> null).open());
        try (LogStore store = Stores.at(directory).open()) {
            assertEquals(List.of(), store.topicNames());
        }
    }

    /** Those that exist do the work of the ones that could not be made. */
    @Test
    void shouldGoOnWithTheThreadsThatCouldBeMade() {
        ThreadFactory tired =
                work -> {
                    if (made.size() >= 2) {
                        throw new IllegalStateException("no more, on purpose");
                    }
                    return factory.newThread(work);
                };
        try (LogStore store = Stores.at(directory).threadFactory(tired).open();
                Appender appender =
                        store.createTopic("t", Stores.small()).partition(0).openSharedAppender()) {
            Stores.fill(appender, 100, 10_000);
            appender.appendFuture(new byte[1]).join();
        }
        assertEquals(List.of("firn-force", "firn-tidy"), names());
    }
}
