package io.firn.api;

import static io.firn.api.Stores.await;
import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.Durability;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.sim.FirstRunOnly;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store in which nothing happens costs nothing, and one in which something happens notices. */
@FirstRunOnly
class IdleTest {
    private static final int PARTITIONS = 100;
    private static final int FORCING_THREADS = 32;
    private static final long WINDOW_NS = 250_000_000;

    /** Without a rest it would be a hundred or more. */
    private static final long FEW_WAKE_UPS = 10;

    private static final long FOLLOWED_NS = 1_000_000_000;

    /** One each 100 ms, and some more. */
    private static final long FEW_LOOKS = 15;

    @TempDir private Path directory;

    /** How often the store's threads, and those of its readers, began to wait so far. */
    private static long rests() {
        return restsOf("firn-");
    }

    private static long restsOf(String prefix) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long rests = 0;
        for (ThreadInfo each : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (each != null && each.getThreadName().startsWith(prefix)) {
                rests += each.getWaitedCount();
            }
        }
        return rests;
    }

    private static void awaitRest() {
        await(
                "a quarter of a second in which the store's threads sleep",
                () -> {
                    long before = rests();
                    LockSupport.parkNanos(WINDOW_NS);
                    return rests() - before < FEW_WAKE_UPS;
                });
    }

    /** Readers see what is appended without a look, so only other changes need one. */
    @Test
    void shouldLookSeldomAtAStoreToWhichAnotherOneOnlyAppends() {
        try (LogStore store = Stores.at(directory).open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender();
                    LogReader reader = Stores.at(directory).openReadOnly()) {
                PartitionReader seen = reader.openTopic("t").partition(0);
                await(
                        "a second with few looks",
                        () -> {
                            long before = restsOf("firn-follow");
                            long end = System.nanoTime() + FOLLOWED_NS;
                            while (System.nanoTime() - end < 0) {
                                assertEquals(appender.append(bytes("a")) + 1, seen.visibleOffset());
                                LockSupport.parkNanos(10_000_000);
                            }
                            return restsOf("firn-follow") - before < FEW_LOOKS;
                        });
            }
        }
    }

    private static void appendToEach(Topic topic) {
        for (int i = 0; i < topic.partitionCount(); i++) {
            try (Appender appender = topic.partition(i).openExclusiveAppender()) {
                appender.append(bytes("a"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldSleepWhenNothingIsAppendedHoweverManyPartitionsThereAre(Durability durability) {
        TopicOptions options =
                Stores.small()
                        .withPartitions(PARTITIONS)
                        .withDurability(durability)
                        .withRollAge(Duration.ofDays(7))
                        .withRetentionAge(Duration.ofDays(7))
                        .withRetentionBytes(1 << 30);
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", options);
            awaitRest();
            appendToEach(topic);
            topic.cursor("c").commit(0, 1);
            awaitRest();
            assertEquals(0, store.metrics().backgroundErrors());
        }
        try (LogStore store = Stores.at(directory).open()) {
            awaitRest();
            appendToEach(store.openTopic("t"));
            awaitRest();
        }
    }

    /** With all threads that force. */
    @Test
    void shouldSleepAfterManyPartitionsWereForcedAtOnce() {
        ObservedMedium medium = new ObservedMedium();
        Gate gate = new Gate();
        medium.beforeForce(gate);
        try (LogStore store = Stores.at(directory, medium).open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(PARTITIONS));
            appendToEach(topic);
            gate.shut();
            List<Appender> appenders = new ArrayList<>();
            for (int i = 0; i < PARTITIONS; i++) {
                appenders.add(topic.partition(i).openExclusiveAppender());
                assertTrue(appenders.get(i).tryAppend(new UnsafeBuffer(bytes("b")), 0, 1) > 0);
            }
            await("forces by all threads", () -> gate.held() == FORCING_THREADS);
            gate.open();
            for (int i = 0; i < PARTITIONS; i++) {
                Partition partition = topic.partition(i);
                await("a force", () -> partition.durableOffset() == 2);
            }
            awaitRest();
            appenders.forEach(Appender::close);
        }
    }

    /** Nothing is missed by them: what is appended after the rest ends their waits. */
    @Test
    void shouldSleepWhileTailersWait() throws Exception {
        int tailers = 20;
        List<Thread> threads = new ArrayList<>();
        AtomicLong seen = new AtomicLong();
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(tailers));
            for (int i = 0; i <= tailers; i++) {
                boolean isOfAll = i == tailers;
                Tailer tailer = isOfAll ? topic.openTailer() : topic.partition(i).openTailer();
                int wanted = isOfAll ? 2 * tailers : 2;
                Thread thread =
                        new Thread(
                                () -> {
                                    for (int left = wanted; left > 0; ) {
                                        left -= poll(tailer, left);
                                    }
                                    seen.incrementAndGet();
                                },
                                "firn-reader-" + i);
                threads.add(thread);
                thread.start();
            }
            for (int round = 0; round < 2; round++) {
                awaitRest();
                assertEquals(0, seen.get());
                appendToEach(topic);
            }
            for (Thread each : threads) {
                each.join();
            }
        }
        assertEquals(tailers + 1, seen.get());
    }

    private static int poll(Tailer tailer, int most) {
        return tailer.poll(record -> Action.CONTINUE, most, Duration.ofDays(1));
    }

    @Test
    void shouldEndTheWaitOfATailerThatIsClosed() throws Exception {
        try (LogStore store = Stores.at(directory).open()) {
            Tailer tailer = store.createTopic("t", Stores.small()).partition(0).openTailer();
            AtomicBoolean isRefused = new AtomicBoolean();
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    poll(tailer, 1);
                                } catch (ClosedException e) {
                                    isRefused.set(true);
                                }
                            },
                            "firn-reader");
            thread.start();
            await("it to wait", () -> thread.getState() == Thread.State.TIMED_WAITING);
            awaitRest();
            tailer.close();
            thread.join();
            assertTrue(isRefused.get());
        }
    }

    /** What is forced by time or by bytes is, whenever it comes after a rest. */
    @Test
    void shouldForceWhatIsAppendedAfterARest() {
        TopicOptions options =
                Stores.small()
                        .withPartitions(3)
                        .withDurability(Durability.WRITTEN)
                        .withForce(1 << 20, Duration.ofMillis(10));
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", options);
            List<Appender> appenders = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                appenders.add(topic.partition(i).openExclusiveAppender());
            }
            for (int round = 1; round <= 200; round++) {
                Partition partition = topic.partition(round % 3);
                long offset = appenders.get(round % 3).append(bytes("a"));
                await("force " + round, () -> partition.durableOffset() > offset);
                if (round % 50 == 0) {
                    awaitRest();
                }
            }
            appenders.forEach(Appender::close);
        }
    }

    /** Appends that wait for nothing, each of them at another moment of the background's. */
    @Test
    void shouldForceEachRecordThatNobodyWaitsFor() {
        try (LogStore store = Stores.at(directory).open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < 20_000; i++) {
                    while (appender.tryAppend(new UnsafeBuffer(bytes("a")), 0, 1) < 0) {
                        Thread.onSpinWait();
                    }
                    if (i % 100 == 0) {
                        await("a force", () -> partition.durableOffset() == partition.nextOffset());
                        LockSupport.parkNanos(i % 7 * 10_000L);
                    }
                }
                await("the last force", () -> partition.durableOffset() == 20_000);
            }
            awaitRest();
        }
    }

    @Test
    void shouldLetGoOfViewsThatNobodyReads() {
        ObservedMedium medium = new ObservedMedium();
        ManualClock clock = new ManualClock();
        LogStoreBuilder builder = Stores.at(directory, medium).clock(clock).invokerMode();
        try (LogStore store = builder.open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < 20; i++) {
                    appender.append(new byte[20_000]);
                }
            }
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 4; i++) {
                    clock.advance(10_000);
                    Stores.work(store);
                }
                // The active segment, and the block that is set aside.
                assertTrue(medium.mappings() <= 2, medium.mappings() + " mappings");
                Tailer tailer = partition.openTailer();
                assertEquals(20, tailer.poll(record -> Action.CONTINUE, 1_000) + rest(tailer));
                Stores.work(store);
            }
        }
        assertEquals(0, medium.mappings());
    }

    private static int rest(Tailer tailer) {
        int count = 0;
        int polled;
        while ((polled = tailer.poll(record -> Action.CONTINUE, 1_000)) > 0) {
            count += polled;
        }
        return count;
    }

    @Test
    void shouldWriteNothingAtCloseThatIsWrittenAlready() {
        ObservedMedium medium = new ObservedMedium();
        try (LogStore store = Stores.at(directory, medium).open()) {
            appendToEach(store.createTopic("t", Stores.small().withPartitions(5)));
        }
        List<Path> created = Collections.synchronizedList(new ArrayList<>());
        try (LogStore store = Stores.at(directory, medium).open()) {
            store.openTopic("t").partition(0).nextOffset();
            medium.beforeCreate(created::add);
        }
        created.removeIf(file -> file.endsWith(".clean.tmp")); // says that all is written
        assertEquals(List.of(), created);
    }

    /** An append that the background learns of by the force that is under way, and one after it. */
    @Test
    void shouldForceWhatFollowsAnAppendBesideAForce() {
        TopicOptions options =
                Stores.small()
                        .withDurability(Durability.WRITTEN)
                        .withForce(1 << 20, Duration.ofMillis(300));
        ObservedMedium medium = new ObservedMedium();
        Gate gate = new Gate();
        medium.beforeForce(
                file -> {
                    if (Thread.currentThread().getName().equals("test")) {
                        gate.run(file);
                    }
                });
        try (LogStore store = Stores.at(directory, medium).open()) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(bytes("a"));
                gate.shut();
                await(
                        "a force of another thread",
                        () -> {
                            appender.append(bytes("b"));
                            Stores.start(
                                    () -> {
                                        partition.force();
                                        return null;
                                    });
                            LockSupport.parkNanos(20_000_000);
                            return gate.held() > 0;
                        });
                await("the force by time", () -> isIn("firn-force", "background.Gate", "pause"));
                long last = appender.append(bytes("c"));
                gate.open();
                await("the force", () -> partition.durableOffset() > last);
                LockSupport.parkNanos(20_000_000); // the background has looked at it by then
                long after = appender.append(bytes("d"));
                await("another force by time", () -> partition.durableOffset() > after);
            }
        }
    }

    private static boolean isIn(String thread, String type, String method) {
        for (var each : Thread.getAllStackTraces().entrySet()) {
            if (each.getKey().getName().startsWith(thread)) {
                for (StackTraceElement frame : each.getValue()) {
                    if (frame.getClassName().endsWith(type)
                            && frame.getMethodName().equals(method)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    @Test
    void shouldRestWhileAClockFails() {
        AtomicLong looks = new AtomicLong();
        AtomicBoolean fails = new AtomicBoolean();
        EpochClock clock =
                () -> {
                    looks.incrementAndGet();
                    if (fails.get()) {
                        throw new IllegalStateException("the clock fails on purpose");
                    }
                    return System.currentTimeMillis();
                };
        TopicOptions options = Stores.small().withDurability(Durability.WRITTEN);
        try (LogStore store = Stores.at(directory).clock(clock).open()) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(bytes("a"));
                fails.set(true);
                LockSupport.parkNanos(100_000_000);
                long before = looks.get();
                LockSupport.parkNanos(1_000_000_000);
                long made = looks.get() - before;
                assertTrue(made < 100, "looked at the clock " + made + " times");
                assertTrue(store.metrics().backgroundErrors() > 0);
                fails.set(false);
                long last = appender.append(bytes("b"));
                await("a force", () -> partition.durableOffset() > last);
            }
        }
    }
}
