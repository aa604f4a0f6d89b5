package io.firn.api;

import static io.firn.api.Stores.await;
import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.readAll;
import static io.firn.api.Stores.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.Tailer;
import io.firn.UnknownTopicException;
import io.firn.file.FileInspector;
import io.firn.medium.FileMedium;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When appends return and futures complete, and what readers see until then. */
class DurableTest {
    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private final Gate forcing = new Gate();
    private LogStore store;
    private Partition partition;

    @BeforeEach
    void open() {
        store = Stores.at(directory, medium).open();
        partition = store.createTopic("t", Stores.small()).partition(0);
        medium.beforeForce(forcing);
    }

    @AfterEach
    void close() {
        forcing.open();
        store.close();
    }

    @Test
    void shouldReturnWhenTheRecordIsForcedAndNotBefore() throws Exception {
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("first"));
            assertEquals(1, partition.durableOffset());
            forcing.shut();
            Stores.Task<Long> append = Stores.start(() -> appender.append(bytes("second")));
            await("a force", () -> forcing.held() > 0);
            assertEquals(2, partition.nextOffset());
            assertEquals(1, partition.durableOffset());
            assertFalse(append.isDone(), "returned before the force did");
            forcing.open();
            assertEquals(1, append.result());
            assertEquals(2, partition.durableOffset());
        }
    }

    @Test
    void shouldNotShowATailerWhatIsNotForced() {
        try (Appender appender = partition.openExclusiveAppender();
                Tailer tailer = partition.openTailer()) {
            appender.append(bytes("first"));
            forcing.shut();
            appender.tryAppend(new UnsafeBuffer(bytes("second")), 0, 6);
            await("a force", () -> forcing.held() > 0);
            assertEquals(List.of("first"), texts(readAll(tailer)));
            assertEquals(1, partition.visibleOffset());
            tailer.seekToEnd();
            assertEquals(1, tailer.offset(), "the end is the visible one");
            tailer.seek(2);
            assertEquals(0, tailer.poll(record -> null, 1), "between durable and next is no error");
            tailer.seek(1);
            forcing.open();
            assertEquals(List.of("second"), texts(Stores.read(tailer, 1)));
        }
    }

    @Test
    void shouldShowATailerOfAWrittenTopicWhatIsNotForced() {
        Partition written =
                store.createTopic("w", Stores.small().withDurability(Durability.WRITTEN))
                        .partition(0);
        forcing.shut();
        try (Appender appender = written.openExclusiveAppender();
                Tailer tailer = written.openTailer()) {
            assertEquals(0, appender.append(bytes("a")), "does not wait");
            assertEquals(1, written.visibleOffset());
            assertEquals(0, written.durableOffset());
            assertEquals(List.of("a"), texts(readAll(tailer)));
            forcing.open();
            written.force();
            assertEquals(1, written.durableOffset());
        }
    }

    @Test
    void shouldPromiseOnlyWhatWasThereWhenTheForceBegan() throws Exception {
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("zero"));
            forcing.shut();
            appender.tryAppend(new UnsafeBuffer(bytes("one")), 0, 3);
            await("the first force", () -> forcing.held() == 1);
            appender.tryAppend(new UnsafeBuffer(bytes("two")), 0, 3);
            Stores.Task<Void> waiter =
                    Stores.start(
                            () -> {
                                appender.awaitDurable(2);
                                return null;
                            });
            long before = medium.forces();
            forcing.open();
            waiter.result();
            assertEquals(3, partition.durableOffset());
            assertTrue(medium.forces() - before >= 2, "one force cannot have covered both");
        }
    }

    @Test
    void shouldCompleteFuturesInTheOrderOfTheirRecords() throws Exception {
        List<Integer> completed = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<?>> all = new ArrayList<>();
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("block is there"));
            forcing.shut();
            for (int i = 1; i <= 20; i++) {
                int number = i;
                long offset = appender.tryAppend(new UnsafeBuffer(bytes("x")), 0, 1);
                assertEquals(i, offset);
                all.add(
                        appender.whenDurable(offset)
                                .thenAccept(
                                        durable -> {
                                            assertTrue(durable > offset);
                                            completed.add(number);
                                        }));
            }
            assertTrue(completed.isEmpty());
            forcing.open();
            CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])).join();
            assertEquals(20, completed.size());
            List<Integer> sorted = new ArrayList<>(completed);
            Collections.sort(sorted);
            assertEquals(sorted, completed);
            assertTrue(appender.whenDurable(3).isDone(), "what is durable already needs no force");
            for (long never : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                assertThrows(InvalidOptionException.class, () -> appender.whenDurable(never));
            }
        }
    }

    @Test
    void shouldLetTheCallbackOfAFutureAppendAgain() {
        try (Appender appender = partition.openAppender()) {
            long first = appender.append(bytes("a"));
            CompletableFuture<Long> chain =
                    appender.whenDurable(first)
                            .thenApply(
                                    durable ->
                                            appender.tryAppend(new UnsafeBuffer(bytes("b")), 0, 1))
                            .thenCompose(appender::whenDurable)
                            .thenApply(durable -> appender.append(bytes("c")));
            assertEquals(2, chain.join());
        }
    }

    /** The callback runs on the thread that seals what was rolled, and waits for that. */
    @Test
    void shouldLetTheCallbackOfAFutureWaitAcrossRolls() throws Exception {
        try (Appender appender = partition.openAppender()) {
            CompletableFuture<String> callback =
                    appender.whenDurable(0)
                            .thenApply(
                                    durable -> {
                                        Stores.fill(appender, 30, 10_000);
                                        return Thread.currentThread().getName();
                                    });
            // Nobody but the background forces it.
            await("a block", () -> appender.tryAppend(new UnsafeBuffer(bytes("a")), 0, 1) >= 0);
            String thread = Stores.start(callback::get).result();
            assertTrue(thread.startsWith("firn-force"), thread);
            assertEquals(31, Stores.read(partition.openTailer(), 31).size());
        }
    }

    /** In invoker mode it is the thread that prepares blocks, too. */
    @Test
    void shouldLetTheCallbackOfAFutureWaitForABlockInInvokerMode() throws Exception {
        try (LogStore invoked = Stores.at(directory.resolve("invoked")).invokerMode().open()) {
            Partition other = invoked.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = other.openAppender()) {
                CompletableFuture<Void> callback =
                        appender.whenDurable(0)
                                .thenAccept(durable -> Stores.fill(appender, 30, 10_000));
                await(
                        "a block",
                        () ->
                                invoked.doWork() >= 0
                                        && appender.tryAppend(new UnsafeBuffer(bytes("a")), 0, 1)
                                                >= 0);
                Stores.Task<Void> work =
                        Stores.start(
                                () -> {
                                    Stores.work(invoked);
                                    return null;
                                });
                work.result();
                assertTrue(callback.isDone());
                assertEquals(31, other.durableOffset());
            }
        }
    }

    @Test
    void shouldRefuseToWaitInAHandlerForWhatCannotBeDurableWhileItRuns() throws Exception {
        try (Appender appender = partition.openAppender()) {
            CompletableFuture<Throwable> waited = new CompletableFuture<>();
            appender.onDurable(
                    (p, durable) -> {
                        if (!waited.isDone()) {
                            waited.complete(
                                    assertThrows(
                                            IllegalStateException.class,
                                            () -> appender.append(bytes("b"))));
                        }
                    });
            Stores.start(() -> appender.append(bytes("a"))).result();
            assertTrue(waited.join().getMessage().contains("DurableHandler"));
            appender.append(bytes("c"));
            assertEquals(
                    List.of("a", "b", "c"),
                    Stores.texts(Stores.read(partition.openTailer(), 3)),
                    "what the handler appended is there, once");
        }
    }

    @Test
    void shouldWaitForARecordThatIsYetToCome() {
        try (Appender appender = partition.openExclusiveAppender()) {
            CompletableFuture<Long> third = appender.whenDurable(2);
            appender.append(bytes("a"));
            appender.append(bytes("b"));
            assertFalse(third.isDone());
            appender.append(bytes("c"));
            assertEquals(3, third.join());
        }
    }

    @Test
    void shouldNotSpinForARecordThatIsYetToCome() {
        try (LogStore invoked = Stores.at(directory.resolve("invoked")).invokerMode().open()) {
            Partition quiet = invoked.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = quiet.openExclusiveAppender()) {
                appender.append(bytes("a"));
                CompletableFuture<Long> second = appender.whenDurable(1);
                // A background that always says it worked never idles.
                Stores.work(invoked);
                assertFalse(second.isDone());
                appender.append(bytes("b"));
                assertEquals(2, second.join());
            }
        }
    }

    @Test
    void shouldRefuseToWaitForARecordThatDoesNotExist() {
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("a"));
            InvalidOptionException e =
                    assertThrows(InvalidOptionException.class, () -> appender.awaitDurable(1));
            assertTrue(e.getMessage().contains("no record at offset 1 yet"), e.getMessage());
        }
    }

    @Test
    void shouldFailWhatWaitsWhenTheStoreIsClosed() {
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("a"));
            CompletableFuture<Long> never = appender.whenDurable(1);
            store.close();
            assertInstanceOf(ClosedException.class, failureOf(never));
            assertInstanceOf(ClosedException.class, failureOf(whenDurable(appender, 1)));
        }
    }

    @Test
    void shouldFailWhatWaitsWhenTheTopicIsDeleted() {
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("a"));
            CompletableFuture<Long> never = appender.whenDurable(1);
            store.deleteTopic("t");
            assertInstanceOf(UnknownTopicException.class, failureOf(never));
            assertInstanceOf(UnknownTopicException.class, failureOf(whenDurable(appender, 1)));
        }
    }

    /** As a future, whether it fails at once or later. */
    private static CompletableFuture<Long> whenDurable(Appender appender, long offset) {
        try {
            return appender.whenDurable(offset);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Throwable failureOf(CompletableFuture<Long> future) {
        await("the future", future::isDone);
        return assertThrows(CompletionException.class, future::join).getCause();
    }

    @Test
    void shouldAcknowledgeNothingMoreWhenAForceFailed() throws Exception {
        try (Appender appender = partition.openAppender();
                Tailer tailer = partition.openTailer()) {
            appender.append(bytes("kept"));
            forcing.shut();
            Stores.Task<Long> forces = Stores.start(() -> appender.append(bytes("forces")));
            await("its force", () -> forcing.held() == 1);
            Stores.Task<Boolean> waits =
                    Stores.start(
                            () -> {
                                Thread.currentThread().interrupt();
                                assertThrows(
                                        PoisonedException.class,
                                        () -> appender.append(bytes("waits")));
                                return Thread.currentThread().isInterrupted();
                            });
            await("both records", () -> partition.nextOffset() == 3);
            CompletableFuture<Long> future = appender.whenDurable(1);
            medium.beforeForce(
                    file -> {
                        throw new IOException("broken on purpose");
                    });
            // The force that is held still succeeds; the next one fails.
            forcing.open();
            assertEquals(1, forces.result());
            assertTrue(waits.result(), "the interrupt status outlasts the wait");
            assertEquals(2, future.join());

            assertEquals(2, partition.durableOffset());
            assertTrue(partition.metrics().isPoisoned());
            medium.beforeForce(null);
            PoisonedException e =
                    assertThrows(PoisonedException.class, () -> appender.append(bytes("no")));
            assertTrue(e.getMessage().contains("broken on purpose"), e.getMessage());
            assertThrows(PoisonedException.class, () -> appender.awaitDurable(2));
            assertInstanceOf(PoisonedException.class, failureOf(whenDurable(appender, 2)));
            assertThrows(PoisonedException.class, () -> partition.force());
            assertThrows(PoisonedException.class, () -> partition.openAppender());
            assertEquals(List.of("kept", "forces"), texts(readAll(tailer)), "reads go on");
        }
        store.close();
        store = Stores.at(directory).open();
        Partition again = store.openTopic("t").partition(0);
        assertTrue(again.durableOffset() >= 2);
        try (Appender appender = again.openExclusiveAppender()) {
            appender.append(bytes("works again"));
        }
    }

    @Test
    void shouldSayThatWhatWasToBecomeDurableAtCloseDidNot() {
        Path place = directory.resolve("closed");
        ObservedMedium failing = new ObservedMedium();
        LogStore closed = Stores.at(place, failing).open();
        Partition written =
                closed.createTopic(
                                "w",
                                Stores.small()
                                        .withDurability(Durability.WRITTEN)
                                        .withForce(1 << 30, Duration.ofHours(1)))
                        .partition(0);
        try (Appender appender = written.openExclusiveAppender()) {
            appender.append(bytes("a"));
        }
        failing.beforeForce(
                file -> {
                    throw new IOException("broken on purpose");
                });
        PoisonedException e = assertThrows(PoisonedException.class, closed::close);
        assertTrue(e.getMessage().contains("broken on purpose"), e.getMessage());
        closed.close();
        Stores.at(place).open().close(); // nothing of it is held
    }

    @Test
    void shouldTellAHandlerAscendingOffsetsOneAtATime() throws Exception {
        List<Long> told = new ArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        int threads = 4;
        int each = 200;
        try (Appender listener = partition.openAppender()) {
            listener.onDurable(
                    (index, offset) -> {
                        assertEquals(0, index);
                        assertEquals(1, inside.incrementAndGet(), "calls overlap");
                        told.add(offset);
                        inside.decrementAndGet();
                    });
            List<Stores.Task<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                tasks.add(
                        Stores.start(
                                () -> {
                                    try (Appender appender = partition.openAppender()) {
                                        for (int n = 0; n < each; n++) {
                                            appender.append(new byte[100]);
                                        }
                                    }
                                    return null;
                                }));
            }
            for (Stores.Task<Void> task : tasks) {
                task.result();
            }
        }
        for (int i = 1; i < told.size(); i++) {
            assertTrue(told.get(i) > told.get(i - 1), told::toString);
        }
        assertEquals((long) threads * each, told.get(told.size() - 1));
        assertTrue(partition.metrics().rolls() > 0, "no roll: not what this test is about");
    }

    @Test
    void shouldTellNobodyAfterTheHandlerIsTakenAway() {
        List<Long> told = Collections.synchronizedList(new ArrayList<>());
        Appender appender = partition.openAppender();
        try (Appender other = partition.openAppender()) {
            appender.onDurable((index, offset) -> told.add(-1L));
            appender.onDurable((index, offset) -> told.add(offset));
            other.append(bytes("a"));
            appender.onDurable(null);
            other.append(bytes("b"));
            appender.onDurable((index, offset) -> told.add(offset));
            appender.close();
            other.append(bytes("c"));
        }
        assertEquals(List.of(1L), told);
    }

    @Test
    void shouldNotMindAHandlerThatThrows() {
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.onDurable(
                    (index, offset) -> {
                        throw new IllegalArgumentException("on purpose");
                    });
            assertEquals(0, appender.append(bytes("a")));
            appender.tryAppend(new UnsafeBuffer(bytes("b")), 0, 1);
            appender.awaitDurable(1);
            assertEquals(2, partition.durableOffset());
        }
    }

    @Test
    void shouldForceAWrittenTopicWhenItsBytesOrItsTimeAreUp() {
        ManualClock clock = new ManualClock();
        Path place = directory.resolve("invoked");
        ObservedMedium observed = new ObservedMedium();
        try (LogStore invoked = Stores.at(place, observed).clock(clock).invokerMode().open()) {
            Partition written = invoked.createTopic("w", writtenOptions()).partition(0);
            try (Appender appender = written.openExclusiveAppender()) {
                appender.append(new byte[100]);
                Stores.work(invoked);
                assertEquals(0, written.durableOffset());
                clock.advance(49);
                Stores.work(invoked);
                assertEquals(0, written.durableOffset(), "neither time nor bytes are up");
                clock.advance(1);
                Stores.work(invoked);
                assertEquals(1, written.durableOffset(), "the time is up");
                appender.append(new byte[19_000]);
                Stores.work(invoked);
                assertEquals(1, written.durableOffset());
                appender.append(new byte[2_000]);
                Stores.work(invoked);
                assertEquals(3, written.durableOffset(), "the bytes are up");
            }
        }
        // What an earlier life wrote counts for nothing.
        try (LogStore invoked = Stores.at(place, observed).clock(clock).invokerMode().open()) {
            Partition written = invoked.openTopic("w").partition(0);
            try (Appender appender = written.openExclusiveAppender()) {
                appender.append(new byte[100]);
                Stores.work(invoked);
                assertEquals(3, written.durableOffset());
            }
        }
    }

    private static io.firn.TopicOptions writtenOptions() {
        return Stores.small()
                .withDurability(Durability.WRITTEN)
                .withForce(20_000, Duration.ofMillis(50));
    }

    private static boolean hasSealed(Path tier) throws IOException {
        return new FileInspector()
                .inspect(FileMedium.real(), tier).segments().stream()
                        .anyMatch(each -> each.mark().state() == SegmentState.SEALED);
    }

    @Test
    void shouldForceAndSealARolledSegmentBeforeTheNextCounts() throws Exception {
        try (Appender appender = partition.openExclusiveAppender()) {
            Stores.fill(appender, 10, 6_000);
            forcing.shut();
            // The second begins a new segment.
            appender.tryAppend(new UnsafeBuffer(bytes("last of the old")), 0, 15);
            long firstOfNew = 11;
            await(
                    "the next segment",
                    () ->
                            appender.tryAppend(new UnsafeBuffer(new byte[30_000]), 0, 30_000)
                                    == firstOfNew);
            assertEquals(2, partition.metrics().segments());
            Stores.Task<Void> waiter =
                    Stores.start(
                            () -> {
                                appender.awaitDurable(firstOfNew);
                                return null;
                            });
            await("a force", () -> forcing.held() > 0);
            assertEquals(10, partition.durableOffset());
            forcing.open();
            waiter.result();
            assertEquals(12, partition.durableOffset());
            assertTrue(
                    hasSealed(Stores.tierOf(directory)),
                    "acknowledged in the new segment before the old one was sealed");
        }
    }
}
