package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.readAll;
import static io.firn.api.Stores.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.VisibleListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Users' code that is called in the middle of an append or a force must not decide its outcome. */
class CallbackTest {
    @TempDir private Path directory;
    private LogStore store;

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Partition created(Durability durability) {
        return store.createTopic("t", Stores.small().withDurability(durability)).partition(0);
    }

    private enum Failure {
        EXCEPTION(new IllegalArgumentException("on purpose")),
        ASSERTION(new AssertionError("on purpose")),
        LINKAGE(new NoClassDefFoundError("on purpose")),
        STACK(new StackOverflowError("on purpose"));

        final Throwable thrown;

        Failure(Throwable thrown) {
            this.thrown = thrown;
        }

        void fail() {
            if (thrown instanceof Error e) {
                throw e;
            }
            throw (RuntimeException) thrown;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAppendOnceWhenAVisibleListenerThrows(Failure failure) {
        for (Durability durability : Durability.values()) {
            Partition partition = created(durability);
            AtomicInteger told = new AtomicInteger();
            HostedPartition.of(partition).addVisibleListener(failure::fail);
            HostedPartition.of(partition).addVisibleListener(told::incrementAndGet);
            try (Appender appender = partition.openAppender()) {
                assertEquals(0, appender.append(bytes("a")));
                assertEquals(1, appender.append(appender.newBatch().add(bytes("b"))));
                Stores.await("the other listener", () -> told.get() >= 2);
            }
            try (Appender appender = partition.openExclusiveAppender()) {
                assertEquals(2, appender.append(bytes("c")));
            }
            assertEquals(List.of("a", "b", "c"), texts(readAll(partition.openTailer())));
            assertFalse(partition.metrics().isPoisoned());
            store.deleteTopic("t");
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAppendOnceWhenADurableHandlerThrows(Failure failure) {
        Partition partition = created(Durability.DURABLE);
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.onDurable((index, offset) -> failure.fail());
            assertEquals(0, appender.append(bytes("a")));
            assertEquals(1, appender.append(bytes("b")));
        }
        assertEquals(List.of("a", "b"), texts(readAll(partition.openTailer())));
        assertFalse(partition.metrics().isPoisoned());
    }

    @Test
    void shouldRefuseAnAppendOfAVisibleListenerInTheMiddleOfAnother() throws Exception {
        for (boolean exclusive : new boolean[] {true, false}) {
            Partition partition = created(Durability.WRITTEN);
            CompletableFuture<RuntimeException> refused = new CompletableFuture<>();
            Stores.Task<Long> append =
                    Stores.start(
                            () -> {
                                Appender appender =
                                        exclusive
                                                ? partition.openExclusiveAppender()
                                                : partition.openAppender();
                                HostedPartition.of(partition)
                                        .addVisibleListener(
                                                () ->
                                                        refused.complete(
                                                                assertThrows(
                                                                        RuntimeException.class,
                                                                        () ->
                                                                                appender.append(
                                                                                        bytes(
                                                                                                "b")))));
                                return appender.append(bytes("a"));
                            });
            assertEquals(0, append.result());
            assertTrue(refused.join().getMessage().contains("VisibleListener"));
            assertEquals(List.of("a"), texts(readAll(partition.openTailer())));
            store.deleteTopic("t");
        }
    }

    @Test
    void shouldRefuseAListenerThatIsNull() {
        Partition partition = created(Durability.WRITTEN);
        assertThrows(
                NullPointerException.class,
                () -> HostedPartition.of(partition).addVisibleListener(null));
        try (Appender appender = partition.openExclusiveAppender()) {
            assertEquals(0, appender.append(bytes("a")));
        }
    }

    /** A clock that can be told to fail. */
    private static final class FailingClock implements EpochClock {
        volatile boolean fails;

        @Override
        public long time() {
            if (fails) {
                throw new IllegalStateException("the clock fails on purpose");
            }
            return 1_700_000_000_000L;
        }
    }

    @Test
    void shouldStoreNothingWhenTheClockFailsInAnAppend() {
        FailingClock clock = new FailingClock();
        Path place = directory.resolve("clocked");
        try (LogStore clocked = Stores.at(place).clock(clock).invokerMode().open()) {
            Partition partition = clocked.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(bytes("a"));
                Batch batch = appender.newBatch().add(bytes("b"));
                batch.producer(HostedStore.of(clocked).newProducerId(), 0, 0);
                clock.fails = true;
                assertThrows(IllegalStateException.class, () -> appender.tryAppend(batch));
                assertThrows(
                        IllegalStateException.class,
                        () -> appender.tryAppend(new UnsafeBuffer(bytes("c")), 0, 1));
                assertEquals(1, partition.nextOffset());
                clock.fails = false;
                assertEquals(1, appender.append(batch));
                assertEquals(1, appender.append(batch), "the second one is a repetition");
            }
        }
    }

    @Test
    void shouldFailAFutureWhoseRecordWasNotAppendedBeforeItsAppenderWasClosed() {
        Partition partition = created(Durability.DURABLE);
        Appender other = partition.openAppender();
        Appender appender = partition.openAppender();
        CompletableFuture<Long> there = appender.whenDurable(0);
        CompletableFuture<Long> yetToCome = appender.whenDurable(1);
        CompletableFuture<Long> ofAnother = other.whenDurable(1);
        Stores.await("a block", () -> appender.tryAppend(new UnsafeBuffer(bytes("a")), 0, 1) >= 0);
        appender.close();
        assertInstanceOf(
                io.firn.ClosedException.class,
                assertThrows(java.util.concurrent.CompletionException.class, yetToCome::join)
                        .getCause());
        assertTrue(there.join() >= 1);
        assertFalse(ofAnother.isDone());
        other.append(bytes("b"));
        assertEquals(2, ofAnother.join());
        other.close();
    }

    @Test
    void shouldLeaveAnAppenderOpenWhenAListenerInItsAppendClosesIt() {
        Partition partition = created(Durability.WRITTEN);
        List<Appender> appenders = new ArrayList<>();
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        HostedPartition.of(partition)
                .addVisibleListener(
                        () ->
                                refused.complete(
                                        assertThrows(
                                                IllegalStateException.class,
                                                () -> appenders.get(0).close())));
        appenders.add(partition.openExclusiveAppender());
        assertEquals(0, appenders.get(0).append(bytes("a")));
        assertTrue(refused.join().getMessage().contains("VisibleListener"));
        assertEquals(1, appenders.get(0).append(bytes("b")), "it is still open");
        CompletableFuture<Long> yetToCome = appenders.get(0).whenDurable(9);
        appenders.get(0).close();
        assertThrows(java.util.concurrent.CompletionException.class, yetToCome::join);
        partition.openExclusiveAppender().close();
    }

    @Test
    void shouldLetAListenerRemoveItselfWhileTheAppenderIsClosed() throws Exception {
        Partition partition = created(Durability.WRITTEN);
        Appender appender = partition.openAppender();
        List<VisibleListener> once = new ArrayList<>();
        List<Stores.Task<?>> closing = new CopyOnWriteArrayList<>();
        once.add(
                () -> {
                    closing.add(
                            Stores.start(
                                    () -> {
                                        appender.close();
                                        return null;
                                    }));
                    LockSupport.parkNanos(50_000_000); // so that it waits for the append's end
                    HostedPartition.of(partition).removeVisibleListener(once.get(0));
                });
        HostedPartition.of(partition).addVisibleListener(once.get(0));
        assertEquals(0, Stores.start(() -> appender.append(bytes("a"))).result());
        closing.get(0).result();
        try (Appender next = partition.openAppender()) {
            next.append(bytes("b"));
        }
        assertEquals(1, closing.size());
    }

    @Test
    void shouldRefuseAWaitOfAListenerOrHandlerForTheForceThatTellsIt() throws Exception {
        for (boolean listens : new boolean[] {true, false}) {
            Partition partition = created(Durability.DURABLE);
            CompletableFuture<Throwable> refused = new CompletableFuture<>();
            Appender appender = partition.openAppender();
            Runnable waits =
                    () ->
                            refused.complete(
                                    assertThrows(
                                            IllegalStateException.class,
                                            () -> appender.append(bytes("b"))));
            if (listens) {
                HostedPartition.of(partition).addVisibleListener(waits::run);
            } else {
                appender.onDurable((index, offset) -> waits.run());
            }
            assertEquals(0, Stores.start(() -> appender.append(bytes("a"))).result());
            assertTrue(refused.join().getMessage().contains("Handler"));
            appender.close();
            store.deleteTopic("t");
        }
    }

    @Test
    void shouldNotBeClosedByAListenerOnTheThreadThatAppends() throws Exception {
        Partition partition = created(Durability.DURABLE);
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        HostedPartition.of(partition)
                .addVisibleListener(
                        () ->
                                refused.complete(
                                        assertThrows(IllegalStateException.class, store::close)));
        try (Appender appender = partition.openExclusiveAppender()) {
            assertEquals(0, Stores.start(() -> appender.append(bytes("a"))).result());
            assertTrue(refused.join().getMessage().contains("close"));
            assertEquals(1, appender.append(bytes("b")), "it is still open");
        }
    }

    /**
     * The background waits for a force of the one partition, and the handler for the background.
     */
    @Test
    void shouldLetAHandlerAppendToAnotherPartitionWhoseBlockIsYetToCome() throws Exception {
        Topic topic = store.createTopic("two", Stores.small().withPartitions(2));
        Appender here = topic.partition(0).openAppender();
        Appender there = topic.partition(1).openAppender();
        CompletableFuture<Long> forwarded = new CompletableFuture<>();
        here.onDurable(
                (index, offset) -> {
                    if (offset == 1) {
                        here.tryAppend(new UnsafeBuffer(bytes("b")), 0, 1);
                        topic.cursor("c").commit(0, 2);
                        LockSupport.parkNanos(300_000_000); // the cursor is written down by then
                        forwarded.complete(there.append(bytes("c")));
                    }
                });
        assertEquals(0, Stores.start(() -> here.append(bytes("a"))).result());
        assertEquals(0, forwarded.join());
        Stores.await("a force", () -> topic.partition(0).durableOffset() == 2);
        here.close();
        there.close();
    }

    /** Meanwhile the background wants to end the segment that is appended to. */
    @Test
    void shouldLetAListenerAppendToAnotherPartitionWhoseBlockIsYetToCome() throws Exception {
        Topic topic =
                store.createTopic(
                        "two",
                        Stores.small()
                                .withPartitions(2)
                                .withDurability(Durability.WRITTEN)
                                .withRollAge(Duration.ofSeconds(1)));
        Appender here = topic.partition(0).openExclusiveAppender();
        Appender there = topic.partition(1).openExclusiveAppender();
        CompletableFuture<Long> forwarded = new CompletableFuture<>();
        assertEquals(0, here.append(bytes("a")));
        HostedPartition.of(topic.partition(0))
                .addVisibleListener(
                        () -> {
                            if (topic.partition(0).nextOffset() == 2) {
                                LockSupport.parkNanos(1_500_000_000); // it is old enough by then
                                forwarded.complete(there.append(bytes("c")));
                            }
                        });
        assertEquals(1, Stores.start(() -> here.append(bytes("b"))).result());
        assertEquals(0, forwarded.join());
        Stores.await("another segment", () -> here.append(bytes("d")) > 1 && rolls(topic) > 0);
        here.close();
        there.close();
    }

    private static long rolls(Topic topic) {
        return topic.partition(0).metrics().rolls();
    }

    @Test
    void shouldLetAHandlerAppendToAnotherPartitionInInvokerMode() throws Exception {
        Path place = directory.resolve("invoked");
        try (LogStore invoked = Stores.at(place).invokerMode().open()) {
            Topic topic = invoked.createTopic("two", Stores.small().withPartitions(2));
            Appender here = topic.partition(0).openAppender();
            Appender there = topic.partition(1).openAppender();
            CompletableFuture<Long> forwarded = new CompletableFuture<>();
            here.onDurable(
                    (index, offset) -> {
                        if (offset == 1) {
                            here.tryAppend(new UnsafeBuffer(bytes("b")), 0, 1);
                            forwarded.complete(there.append(bytes("c")));
                        }
                    });
            assertEquals(0, Stores.start(() -> here.append(bytes("a"))).result());
            assertEquals(0, forwarded.join());
            Stores.work(invoked);
            assertEquals(2, topic.partition(0).durableOffset());
            here.close();
            there.close();
        }
    }

    @Test
    void shouldLetTheCallbackOfAFailedFutureCloseTheStore() throws Exception {
        ObservedMedium medium = new ObservedMedium();
        LogStore failing = Stores.at(directory.resolve("failing"), medium).open();
        Partition partition = failing.createTopic("t", Stores.small()).partition(0);
        Appender appender = partition.openAppender();
        appender.append(bytes("a"));
        CompletableFuture<Throwable> closed = new CompletableFuture<>();
        Thread[] appends = new Thread[1];
        CompletableFuture<Long> told =
                appender.whenDurable(1)
                        .whenComplete(
                                (offset, failure) -> {
                                    if (Thread.currentThread() == appends[0]) {
                                        failing.close();
                                    }
                                    closed.complete(failure);
                                });
        medium.beforeForce(
                file -> {
                    throw new java.io.IOException("on purpose");
                });
        Stores.Task<?> append =
                Stores.start(
                        () -> {
                            appends[0] = Thread.currentThread();
                            return assertThrows(
                                    io.firn.FirnException.class, // it was closed meanwhile
                                    () -> appender.append(bytes("b")));
                        });
        append.result();
        assertInstanceOf(io.firn.PoisonedException.class, closed.join());
        assertTrue(told.isCompletedExceptionally());
        failing.close();
    }
}
