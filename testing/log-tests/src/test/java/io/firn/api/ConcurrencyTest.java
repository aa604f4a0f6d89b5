package io.firn.api;

import static io.firn.api.Stores.readAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.BusyException;
import io.firn.Claim;
import io.firn.ClosedException;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicAppender;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads at once. */
class ConcurrencyTest {
    private static final int THREADS = 8;
    private static final long START_MS = 1_700_000_000_000L;
    private static final int ROLLS = 100;
    private static final int MOST = 2_000_000;

    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();

    private static byte[] value(int thread, int number, int length) {
        return ByteBuffer.allocate(length).putInt(thread).putInt(number).array();
    }

    private static int threadOf(StoredRecord record) {
        return ByteBuffer.wrap(record.value()).getInt();
    }

    private static int numberOf(StoredRecord record) {
        return ByteBuffer.wrap(record.value()).getInt(4);
    }

    /** The background borrows the appender's turn again and again, at any moment of an append. */
    @Test
    void shouldKeepEveryRecordWhenSegmentsEndByAgeUnderAnExclusiveAppender() {
        int count = 0;
        // A clock on which a second passes in a millisecond.
        LogStoreBuilder builder =
                Stores.at(directory, medium).clock(() -> START_MS + System.nanoTime() / 1_000);
        try (LogStore store = builder.open()) {
            Partition partition =
                    store.createTopic(
                                    "t",
                                    Stores.small()
                                            .withDurability(Durability.WRITTEN)
                                            .withRollAge(Duration.ofSeconds(1)))
                            .partition(0);
            try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < MOST && partition.metrics().rolls() < ROLLS; i++) {
                    count++;
                    if (i % 3 == 0) {
                        Claim claim;
                        while ((claim = appender.tryClaim(8)) == null) {
                            Thread.onSpinWait();
                        }
                        claim.buffer().putInt(0).putInt(i);
                        assertEquals(i, claim.commitWithoutWaiting());
                    } else {
                        assertEquals(i, appender.append(value(0, i, 8)));
                    }
                    if (i % 10 == 0) {
                        LockSupport.parkNanos(i % 700 * 1_000L);
                    }
                }
            }
            assertTrue(
                    partition.metrics().rolls() >= ROLLS, "rolls " + partition.metrics().rolls());
            List<StoredRecord> records = readAll(partition.openTailer());
            assertEquals(count, records.size());
            for (int i = 0; i < count; i++) {
                assertEquals(i, numberOf(records.get(i)));
            }
            assertEquals(List.of(), partition.damage());
        }
    }

    @Test
    void shouldShareForcesAmongThreads() throws Exception {
        int each = 60;
        // As long as a disk takes; the others append meanwhile.
        medium.beforeForce(file -> LockSupport.parkNanos(1_000_000));
        try (LogStore store = Stores.at(directory, medium).open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = partition.openAppender()) {
                List<Stores.Task<Void>> tasks = new ArrayList<>();
                for (int t = 0; t < THREADS; t++) {
                    int thread = t;
                    tasks.add(Stores.start(() -> appendMany(appender, partition, thread, each)));
                }
                for (Stores.Task<Void> task : tasks) {
                    task.result();
                }
            }
            long forces = partition.metrics().forces();
            assertTrue(
                    forces < THREADS * each / 2,
                    forces + " forces for " + THREADS * each + " appends");
            assertInOrder(partition, THREADS, each);
        }
    }

    private static Void appendMany(Appender appender, Partition partition, int thread, int count) {
        long last = -1;
        for (int i = 0; i < count; i++) {
            long offset = appender.append(value(thread, i, 100 + 10 * thread));
            assertTrue(offset > last);
            assertTrue(partition.durableOffset() > offset, "acknowledged, not durable");
            last = offset;
        }
        return null;
    }

    private static void assertInOrder(Partition partition, int threads, int each) {
        int[] next = new int[threads];
        List<StoredRecord> found = readAll(partition.openTailer());
        assertEquals(threads * each, found.size());
        for (int i = 0; i < found.size(); i++) {
            assertEquals(i, found.get(i).offset());
            assertEquals(next[threadOf(found.get(i))]++, numberOf(found.get(i)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepEachThreadsOrderThroughRollsAndEveryKindOfAppend(Durability durability)
            throws Exception {
        int each = 400;
        try (LogStore store = Stores.at(directory, medium).open()) {
            Partition partition =
                    store.createTopic("t", Stores.small().withDurability(durability)).partition(0);
            List<Stores.Task<Void>> tasks = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                int thread = t;
                tasks.add(Stores.start(() -> appendInManyWays(partition, thread, each)));
            }
            for (Stores.Task<Void> task : tasks) {
                task.result();
            }
            assertTrue(partition.metrics().rolls() > 5);
            partition.force();
            assertInOrder(partition, THREADS, each);
        }
        try (LogStore store = Stores.at(directory, medium).open()) {
            assertInOrder(store.openTopic("t").partition(0), THREADS, each);
        }
    }

    private static Void appendInManyWays(Partition partition, int thread, int count) {
        int next = 0;
        while (next < count) {
            try (Appender appender = partition.openAppender()) {
                Batch batch = appender.newBatch();
                for (int i = 0; i < 10; i++) {
                    byte[] value = value(thread, next, 200 + thread);
                    long offset =
                            switch ((next + thread) % 4) {
                                case 0 -> appender.append(value);
                                case 1 -> appender.append(ByteBuffer.wrap(value));
                                case 2 -> appender.append(batch.clear().add(value));
                                default ->
                                        appender.tryAppend(
                                                new UnsafeBuffer(value), 0, value.length);
                            };
                    next += offset < 0 ? 0 : 1;
                    if (next == count) {
                        break;
                    }
                }
            }
        }
        return null;
    }

    @Test
    void shouldKeepExclusiveAndSharedAppendersApart() throws Exception {
        int each = 300;
        int threads = 4;
        AtomicBoolean alone = new AtomicBoolean();
        try (LogStore store = Stores.at(directory, medium).open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            List<Stores.Task<Void>> tasks = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                tasks.add(
                        Stores.start(
                                () -> {
                                    int next = 0;
                                    while (next < each) {
                                        next = takeATurn(partition, thread, next, alone);
                                    }
                                    return null;
                                }));
            }
            for (Stores.Task<Void> task : tasks) {
                task.result();
            }
            partition.force();
            assertInOrder(partition, threads, each);
        }
    }

    private static int takeATurn(Partition partition, int thread, int next, AtomicBoolean alone) {
        boolean exclusive = (next + thread) % 2 == 0;
        try (Appender appender =
                exclusive ? partition.openExclusiveAppender() : partition.openAppender()) {
            if (exclusive) {
                assertTrue(alone.compareAndSet(false, true), "two exclusive appenders");
            } else {
                assertTrue(!alone.get(), "shared beside an exclusive one");
            }
            long offset =
                    appender.tryAppend(new UnsafeBuffer(value(thread, next, 1_000)), 0, 1_000);
            if (exclusive) {
                alone.set(false);
            }
            return offset < 0 ? next : next + 1;
        } catch (BusyException e) {
            Thread.onSpinWait();
            return next;
        }
    }

    @Test
    void shouldLetOneOfManyWinAConditionalAppend() throws Exception {
        try (LogStore store = Stores.at(directory, medium).open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            List<Stores.Task<Integer>> tasks = new ArrayList<>();
            int rounds = 300;
            for (int t = 0; t < 4; t++) {
                int thread = t;
                tasks.add(Stores.start(() -> winSome(partition, thread, rounds)));
            }
            int won = 0;
            for (Stores.Task<Integer> task : tasks) {
                won += task.result();
            }
            assertEquals(rounds, won);
            assertEquals(rounds, partition.nextOffset());
        }
    }

    private static int winSome(Partition partition, int thread, int rounds) {
        int won = 0;
        try (Appender appender = partition.openAppender()) {
            Batch batch = appender.newBatch();
            while (true) {
                long expected = partition.nextOffset();
                if (expected >= rounds) {
                    return won;
                }
                try {
                    batch.clear().add(value(thread, won, 50)).expectedOffset(expected);
                    assertEquals(expected, appender.append(batch));
                    won++;
                } catch (io.firn.UnexpectedOffsetException e) {
                    assertTrue(e.nextOffset() > expected);
                }
            }
        }
    }

    /** What was acknowledged to a worker: by thread, the highest number. */
    private final Map<Integer, Integer> acknowledged = new HashMap<>();

    private void acknowledge(int thread, int number) {
        synchronized (acknowledged) {
            acknowledged.merge(thread, number, Math::max);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepWhatItAcknowledgedWhenClosedInMidFlight(Durability durability) throws Exception {
        for (int round = 0; round < 12; round++) {
            Path place = directory.resolve("" + round);
            acknowledged.clear();
            LogStore store = Stores.at(place, medium).open();
            Topic topic =
                    store.createTopic(
                            "t", Stores.small().withPartitions(3).withDurability(durability));
            List<Stores.Task<Void>> tasks = new ArrayList<>();
            tasks.add(untilClosed(() -> exclusive(topic.partition(0))));
            tasks.add(untilClosed(() -> claims(topic.partition(1))));
            tasks.add(untilClosed(() -> shared(topic.partition(2), 2)));
            tasks.add(untilClosed(() -> shared(topic.partition(2), 3)));
            tasks.add(untilClosed(() -> futures(topic.partition(2), 4)));
            tasks.add(untilClosed(() -> tail(topic)));
            tasks.add(untilClosed(() -> tail(topic)));
            tasks.add(untilClosed(() -> openAndClose(topic)));
            long enough = 5L + 10L * round;
            Stores.await("work", () -> topic.partition(0).nextOffset() > enough);
            store.close();
            for (Stores.Task<Void> task : tasks) {
                task.result();
            }
            assertAcknowledged(place);
        }
        assertEquals(0, medium.mappings());
        assertEquals(0, medium.files());
    }

    /** The one way out is a ClosedException. */
    private static Stores.Task<Void> untilClosed(Callable<?> work) {
        return Stores.start(
                () -> {
                    while (true) {
                        try {
                            work.call();
                        } catch (BusyException e) {
                            Thread.onSpinWait(); // openAndClose was here first
                        } catch (ClosedException e) {
                            return null;
                        }
                    }
                });
    }

    private Object exclusive(Partition partition) {
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; ; i++) {
                appender.append(value(0, i, 5_000));
                acknowledge(0, i);
            }
        }
    }

    private Object claims(Partition partition) {
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            for (int i = 0; ; i++) {
                Claim claim = appender.tryClaim(5_000);
                if (claim == null) {
                    i--;
                    Thread.onSpinWait();
                } else {
                    claim.buffer().put(value(1, i, 5_000));
                    claim.commit();
                    acknowledge(1, i);
                }
            }
        }
    }

    private Object shared(Partition partition, int thread) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; ; i++) {
                appender.append(value(thread, i, 3_000));
                acknowledge(thread, i);
            }
        }
    }

    private Object futures(Partition partition, int thread) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; ; i++) {
                long offset =
                        appender.tryAppend(new UnsafeBuffer(value(thread, i, 3_000)), 0, 3_000);
                if (offset < 0) {
                    i--;
                    continue;
                }
                CompletableFuture<Long> future = appender.whenDurable(offset);
                try {
                    assertTrue(future.join() > offset);
                } catch (CompletionException e) {
                    throw (RuntimeException) e.getCause();
                }
                acknowledge(thread, i);
            }
        }
    }

    private static Object tail(Topic topic) {
        try (Tailer tailer = topic.openTailer()) {
            while (true) {
                tailer.poll(
                        record -> {
                            assertTrue(record.copy().value().length >= 3_000);
                            return Action.CONTINUE;
                        },
                        7,
                        Duration.ofMillis(1));
            }
        }
    }

    private static Object openAndClose(Topic topic) {
        try (TopicAppender appender = topic.openAppender()) {
            return appender;
        } catch (BusyException e) {
            return topic.openTailer().poll(record -> Action.STOP, 1);
        }
    }

    private void assertAcknowledged(Path place) {
        try (LogStore again = Stores.at(place, medium).open()) {
            assertEquals(List.of(), again.findings());
            Map<Integer, Integer> last = new HashMap<>();
            for (StoredRecord record : readAll(again.openTopic("t").openTailer())) {
                int expected = last.getOrDefault(threadOf(record), -1) + 1;
                assertEquals(expected, numberOf(record), "of thread " + threadOf(record));
                last.put(threadOf(record), expected);
            }
            acknowledged.forEach(
                    (thread, number) ->
                            assertTrue(
                                    last.getOrDefault(thread, -1) >= number,
                                    () -> thread + ": acked " + number + ", found " + last));
        }
    }
}
