package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many tailers beside an appender, while segments roll and go. */
class ConcurrentTailTest {
    private static final int RECORDS = 12_000;

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

    private static int lengthOf(long number) {
        return 8 + (int) (number * 31 % 600);
    }

    private static Void appendAll(Partition partition) {
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            Random random = new Random(1);
            int next = 0;
            while (next < RECORDS) {
                int count = Math.min(1 + random.nextInt(20), RECORDS - next);
                batch.clear();
                for (int i = 0; i < count; i++) {
                    batch.add(Stores.numbered(next + i, lengthOf(next + i)));
                }
                boolean waits = random.nextInt(4) == 0;
                long offset = waits ? appender.append(batch) : appender.tryAppend(batch);
                next += offset < 0 ? 0 : count;
            }
            appender.awaitDurable(RECORDS - 1);
        }
        return null;
    }

    private static void check(LogRecord record, long expected, byte[] scratch) {
        assertEquals(expected, record.offset());
        int length = lengthOf(expected);
        assertEquals(length, record.valueLength());
        record.getValue(scratch, 0);
        byte[] wanted = Stores.numbered(expected, length);
        for (int i = 0; i < length; i++) {
            if (wanted[i] != scratch[i]) {
                throw new AssertionError("offset " + expected + ", byte " + i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldShowEachTailerEachRecordOnceAndInOrder(Durability durability) throws Exception {
        tailAll(Stores.small().withDurability(durability));
    }

    @Test
    void shouldShowEachTailerEachRecordOfCompressedBatches() throws Exception {
        tailAll(Stores.small().withCompression(Compression.LZ4));
    }

    private void tailAll(TopicOptions options) throws Exception {
        Partition partition = store.createTopic("t", options).partition(0);
        List<Stores.Task<Long>> tailers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int seed = i;
            tailers.add(Stores.start(() -> tail(partition, seed)));
        }
        Stores.Task<Void> appends = Stores.start(() -> appendAll(partition));
        appends.result();
        for (Stores.Task<Long> tailer : tailers) {
            assertEquals(RECORDS, tailer.result());
        }
        if (options.compression() == Compression.NONE) {
            assertTrue(partition.metrics().rolls() > 30, "no rolls, no test");
        }
        assertTrue(partition.damage().isEmpty());
    }

    /** Reads everything, in polls of any size, at times stopping, doubting or seeking back. */
    private static long tail(Partition partition, int seed) {
        Random random = new Random(seed);
        byte[] scratch = new byte[1000];
        long[] next = {0};
        try (Tailer tailer = partition.openTailer()) {
            while (next[0] < RECORDS) {
                int limit = 1 + random.nextInt(seed % 2 == 0 ? 1000 : 10);
                long before = next[0];
                int taken =
                        tailer.poll(
                                record -> {
                                    check(record, next[0], scratch);
                                    assertTrue(record.offset() < partition.visibleOffset());
                                    if (random.nextInt(500) == 0) {
                                        return Action.RETRY;
                                    }
                                    next[0]++;
                                    return random.nextInt(500) == 0 ? Action.STOP : Action.CONTINUE;
                                },
                                limit,
                                Duration.ofMillis(20));
                assertEquals(next[0] - before, taken);
                assertEquals(next[0], tailer.offset());
                if (random.nextInt(200) == 0) {
                    next[0] = Math.max(0, next[0] - random.nextInt(300));
                    tailer.seek(next[0]);
                }
            }
        }
        return next[0];
    }

    /** Retention runs after the reader and often overtakes it. */
    @Test
    void shouldTellATailerThatRetentionOvertookAndLetItJump() throws Exception {
        store.close();
        AtomicLong hurrying = new AtomicLong();
        // Retention looks ten times a second, which would be seldom here.
        store = Stores.at(directory).clock(() -> hurrying.addAndGet(100)).open();
        Partition partition =
                store.createTopic("t", Stores.small().withRetentionBytes(0)).partition(0);
        List<Stores.Task<Integer>> tailers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int seed = i;
            tailers.add(Stores.start(() -> tailAndJump(partition, seed)));
        }
        Stores.start(() -> appendAll(partition)).result();
        // How often that happens is the machine's affair; RetentionTest makes sure of it once.
        for (Stores.Task<Integer> tailer : tailers) {
            tailer.result();
        }
        assertTrue(partition.damage().isEmpty(), () -> partition.damage().toString());
    }

    private static int tailAndJump(Partition partition, int seed) {
        byte[] scratch = new byte[1000];
        long[] next = {0};
        int jumps = 0;
        Tailer tailer = partition.openTailer();
        tailer.seek(0);
        while (next[0] < RECORDS) {
            try {
                tailer.poll(
                        record -> {
                            check(record, next[0]++, scratch);
                            return Action.CONTINUE;
                        },
                        1 + 40 * seed,
                        Duration.ofMillis(1));
                LockSupport.parkNanos(seed * 300_000L);
            } catch (OffsetOutOfRangeException e) {
                assertEquals(next[0], e.offset());
                assertTrue(e.logStartOffset() > e.offset(), e.getMessage());
                assertTrue(e.nextOffset() >= e.logStartOffset(), e.getMessage());
                next[0] = e.logStartOffset();
                tailer.seek(next[0]);
                jumps++;
            }
        }
        return jumps;
    }

    @Test
    void shouldKeepWhatAHandlerLooksAtUntilItReturns() throws Exception {
        ObservedMedium medium = new ObservedMedium();
        try (LogStore own = Stores.at(directory.resolve("own"), medium).open()) {
            Partition partition = own.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                Stores.fill(appender, 40, 10_000);
                Tailer tailer = partition.openTailer();
                tailer.poll(
                        record -> {
                            byte[] first = record.copy().value();
                            partition.deleteRecordsBefore(partition.durableOffset());
                            Stores.await(
                                    "the other segments to go",
                                    () -> partition.metrics().segments() == 1);
                            // This one, the active one, and the one set aside.
                            Stores.await("their mappings", () -> medium.mappings() <= 3);
                            assertArrayEquals(first, record.copy().value());
                            return Action.STOP;
                        },
                        1);
                // The active one, the one set aside, and nothing else.
                Stores.await("the release", () -> medium.mappings() <= 2);
            }
        }
        assertEquals(0, medium.mappings());
        assertEquals(0, medium.files());
    }
}
