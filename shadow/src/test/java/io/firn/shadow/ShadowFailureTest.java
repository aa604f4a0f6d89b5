package io.firn.shadow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What fails here, for a while or for good. */
class ShadowFailureTest {
    @TempDir Path directory;

    private final List<ShadowEvent> events = new CopyOnWriteArrayList<>();
    private InProcessSource source;
    private LogStore store;

    @BeforeEach
    void open() throws Exception {
        source = new InProcessSource(directory.resolve("source"));
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("segments")))
                        .open();
        source.create("orders", 2, Map.of());
        source.produce("orders", 0, 0, 10, Map.of());
        source.produce("orders", 1, 0, 10, Map.of());
    }

    @AfterEach
    void close() {
        store.close();
        source.close();
    }

    private Shadow.Builder shadow() {
        return Shadow.of(store, source.properties()).topics("orders").listener(events::add);
    }

    private static PartitionStatus status(Shadow shadow, int partition) {
        return shadow.snapshot().partitions().get(partition);
    }

    private static void awaitStates(Shadow shadow, FollowState... states)
            throws InterruptedException {
        Shadows.await(
                () ->
                        shadow.snapshot().partitions().stream()
                                .map(PartitionStatus::state)
                                .toList()
                                .equals(List.of(states)),
                shadow);
    }

    @Test
    void shouldTryAgainWhenTheTopicCannotBeMadeNow() throws Exception {
        Path inTheWay = Files.createFile(store.directory().resolve("shadow"));
        Properties once = source.properties(); // new metadata would be another reason to try again
        once.setProperty("metadata.max.age.ms", "300000");
        try (Shadow shadow =
                Shadow.of(store, once).topics("orders").listener(events::add).start()) {
            awaitStates(shadow, FollowState.RETRYING, FollowState.RETRYING);
            assertTrue(
                    status(shadow, 1).lastError().startsWith("could not "),
                    status(shadow, 1).lastError());
            assertEquals(List.of(), events);
            Files.delete(inTheWay);
            Shadows.await(() -> shadow.snapshot().isCaughtUp(), shadow);
            assertEquals(10, status(shadow, 1).nextOffset());
            assertNull(status(shadow, 1).lastError());
        }
    }

    @Test
    void shouldCopyOtherPartitionsWhileOneCannotBeOpened() throws Exception {
        try (Shadow shadow = shadow().start()) {
            Shadows.await(() -> shadow.snapshot().isCaughtUp(), shadow);
        }
        ReplicaAppender other =
                HostedPartition.of(store.openTopic("orders").partition(0)).openReplicaAppender();
        try (Shadow shadow = shadow().start()) {
            source.produce("orders", 0, 10, 20, Map.of());
            source.produce("orders", 1, 10, 20, Map.of());
            Shadows.await(
                    () ->
                            shadow.snapshot().partitions().size() == 2
                                    && status(shadow, 1).nextOffset() == 20,
                    shadow);
            assertEquals(FollowState.RETRYING, status(shadow, 0).state());
            assertFalse(shadow.snapshot().isCaughtUp());
            other.close();
            Shadows.await(() -> shadow.snapshot().isCaughtUp(), shadow);
            assertEquals(20, status(shadow, 0).nextOffset());
        }
    }

    private void writeNote(Map<String, String> values) throws IOException {
        Path file = store.directory().resolve("shadow").resolve(id());
        SmallFile.write(FileMedium.real(), file, "shadow", 1, values);
    }

    private String id() {
        return store.openTopic("orders").id().toString();
    }

    private void copyOnce() throws InterruptedException {
        try (Shadow shadow = shadow().start()) {
            Shadows.await(() -> shadow.snapshot().isCaughtUp(), shadow);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"not-an-id", "", "12345"})
    void shouldSayThatTheIdInANoteIsDamaged(String topic) throws Exception {
        copyOnce();
        writeNote(Map.of("cluster", "one", "topic", topic));
        assertNoteIsDamaged();
    }

    @Test
    void shouldSayThatANoteHasNoTopic() throws Exception {
        copyOnce();
        writeNote(Map.of("cluster", "one"));
        assertNoteIsDamaged();
    }

    @Test
    void shouldSayThatTheBytesOfANoteAreDamaged() throws Exception {
        copyOnce();
        Path file = store.directory().resolve("shadow").resolve(id());
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        assertNoteIsDamaged();
    }

    private void assertNoteIsDamaged() throws InterruptedException {
        try (Shadow shadow = shadow().onDivergence(OnDivergence.TRUNCATE).start()) {
            awaitStates(shadow, FollowState.STOPPED, FollowState.STOPPED);
            String error = status(shadow, 0).lastError();
            assertTrue(error.contains(id()) && error.contains("restore it, or delete"), error);
            assertEquals(10, store.openTopic("orders").partition(0).nextOffset());
            assertTrue(shadow.snapshot().isRunning());
        }
    }

    @Test
    void shouldSayThatAnErrorHasEndedIt() throws Exception {
        store.createTopic("orders", TopicOptions.defaults()); // no copy: an event
        NoClassDefFoundError error = new NoClassDefFoundError("of the test");
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        Shadow shadow =
                shadow().listener(
                                event -> {
                                    events.add(event);
                                    if (event.kind() != ShadowEvent.Kind.ENDED) {
                                        throw error;
                                    }
                                })
                        .threadFactory(
                                work -> {
                                    Thread thread = new Thread(work);
                                    thread.setUncaughtExceptionHandler((t, e) -> uncaught.add(e));
                                    return thread;
                                })
                        .start();
        Shadows.await(() -> !shadow.snapshot().isRunning(), shadow);
        assertSame(error, shadow.snapshot().failure());
        assertEquals(ShadowEvent.Kind.ENDED, events.get(events.size() - 1).kind());
        assertEquals(List.of(error), uncaught);
        FirnException e = assertThrows(FirnException.class, shadow::close);
        assertSame(error, e.getCause());
        shadow.close();
    }

    @Test
    void shouldCopyAgainWhenItIsStartedAfterAnError() throws Exception {
        store.createTopic("orders", TopicOptions.defaults());
        Shadow shadow =
                shadow().listener(
                                event -> {
                                    throw new LinkageError("of the test");
                                })
                        .threadFactory(
                                work -> {
                                    Thread thread = new Thread(work);
                                    thread.setUncaughtExceptionHandler((t, e) -> {});
                                    return thread;
                                })
                        .start();
        Shadows.await(() -> !shadow.snapshot().isRunning(), shadow);
        store.deleteTopic("orders");
        shadow.start();
        Shadows.await(() -> shadow.snapshot().isCaughtUp(), shadow);
        assertNull(shadow.snapshot().failure());
        shadow.close();
    }
}
