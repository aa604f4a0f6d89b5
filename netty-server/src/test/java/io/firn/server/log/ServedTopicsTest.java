package io.firn.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.api.Waiting;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics, while the server's defaults change. */
class ServedTopicsTest {
    private final LogStore store;
    private final DynamicConfig node;
    private final ServedTopics topics;

    ServedTopicsTest(@TempDir Path directory) throws IOException {
        FileMedium medium = FileMedium.real();
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")))
                        .open();
        node = DynamicConfig.open(medium, directory, ServerConfig.defaults());
        topics = new ServedTopics(store, node, medium, directory.resolve("server"));
    }

    @AfterEach
    void close() {
        topics.close();
        store.close();
    }

    private void setRetention(String ms) {
        try {
            node.change(true, set -> Map.of("log.retention.ms", ms), false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Thread blocked(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        Waiting.await("it has begun", () -> thread.getState() == Thread.State.BLOCKED);
        return thread;
    }

    /** Otherwise it would have the value before, as if an application had chosen that. */
    @Test
    void shouldCreateATopicWithTheDefaultThatChangesMeanwhile() throws Exception {
        Thread creator;
        synchronized (topics) {
            creator = blocked(() -> topics.create("orders", 1, Map.of()));
            setRetention("5000");
        }
        Waiting.join(creator);
        assertEquals(
                Optional.of(Duration.ofMillis(5_000)),
                store.openTopic("orders").options().retentionAge());
        assertTrue(topics.find("orders").settings().isDefault("retention.ms"));
    }

    /** A client that has waited for too long: very many topics may follow the first change. */
    @Test
    void shouldNotWaitWhereTheSameDefaultIsSetAgain() throws Exception {
        topics.create("orders", 1, Map.of());
        Thread first;
        synchronized (topics) {
            first = blocked(() -> setRetention("5000"));
            Thread again = new Thread(() -> setRetention("5000"));
            again.start();
            Waiting.await("the answer", () -> again.getState() == Thread.State.TERMINATED);
        }
        Waiting.join(first);
        assertEquals(
                Optional.of(Duration.ofMillis(5_000)),
                store.openTopic("orders").options().retentionAge());
    }

    @Test
    void shouldFollowTheLatestOfDefaultsThatChangeAtOnce() throws Exception {
        topics.create("orders", 1, Map.of());
        Thread first;
        Thread second;
        synchronized (topics) {
            first = blocked(() -> setRetention("5000"));
            second = blocked(() -> setRetention("6000"));
        }
        Waiting.join(first);
        Waiting.join(second);
        assertEquals(
                Optional.of(Duration.ofMillis(6_000)),
                store.openTopic("orders").options().retentionAge());
    }
}
