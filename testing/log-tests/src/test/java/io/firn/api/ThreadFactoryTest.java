package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.StoreOpenException;
import io.firn.TopicOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
            try (LogReader reader = Stores.at(directory).threadFactory(factory).openReadOnly()) {
                assertTrue(names().contains("firn-follow"), names().toString());
                try (Appender appender = partition.openExclusiveAppender()) {
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

    @Test
    void shouldSayThatTheSystemStartsNoMoreThreadsAndOpenWhenItDoes() {
        AtomicBoolean isFull = new AtomicBoolean(true);
        ThreadFactory limited =
                work ->
                        new Thread(group, work) {
                            @Override
                            public synchronized void start() {
                                if (isFull.get()) {
                                    throw new OutOfMemoryError("unable to create native thread");
                                }
                                super.start();
                            }
                        };
        LogStoreBuilder builder = Stores.at(directory).threadFactory(limited);
        StoreOpenException refused = assertThrows(StoreOpenException.class, builder::open);
        assertTrue(refused.getMessage().contains("firn-"), refused.getMessage());
        assertTrue(refused.getMessage().contains("ulimit -u"), refused.getMessage());

        isFull.set(false);
        try (LogStore store = Stores.at(directory).threadFactory(limited).open()) {
            assertEquals(List.of(), store.topicNames());
        }
    }

    /** Those that exist do the work of the ones that could not be made. */
    @ParameterizedTest
    @ValueSource(strings = {"an exception", "an error", "one that runs"})
    void shouldGoOnWithTheThreadsThatCouldBeMade(String instead) {
        ThreadFactory tired =
                work -> {
                    if (made.size() < 3) { // to force, to tidy up, and to scrub
                        return factory.newThread(work);
                    }
                    return switch (instead) {
                        case "an exception" ->
                                throw new IllegalStateException("no more, on purpose");
                        case "an error" -> throw new OutOfMemoryError("no more, on purpose");
                        default -> made.get(0);
                    };
                };
        try (LogStore store = Stores.at(directory).threadFactory(tired).open();
                Appender appender =
                        store.createTopic("t", Stores.small()).partition(0).openAppender()) {
            Stores.fill(appender, 100, 10_000);
            appender.appendFuture(appender.newBatch().add(new byte[1])).join();
        }
        assertEquals(3, made.size());
    }

    /** Compaction has a thread of its own, which is made with the first topic that needs it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveNothingOfATopicWhoseThreadCouldNotBeMade(boolean isError) {
        AtomicBoolean refuses = new AtomicBoolean();
        ThreadFactory once =
                work -> {
                    if (refuses.get()) {
                        if (isError) {
                            throw new OutOfMemoryError("on purpose");
                        }
                        throw new IllegalStateException("on purpose");
                    }
                    return factory.newThread(work);
                };
        TopicOptions compacted = Stores.small().withCleanup(CleanupPolicy.COMPACT);
        try (LogStore store = Stores.at(directory).threadFactory(once).open()) {
            refuses.set(true);
            assertThrows(Throwable.class, () -> store.createTopic("t", compacted));
            refuses.set(false);
            assertFalse(store.hasTopic("t"));
            Partition partition = store.createTopic("t", compacted).partition(0);
            assertTrue(names().contains("firn-compact"), names().toString());
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(new byte[1], new byte[1]);
            }
        }
        try (LogStore store = Stores.at(directory).open()) {
            assertEquals(List.of("t"), store.topicNames());
            assertEquals(1, store.openTopic("t").partition(0).nextOffset());
        }
    }
}
