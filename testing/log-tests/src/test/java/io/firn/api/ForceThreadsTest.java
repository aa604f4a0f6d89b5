package io.firn.api;

import static io.firn.api.Stores.await;
import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.file.FileTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Forces of several partitions at once, for appends that nobody waits for in their thread. */
class ForceThreadsTest {
    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private final Gate gate = new Gate();

    private static List<Appender> appenders(Topic topic) {
        List<Appender> appenders = new ArrayList<>();
        for (int i = 0; i < topic.partitionCount(); i++) {
            appenders.add(topic.partition(i).openAppender());
        }
        return appenders;
    }

    private static CompletableFuture<Long> append(Appender appender, byte[] value) {
        long offset;
        while ((offset = appender.tryAppend(new UnsafeBuffer(value), 0, value.length)) < 0) {
            LockSupport.parkNanos(50_000);
        }
        return appender.whenDurable(offset);
    }

    private static long forcingThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("firn-force"))
                .count();
    }

    private static boolean isIn(Path file, Partition partition) {
        return file.getParent().getFileName().toString().equals("" + partition.index());
    }

    /** Not of the threads that prepare blocks, which force too. */
    private static ObservedMedium.Hook ofForcers(ObservedMedium.Hook hook) {
        return file -> {
            if (!Thread.currentThread().getName().startsWith("firn-tidy")) {
                hook.run(file);
            }
        };
    }

    @Test
    void shouldForceAsManyPartitionsAtOnceAsThereAreThreads() {
        try (LogStore store = Stores.at(directory, medium).forceThreads(4).open()) {
            List<Appender> appenders =
                    appenders(store.createTopic("t", Stores.small().withPartitions(10)));
            appenders.forEach(each -> append(each, bytes("a")).join()); // has its block
            medium.beforeForce(ofForcers(gate));
            gate.shut();
            List<CompletableFuture<Long>> futures = new ArrayList<>();
            appenders.forEach(each -> futures.add(append(each, bytes("b"))));
            await("four forces at once", () -> gate.held() == 4);
            assertTrue(futures.stream().noneMatch(CompletableFuture::isDone));
            gate.open();
            futures.forEach(CompletableFuture::join);
            assertEquals(4, forcingThreads());
            appenders.forEach(Appender::close);
        }
        assertEquals(0, forcingThreads());
    }

    @Test
    void shouldReserveTheFirstBlocksOfSeveralPartitionsAtOnce() {
        medium.beforeCreate(
                file -> {
                    if (file.toString().endsWith(".active.tmp")) {
                        gate.run(file);
                    }
                });
        try (LogStore store = Stores.at(directory, medium).forceThreads(4).open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(10));
            gate.shut();
            List<Appender> appenders = appenders(topic);
            appenders.forEach(
                    each -> each.tryAppend(new UnsafeBuffer(bytes("a")), 0, 1)); // wants its block
            // Of the five that tidy up, two are for other duties.
            await("three files at once", () -> gate.held() == 3);
            gate.open();
            appenders.forEach(each -> append(each, bytes("a")).join());
            appenders.forEach(Appender::close);
        }
    }

    @Test
    void shouldForceOtherPartitionsWhileAForceHangs() {
        try (LogStore store = Stores.at(directory, medium).open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(3));
            List<Appender> appenders = appenders(topic);
            appenders.forEach(each -> append(each, bytes("a")).join());
            medium.beforeForce(
                    ofForcers(
                            file -> {
                                if (isIn(file, topic.partition(0))) {
                                    gate.run(file);
                                }
                            }));
            gate.shut();
            CompletableFuture<Long> hangs = append(appenders.get(0), bytes("b"));
            await("a force that hangs", () -> gate.held() == 1);
            for (int i = 0; i < 200; i++) {
                append(appenders.get(1 + i % 2), bytes("b")).join();
                var unused = append(appenders.get(0), bytes("b")); // occupies no other thread
            }
            assertFalse(hangs.isDone());
            assertEquals(1, gate.held());
            gate.open();
            hangs.join();
            await("all", () -> topic.partition(0).durableOffset() == 202);
            appenders.forEach(Appender::close);
        }
    }

    @Test
    void shouldForceOnOneTierWhileAllForcesOnAnotherHang() {
        Path slow = directory.resolve("slow");
        try (LogStore store =
                Stores.at(directory, medium)
                        .tier("slow", FileTier.at(slow).withMedium(medium))
                        .forceThreads(3)
                        .open()) {
            Topic fast = store.createTopic("fast", Stores.small());
            Topic other =
                    store.createTopic("other", Stores.small().withPartitions(10).withTiers("slow"));
            List<Appender> onSlow = appenders(other);
            onSlow.forEach(each -> append(each, bytes("a")).join());
            medium.beforeForce(
                    ofForcers(
                            file -> {
                                if (file.startsWith(slow)) {
                                    gate.run(file);
                                }
                            }));
            gate.shut();
            List<CompletableFuture<Long>> hang = new ArrayList<>();
            onSlow.forEach(each -> hang.add(append(each, bytes("b"))));
            await("forces that hang", () -> gate.held() == 2);
            try (Appender appender = fast.partition(0).openAppender()) {
                for (int i = 0; i < 100; i++) {
                    append(appender, bytes("a")).join();
                }
            }
            assertEquals(2, gate.held());
            gate.open();
            hang.forEach(CompletableFuture::join);
            onSlow.forEach(Appender::close);
        }
    }

    @Test
    void shouldForceEachRecordOfManyPartitionsAndNeverOneTwiceAtOnce() throws Exception {
        Map<Path, AtomicInteger> inForce = new ConcurrentHashMap<>();
        AtomicBoolean twice = new AtomicBoolean();
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Random random = new Random(7);
        ObservedMedium.Hook observe =
                file -> {
                    AtomicInteger forces =
                            inForce.computeIfAbsent(file.getParent(), f -> new AtomicInteger());
                    twice.compareAndSet(false, forces.incrementAndGet() > 1);
                    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    if (random.nextInt(8) == 0) {
                        LockSupport.parkNanos(random.nextInt(2_000_000));
                    }
                    atOnce.decrementAndGet();
                    forces.decrementAndGet();
                };
        medium.beforeForce(ofForcers(observe));
        try (LogStore store = Stores.at(directory, medium).open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(30));
            List<Appender> appenders = appenders(topic);
            AtomicBoolean outOfOrder = new AtomicBoolean();
            for (Appender appender : appenders) {
                AtomicLong told = new AtomicLong();
                AtomicBoolean telling = new AtomicBoolean();
                appender.onDurable(
                        (partition, durable) -> {
                            outOfOrder.compareAndSet(
                                    false,
                                    !telling.compareAndSet(false, true)
                                            || told.getAndSet(durable) >= durable);
                            telling.set(false);
                        });
            }
            byte[] value = new byte[3_000];
            List<Thread> threads = new ArrayList<>();
            Set<CompletableFuture<Long>> futures = ConcurrentHashMap.newKeySet();
            for (int t = 0; t < 3; t++) {
                Random choice = new Random(t);
                Thread thread =
                        new Thread(
                                () -> {
                                    for (int i = 0; i < 2_000; i++) {
                                        futures.add(
                                                append(appenders.get(choice.nextInt(30)), value));
                                    }
                                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            for (CompletableFuture<Long> each : futures) {
                each.join();
            }
            long records = 0;
            for (int i = 0; i < 30; i++) {
                Partition partition = topic.partition(i);
                assertEquals(partition.nextOffset(), partition.durableOffset());
                records += partition.durableOffset();
            }
            assertEquals(6_000, records);
            assertFalse(twice.get(), "a partition was forced by two threads at once");
            assertFalse(outOfOrder.get(), "a handler was told twice at once, or backwards");
            assertTrue(most.get() > 1, "no two partitions were forced at once");
            appenders.forEach(Appender::close);
        }
    }

    @Test
    void shouldEndAllThreadsWithTheForcesThatAreUnderWay() throws Exception {
        LogStore store = Stores.at(directory, medium).forceThreads(3).open();
        List<Appender> appenders =
                appenders(store.createTopic("t", Stores.small().withPartitions(20)));
        appenders.forEach(each -> append(each, bytes("a")).join());
        medium.beforeForce(ofForcers(gate));
        gate.shut();
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        appenders.forEach(each -> futures.add(append(each, bytes("b"))));
        await("forces", () -> gate.held() == 3);
        var closing =
                Stores.start(
                        () -> {
                            store.close();
                            return null;
                        });
        gate.open();
        closing.result();
        assertEquals(0, forcingThreads());
        futures.forEach(CompletableFuture::join); // close forces what is written
        appenders.forEach(Appender::close);
    }

    @Test
    void shouldRefuseANumberOfThreadsOutOfRange() {
        for (int wrong : new int[] {-1, 0, 65}) {
            assertThrows(
                    InvalidOptionException.class, () -> Stores.at(directory).forceThreads(wrong));
        }
    }
}
