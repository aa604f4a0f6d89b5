package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A tailer over many partitions visits only those with something unread, and misses nothing. */
class UnreadPartitionsTest {
    private static final int PARTITIONS = 40;

    @TempDir private Path directory;

    private static void append(Topic topic, int partition) {
        try (Appender appender = topic.partition(partition).openAppender()) {
            appender.append(bytes("p" + partition));
        }
    }

    /** Polls until nothing is left, and until the tailer no longer visits all partitions. */
    private static void drain(Tailer tailer) {
        long end = System.nanoTime() + 20_000_000;
        while (tailer.poll(record -> Action.CONTINUE, 1_000) > 0 || System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    /**
     * Threads that append, each to its own partitions, and tailers, each of which checks after any
     * poll that found nothing that it is not behind what was acknowledged before the poll.
     */
    @ParameterizedTest
    @EnumSource
    void shouldNeverPollInVainWhenSomethingWasAcknowledged(Durability durability) throws Exception {
        int records = durability == Durability.WRITTEN ? 40_000 : 1_500;
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic =
                    store.createTopic(
                            "t",
                            Stores.small().withDurability(durability).withPartitions(PARTITIONS));
            AtomicLongArray acknowledged = new AtomicLongArray(PARTITIONS);
            AtomicIntegerArray running = new AtomicIntegerArray(new int[] {2});
            List<Stores.Task<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int half = i;
                tasks.add(
                        Stores.start(
                                () -> {
                                    appendToHalf(topic, half, records, acknowledged);
                                    running.decrementAndGet(0);
                                    return null;
                                }));
            }
            for (int i = 0; i < 2; i++) {
                Random random = new Random(i);
                tasks.add(Stores.start(() -> tail(topic, random, acknowledged, running)));
            }
            for (Stores.Task<Void> task : tasks) {
                task.result();
            }
        }
    }

    private static void appendToHalf(
            Topic topic, int half, int records, AtomicLongArray acknowledged) {
        Random random = new Random(7 + half);
        List<Appender> appenders = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            appenders.add(p % 2 == half ? topic.partition(p).openExclusiveAppender() : null);
        }
        for (int i = 0; i < records; i++) {
            int p = 2 * random.nextInt(PARTITIONS / 2) + half;
            long offset = appenders.get(p).append(bytes("r"));
            acknowledged.set(p, offset + 1);
            if (random.nextInt(100) == 0) {
                Thread.yield();
            }
        }
        appenders.forEach(each -> closeIfAny(each));
    }

    private static void closeIfAny(Appender appender) {
        if (appender != null) {
            appender.close();
        }
    }

    private static Void tail(
            Topic topic, Random random, AtomicLongArray acknowledged, AtomicIntegerArray running) {
        long[] next = new long[PARTITIONS];
        long[] before = new long[PARTITIONS];
        try (Tailer tailer = topic.openTailer()) {
            boolean goesOn = true;
            while (goesOn) {
                goesOn = running.get(0) > 0;
                for (int p = 0; p < PARTITIONS; p++) {
                    before[p] = acknowledged.get(p);
                }
                int taken;
                do {
                    taken =
                            tailer.poll(
                                    record -> {
                                        assertEquals(next[record.partition()], record.offset());
                                        if (random.nextInt(300) == 0) {
                                            return Action.RETRY;
                                        }
                                        next[record.partition()]++;
                                        return random.nextInt(300) == 0
                                                ? Action.STOP
                                                : Action.CONTINUE;
                                    },
                                    1 + random.nextInt(50),
                                    Duration.ofNanos(random.nextInt(3)));
                } while (taken > 0);
                taken = tailer.poll(record -> Action.RETRY, 1);
                assertEquals(0, taken);
                if (random.nextInt(50) == 0) {
                    int p = random.nextInt(PARTITIONS);
                    next[p] = Math.max(0, next[p] - random.nextInt(5));
                    tailer.seek(p, next[p]);
                }
                drainAndCheck(tailer, next, before);
            }
        }
        return null;
    }

    private static void drainAndCheck(Tailer tailer, long[] next, long[] before) {
        int taken;
        do {
            taken =
                    tailer.poll(
                            record -> {
                                assertEquals(next[record.partition()]++, record.offset());
                                return Action.CONTINUE;
                            },
                            1_000);
        } while (taken > 0);
        for (int p = 0; p < PARTITIONS; p++) {
            long acknowledged = before[p];
            int partition = p;
            assertTrue(
                    next[p] >= acknowledged,
                    () ->
                            "partition "
                                    + partition
                                    + ": read up to "
                                    + next[partition]
                                    + ", acknowledged up to "
                                    + acknowledged);
        }
    }

    @Test
    void shouldTakeTurnsBetweenPartitionsThatAreFarApart() {
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(PARTITIONS));
            Tailer tailer = topic.openTailer();
            drain(tailer);
            for (int i = 0; i < 20; i++) {
                append(topic, 3);
                append(topic, 29);
                append(topic, 30);
            }
            List<Integer> turns = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                tailer.poll(
                        record -> {
                            turns.add(record.partition());
                            return Action.CONTINUE;
                        },
                        1);
            }
            for (int i = 0; i < 60; i += 3) {
                assertEquals(List.of(3, 29, 30), turns.subList(i, i + 3));
            }
        }
    }

    @Test
    void shouldThrowFromEachPollWhenTheTopicIsDeletedOrTheStoreClosed() {
        LogStore store = Stores.at(directory).open();
        Topic topic = store.createTopic("t", Stores.small().withPartitions(PARTITIONS));
        Topic other = store.createTopic("u", Stores.small().withPartitions(PARTITIONS));
        Tailer tailer = topic.openTailer();
        Tailer otherTailer = other.openTailer();
        drain(tailer);
        drain(otherTailer);
        store.deleteTopic("t");
        for (int i = 0; i < 3; i++) {
            assertThrows(
                    UnknownTopicException.class, () -> tailer.poll(record -> Action.CONTINUE, 1));
        }
        assertEquals(0, otherTailer.poll(record -> Action.CONTINUE, 1));
        store.close();
        for (int i = 0; i < 3; i++) {
            assertThrows(
                    ClosedException.class, () -> otherTailer.poll(record -> Action.CONTINUE, 1));
        }
    }

    @Test
    void shouldVisitAPartitionAgainAfterASeek() {
        try (LogStore store = Stores.at(directory).open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(PARTITIONS));
            append(topic, 17);
            Tailer tailer = topic.openTailer(TailerOptions.defaults().withPartitions(17, 5, 39));
            drain(tailer);
            assertEquals(0, tailer.poll(record -> Action.CONTINUE, 10));
            tailer.seek(17, 0);
            assertEquals(1, tailer.poll(record -> Action.CONTINUE, 10));
            tailer.seekToStart();
            assertEquals(1, tailer.poll(record -> Action.CONTINUE, 10));
            assertEquals(0, tailer.poll(record -> Action.CONTINUE, 10));
        }
    }

    @Test
    void shouldReadInInvokerModeWhatItsOwnWorkMakesDurable() {
        LogStoreBuilder builder = Stores.at(directory).invokerMode();
        try (LogStore store = builder.open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(PARTITIONS));
            append(topic, 8);
            Tailer tailer = topic.openTailer();
            drain(tailer);
            try (Appender appender = topic.partition(8).openExclusiveAppender()) {
                assertEquals(1, appender.tryAppend(new UnsafeBuffer(bytes("a")), 0, 1));
                assertEquals(1, tailer.poll(record -> Action.CONTINUE, 9, Duration.ofMinutes(1)));
            }
        }
    }
}
