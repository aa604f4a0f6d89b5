package io.firn.api;

import static io.firn.api.Stores.await;
import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoreLockedException;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.medium.FileMedium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From open to close, and what is left after it: nothing. */
class LifecycleTest {
    private static final Path FILES = Path.of("/proc/self/fd");
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    @TempDir private Path directory;

    /** What this process holds of the directory, as the system sees it. */
    private List<String> held() throws IOException {
        List<String> held = new ArrayList<>();
        try (Stream<Path> files = Files.list(FILES)) {
            for (Path file : files.toList()) {
                try {
                    held.add(Files.readSymbolicLink(file).toString());
                } catch (IOException e) {
                    held.add("closed while we looked");
                }
            }
        }
        held.addAll(Files.readAllLines(MAPPINGS));
        held.removeIf(line -> !line.contains(directory.toString()));
        return held;
    }

    private void assertNothingHeld() throws IOException {
        assertEquals(List.of(), held());
    }

    private static void use(LogStore store) {
        Topic topic = store.ensureTopic("t", Stores.small().withPartitions(2));
        try (Appender appender = topic.partition(0).openExclusiveAppender();
                Appender other = topic.partition(1).openAppender();
                Tailer tailer = topic.openTailer()) {
            Stores.fill(appender, 12, 10_000);
            other.append(bytes("x"));
            Stores.readAll(tailer);
            topic.partition(0).findTimestamp(5);
        }
        topic.cursor("c").commit(0, topic.partition(0).nextOffset());
    }

    @Test
    void shouldNameBothTiersThatUseOneDirectory() throws IOException {
        Path tiers = Files.createDirectories(directory.resolve("tiers"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), tiers);
        LogStoreBuilder builder =
                LogStore.at(directory.resolve("store"))
                        .tier("ssd", FileTier.at(tiers))
                        .tier("hdd", FileTier.at(link));
        for (Executable open : List.<Executable>of(builder::open, builder::openReadOnly)) {
            InvalidOptionException e = assertThrows(InvalidOptionException.class, open);
            assertTrue(e.getMessage().contains("tier 0 (file " + tiers), e.getMessage());
            assertTrue(e.getMessage().contains("tier 1 (file " + link), e.getMessage());
        }
    }

    @Test
    void shouldHoldNothingAfterClose() throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(FILES), "no /proc here");
        for (int i = 0; i < 3; i++) {
            LogStore store = Stores.at(directory, FileMedium.real()).open();
            use(store);
            assertTrue(held().size() > 2, "what this test looks at is not there");
            store.close();
            assertNothingHeld();
        }
    }

    /** The clock is the application's: what fails in it must not keep the lock and the mappings. */
    @Test
    void shouldHoldNothingAfterACloseThatFails() throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(FILES), "no /proc here");
        for (Throwable failure :
                List.of(new IllegalStateException("no time"), new StackOverflowError("no time"))) {
            AtomicReference<Throwable> failing = new AtomicReference<>();
            EpochClock clock = () -> timeOrThrow(failing.get());
            LogStore store = Stores.at(directory, FileMedium.real()).clock(clock).open();
            use(store);
            long end = store.openTopic("t").partition(0).nextOffset();
            failing.set(failure);

            assertSame(failure, assertThrows(failure.getClass(), store::close));

            assertNothingHeld();
            try (LogStore again = Stores.at(directory, FileMedium.real()).open()) {
                assertEquals(end, again.openTopic("t").partition(0).nextOffset());
            }
        }
    }

    private static long timeOrThrow(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
        return System.currentTimeMillis();
    }

    @Test
    void shouldHoldNothingAfterAHundredLives() throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(FILES), "no /proc here");
        ObservedMedium medium = new ObservedMedium();
        for (int i = 0; i < 100; i++) {
            try (LogStore store = Stores.at(directory, medium).open()) {
                Topic topic = store.ensureTopic("t", Stores.small());
                assertEquals(i, topic.partition(0).nextOffset());
                try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                    appender.append(new byte[5_000]);
                }
                Stores.readAll(topic.openTailer());
            }
            assertEquals(0, medium.mappings());
            assertEquals(0, medium.files());
        }
        assertNothingHeld();
        assertTrue(
                Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("firn-")));
    }

    @Test
    void shouldHoldNothingWhenAppendersAreClosedAfterTheStore() {
        ObservedMedium medium = new ObservedMedium();
        LogStore store = Stores.at(directory, medium).open();
        Topic topic = store.createTopic("t", Stores.small().withPartitions(2));
        Appender exclusive = topic.partition(0).openExclusiveAppender();
        Appender shared = topic.partition(1).openAppender();
        Tailer tailer = topic.openTailer();
        Stores.fill(exclusive, 20, 10_000);
        Stores.fill(shared, 20, 10_000);
        tailer.poll(record -> Action.CONTINUE, 5);
        store.close();
        exclusive.close();
        shared.close();
        tailer.close();
        assertEquals(0, medium.mappings());
        assertEquals(0, medium.files());
    }

    @Test
    void shouldHoldNothingWhenAPollOutlivesTheStore() {
        ObservedMedium medium = new ObservedMedium();
        LogStore store = Stores.at(directory, medium).open();
        Topic topic = store.createTopic("t", Stores.small());
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(bytes("still readable"));
        }
        Tailer tailer = topic.openTailer();
        int taken =
                tailer.poll(
                        record -> {
                            store.close();
                            assertEquals("still readable", Stores.text(record.copy().value()));
                            return Action.CONTINUE;
                        },
                        10);
        assertEquals(1, taken);
        assertEquals(0, medium.mappings());
        assertThrows(ClosedException.class, () -> tailer.poll(r -> Action.CONTINUE, 1));
    }

    @Test
    void shouldHoldNothingAfterAnOpenThatFailed() throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(FILES), "no /proc here");
        try (LogStore store = Stores.at(directory).open()) {
            use(store);
        }
        Path file = directory.resolve("store").resolve("store");
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 4;
        Files.write(file, bytes);
        assertThrows(StoreOpenException.class, () -> Stores.at(directory).open());
        assertNothingHeld();
        bytes[bytes.length / 2] ^= 4;
        Files.write(file, bytes);
        Path id = Stores.tierOf(directory).resolve("tier");
        Path away = directory.resolve("away");
        Files.move(id, away);
        assertThrows(StoreOpenException.class, () -> Stores.at(directory).open());
        assertNothingHeld();
        Files.move(away, id);
        try (LogStore store = Stores.at(directory).open()) {
            use(store);
        }
        assertNothingHeld();
    }

    @Test
    void shouldSayThatItIsClosedWhateverIsAsked() {
        LogStore store = Stores.at(directory).open();
        Topic topic = store.createTopic("t", Stores.small());
        Partition partition = topic.partition(0);
        Appender appender = partition.openAppender();
        TopicAppender topicAppender = topic.openAppender();
        Tailer tailer = topic.openTailer();
        Cursor cursor = topic.cursor("c");
        appender.append(bytes("a"));
        store.close();
        store.close();
        List<Executable> uses =
                List.of(
                        () -> store.createTopic("u", Stores.small()),
                        () -> store.openTopic("t"),
                        () -> store.ensureTopic("t", Stores.small()),
                        () -> store.deleteTopic("t"),
                        () -> store.topicNames(),
                        () -> HostedStore.of(store).newProducerId(),
                        () -> store.metrics(),
                        () -> topic.openTailer(),
                        () -> topic.openAppender(),
                        () -> topic.cursor("c"),
                        () -> topic.cursor("d"),
                        () -> topic.deleteCursor("c"),
                        () -> partition.openExclusiveAppender(),
                        () -> partition.openAppender(),
                        () -> partition.openTailer(),
                        () -> partition.findTimestamp(0),
                        () -> partition.deleteRecordsBefore(0),
                        () -> appender.append(bytes("b")),
                        () -> appender.append(appender.newBatch().add(bytes("b"))),
                        () -> appender.tryAppend(new UnsafeBuffer(bytes("b")), 0, 1),
                        () -> topicAppender.append(null, bytes("b")),
                        () -> tailer.poll(record -> Action.CONTINUE, 1),
                        () -> tailer.poll(r -> Action.CONTINUE, 1, Duration.ofHours(1)),
                        () -> tailer.seekToTimestamp(0),
                        () -> cursor.commit(0, 1),
                        () -> cursor.force());
        for (int i = 0; i < uses.size(); i++) {
            assertThrows(ClosedException.class, uses.get(i), "use " + i);
        }
        appender.close();
        topicAppender.close();
        tailer.close();
        partition.metrics();
        assertEquals(1, partition.nextOffset());
        assertEquals(directory.resolve("store"), store.directory());
    }

    @Test
    void shouldNotBeClosedByACallbackOnItsOwnThread() throws Exception {
        LogStore store = Stores.at(directory).open();
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        try (Appender appender = partition.openAppender()) {
            CompletableFuture<Void> closes = new CompletableFuture<>();
            appender.onDurable(
                    (p, offset) -> {
                        try {
                            store.close();
                            closes.complete(null);
                        } catch (IllegalStateException e) {
                            closes.completeExceptionally(e);
                        }
                    });
            while (appender.tryAppend(new UnsafeBuffer(bytes("a")), 0, 1) < 0) {
                Thread.onSpinWait();
            }
            ExecutionException e = assertThrows(ExecutionException.class, closes::get);
            assertTrue(e.getCause().getMessage().contains("close"), e.getCause().getMessage());
        }
        store.close();
    }

    /** Whoever appends may be the one who forces, and so the one who tells the handler. */
    @Test
    void shouldNotBeClosedByAHandlerOnTheThreadThatAppends() throws Exception {
        LogStore store = Stores.at(directory).open();
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        try (Appender appender = partition.openExclusiveAppender()) {
            CompletableFuture<Throwable> refusal = new CompletableFuture<>();
            appender.onDurable(
                    (p, offset) ->
                            refusal.complete(
                                    assertThrows(IllegalStateException.class, store::close)));
            Stores.start(() -> appender.append(bytes("a"))).result();
            assertTrue(refusal.join().getMessage().contains("close"));
            appender.onDurable(null);
            assertEquals(1, appender.append(bytes("b")), "it is still open");
        }
        store.close();
    }

    @Test
    void shouldNotDisturbTheStoreThatHasWhatAnotherOpenWanted() {
        FileTier tier = FileTier.at(Stores.tierOf(directory));
        LogStoreBuilder builder = LogStore.at(directory.resolve("store")).tier(tier);
        try (LogStore store = builder.open()) {
            assertThrows(StoreLockedException.class, builder::open);
            LogStoreBuilder other = LogStore.at(directory.resolve("other")).tier(tier);
            assertThrows(IllegalStateException.class, other::open);
            assertThrows(
                    IllegalStateException.class,
                    () -> LogStore.at(directory.resolve("store")).tier(tier).openReadOnly());
            use(store);
            assertEquals(12, store.openTopic("t").partition(0).durableOffset());
            FileTier same = FileTier.at(Stores.tierOf(directory));
            LogStoreBuilder thief = LogStore.at(directory.resolve("store")).tier(same);
            assertThrows(StoreLockedException.class, thief::open);
        }
    }

    @Test
    void shouldRefuseToOpenWithoutATierOrWithBadOptions() {
        assertThrows(InvalidOptionException.class, () -> LogStore.at(directory).open());
        for (Duration wrong :
                List.of(
                        Duration.ZERO,
                        Duration.ofMillis(-1),
                        Duration.ofHours(2),
                        Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThrows(
                    InvalidOptionException.class, () -> LogStore.at(directory).markInterval(wrong));
            assertThrows(
                    InvalidOptionException.class,
                    () -> LogStore.at(directory).cursorInterval(wrong));
        }
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThrows(
                    InvalidOptionException.class,
                    () -> LogStore.at(directory).producerExpiry(wrong));
            assertThrows(
                    InvalidOptionException.class,
                    () -> LogStore.at(directory).producerNameExpiry(wrong));
        }
        assertEquals(List.of(), Stores.filesIn(directory));
    }

    @Test
    void shouldHoldNothingAfterItsThreadsCouldNotBeStarted() {
        for (Throwable failure :
                List.of(new IllegalStateException("on purpose"), new OutOfMemoryError("by test"))) {
            AtomicInteger made = new AtomicInteger();
            LogStoreBuilder builder =
                    Stores.at(directory)
                            .idleStrategy(
                                    () -> {
                                        if (made.incrementAndGet() > 1) {
                                            fail(failure);
                                        }
                                        return new SleepingMillisIdleStrategy(1);
                                    });
            assertSame(failure, assertThrows(failure.getClass(), builder::open));
            assertTrue(
                    Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(each -> each.getName().equals("firn-force")));
            Stores.at(directory).open().close();
        }
    }

    private static void fail(Throwable failure) {
        if (failure instanceof Error e) {
            throw e;
        }
        throw (RuntimeException) failure;
    }

    /** A clock that stops whoever appends. */
    private static final class StoppingClock implements EpochClock {
        private final Gate gate = new Gate();

        @Override
        public long time() {
            if (Thread.currentThread().getName().equals("test")) {
                gate.run(null);
            }
            return System.currentTimeMillis();
        }
    }

    /** Large enough to be written by a call. */
    private static final byte[] LARGE = new byte[5_000];

    private static Stores.Task<Long> stopInAnAppend(
            LogStore store, StoppingClock clock, TopicOptions options) {
        Partition partition = store.createTopic("t", options).partition(0);
        Appender appender = partition.openExclusiveAppender();
        clock.gate.shut();
        Stores.Task<Long> append =
                Stores.start(
                        () -> {
                            try (appender) {
                                return appender.append(LARGE);
                            }
                        });
        await("an append that has begun", () -> clock.gate.held() == 1);
        return append;
    }

    private static boolean isWaitingForAppends(Thread thread) {
        return Stream.of(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("awaitAppends"));
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepAnAppendThatIsInProgressAtItsClose(Durability durability) throws Exception {
        StoppingClock clock = new StoppingClock();
        LogStore store = Stores.at(directory).clock(clock).open();
        Stores.Task<Long> append =
                stopInAnAppend(store, clock, Stores.small().withDurability(durability));
        Thread closing = new Thread(store::close);
        closing.start();
        await(
                "a close that waits for the append",
                () -> isWaitingForAppends(closing) || !closing.isAlive());
        clock.gate.open();
        assertEquals(0, append.result());
        closing.join();
        try (LogStore again = Stores.at(directory).open();
                Tailer tailer = again.openTopic("t").openTailer()) {
            assertEquals(1, Stores.readAll(tailer).size());
        }
        assertNothingHeld();
    }

    /** It might store its batch where the next one to open the log stores another. */
    @Test
    void shouldNotReleaseTheLogWhileAnAppendIsInProgressHoweverLong() throws Exception {
        StoppingClock clock = new StoppingClock();
        LogStore store = Stores.at(directory).clock(clock).open();
        Stores.Task<Long> append = stopInAnAppend(store, clock, Stores.small());
        Thread closing = new Thread(store::close);
        closing.start();
        await(
                "a close that waits for the append",
                () -> isWaitingForAppends(closing) || !closing.isAlive());
        LockSupport.parkNanos(1_500_000_000); // longer than listeners are waited for
        assertTrue(closing.isAlive());
        assertThrows(StoreLockedException.class, () -> Stores.at(directory).open());
        clock.gate.open();
        assertEquals(0, append.result());
        closing.join();
    }

    /** They may wait for the thread that closes. */
    @Test
    void shouldCloseAllTheSameWhenListenersOfAppendsDoNotReturn() throws Exception {
        Gate gate = new Gate();
        LogStore store = Stores.at(directory).open();
        TopicOptions options = Stores.small().withPartitions(5).withDurability(Durability.WRITTEN);
        Topic topic = store.createTopic("t", options);
        List<Stores.Task<Long>> appends = new ArrayList<>();
        gate.shut();
        for (int i = 0; i < 5; i++) {
            Partition partition = topic.partition(i);
            HostedPartition.of(partition)
                    .addVisibleListener(
                            () -> {
                                if (Thread.currentThread().getName().equals("test")) {
                                    gate.run(null); // not the close, which tells them, too
                                }
                            });
            Appender appender = partition.openExclusiveAppender();
            appends.add(
                    Stores.start(
                            () -> {
                                try (appender) {
                                    return appender.append(LARGE);
                                }
                            }));
        }
        await("appends that tell listeners", () -> gate.held() == 5);
        store.close();
        gate.open();
        for (Stores.Task<Long> append : appends) {
            assertEquals(0, append.result());
        }
        try (LogStore again = Stores.at(directory).open();
                Tailer tailer = again.openTopic("t").openTailer()) {
            assertEquals(5, Stores.readAll(tailer).size());
        }
    }
}
