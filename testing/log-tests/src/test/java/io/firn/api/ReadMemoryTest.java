package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.BatchTooLargeException;
import io.firn.BusyException;
import io.firn.Compression;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerLoop;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.format.BatchEncoder;
import io.firn.host.HostedAppender;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The memory for decompressed batches: here a batch may have half a MiB, and two are too many. */
class ReadMemoryTest {
    private static final int MEMORY = 1 << 20;
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 5;
    private static final int VALUE_BYTES = 100_000;

    @TempDir private Path directory;
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        store = Stores.at(directory).readMemory(MEMORY).open();
        topic =
                store.createTopic(
                        "t",
                        Stores.small()
                                .withPartitions(PARTITIONS)
                                .withSegmentBytes(1 << 20)
                                .withMaxRecordBytes(500_000));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void append(int partition, Compression codec, int records) {
        BatchEncoder encoder = new BatchEncoder(() -> 1234, codec, 1 << 20);
        for (int i = 0; i < records; i++) {
            byte[] value = new byte[VALUE_BYTES];
            Arrays.fill(value, (byte) (10 * partition + i));
            encoder.add(value);
        }
        try (Appender appender = topic.partition(partition).openExclusiveAppender()) {
            HostedAppender.of(appender).appendBatch(ForeignBatches.of(encoder));
        }
    }

    private static void pollOne(Tailer tailer, int partition) {
        long offset = tailer.offset(partition);
        int taken =
                tailer.poll(
                        record -> {
                            byte[] expected = new byte[VALUE_BYTES];
                            Arrays.fill(expected, (byte) (10L * partition + record.offset()));
                            assertEquals(offset, record.offset());
                            assertArrayEquals(expected, record.copy().value());
                            return Action.CONTINUE;
                        },
                        1);
        assertEquals(1, taken);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldGoOnInABatchWhoseMemoryWasTaken(Compression codec) {
        List<Tailer> tailers = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            append(i, codec, RECORDS);
            tailers.add(topic.partition(i).openTailer());
        }
        for (int round = 0; round < RECORDS; round++) {
            for (int i = 0; i < PARTITIONS; i++) {
                pollOne(tailers.get(i), i);
            }
        }
        tailers.forEach(Tailer::close);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldNameABatchThatIsTooLargeAndReadTheOtherPartitions(Compression codec) {
        append(1, codec, 6);
        try (Appender appender = topic.partition(1).openExclusiveAppender()) {
            appender.append(new byte[] {7});
        }
        append(2, codec, RECORDS);
        try (Tailer tailer = topic.openTailer()) {
            BatchTooLargeException e =
                    assertThrows(
                            BatchTooLargeException.class,
                            () -> tailer.poll(record -> Action.CONTINUE, 100));
            assertEquals(1, e.partition());
            assertEquals(0, e.fromOffset());
            assertEquals(6, e.toOffset());
            assertTrue(e.getMessage().contains("t-1"), e.getMessage());
            assertTrue(e.getMessage().contains("offsets [0, 6)"), e.getMessage());
            assertTrue(e.getMessage().contains(MEMORY / 2 + " bytes"), e.getMessage());
            assertTrue(e.getMessage().contains("readMemory"), e.getMessage());
            assertTrue(e.getMessage().contains("seek(6)"), e.getMessage());

            assertEquals(RECORDS, tailer.poll(record -> Action.CONTINUE, RECORDS));
            tailer.seek(1, e.toOffset());
            assertEquals(1, tailer.poll(record -> Action.CONTINUE, 100));
        }
        assertEquals(List.of(), topic.partition(1).damage());
    }

    @Test
    void shouldReadWithMoreMemoryWhatIsTooLargeForLess() {
        append(0, Compression.GZIP, 6);
        store.close();
        store = Stores.at(directory).readMemory(2 * MEMORY).open();
        try (Tailer tailer = store.openTopic("t").partition(0).openTailer()) {
            assertEquals(6, tailer.poll(record -> Action.CONTINUE, 100));
        }
    }

    @Test
    void shouldReadALargeBatchToItsEndBeforeTheNextPartition() {
        append(0, Compression.ZSTD, RECORDS);
        append(1, Compression.ZSTD, RECORDS);
        List<Integer> partitions = new ArrayList<>();
        try (Tailer tailer = topic.openTailer(TailerOptions.defaults().withPartitions(0, 1))) {
            for (int i = 0; i < 2 * RECORDS; i++) {
                tailer.poll(
                        record -> {
                            partitions.add(record.partition());
                            return Action.CONTINUE;
                        },
                        1);
            }
        }
        assertEquals(List.of(0, 0, 0, 0, 0, 1, 1, 1, 1, 1), partitions);
    }

    @Test
    void shouldWaitForHandlersOfOtherThreadsThatUseAllMemory() throws Exception {
        append(0, Compression.LZ4, RECORDS);
        append(1, Compression.LZ4, RECORDS);
        append(2, Compression.LZ4, RECORDS);
        CountDownLatch reading = new CountDownLatch(2);
        CountDownLatch mayReturn = new CountDownLatch(1);
        List<Stores.Task<Integer>> slow = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Partition partition = topic.partition(i);
            slow.add(Stores.start(() -> pollSlowly(partition, reading, mayReturn)));
        }
        reading.await();
        Stores.Task<Integer> waits =
                Stores.start(
                        () -> {
                            try (Tailer tailer = topic.partition(2).openTailer()) {
                                return tailer.poll(record -> Action.CONTINUE, 100);
                            }
                        });
        Stores.await(
                "the reader to wait",
                () -> waits.thread().getState() == Thread.State.TIMED_WAITING);
        assertFalse(waits.isDone());
        mayReturn.countDown();

        assertEquals(RECORDS, waits.result());
        for (Stores.Task<Integer> each : slow) {
            assertEquals(RECORDS, each.result());
        }
    }

    private static int pollSlowly(
            Partition partition, CountDownLatch reading, CountDownLatch mayReturn) {
        try (Tailer tailer = partition.openTailer()) {
            return tailer.poll(
                    record -> {
                        reading.countDown();
                        try {
                            mayReturn.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        return Action.CONTINUE;
                    },
                    100);
        }
    }

    @Test
    void shouldEndAPollThatIsInterruptedWhileItWaitsForMemory() throws Exception {
        append(0, Compression.LZ4, RECORDS);
        append(1, Compression.LZ4, RECORDS);
        append(2, Compression.LZ4, RECORDS);
        CountDownLatch reading = new CountDownLatch(2);
        CountDownLatch mayReturn = new CountDownLatch(1);
        List<Stores.Task<Integer>> slow = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Partition partition = topic.partition(i);
            slow.add(Stores.start(() -> pollSlowly(partition, reading, mayReturn)));
        }
        reading.await();
        Stores.Task<Boolean> waits =
                Stores.start(
                        () -> {
                            try (Tailer tailer =
                                    topic.openTailer(
                                            TailerOptions.defaults().withPartitions(2, 3))) {
                                int taken =
                                        tailer.poll(
                                                record -> Action.CONTINUE, 100, Duration.ofDays(1));
                                return taken == 0 && Thread.interrupted();
                            }
                        });
        Stores.await(
                "the reader to wait",
                () -> waits.thread().getState() == Thread.State.TIMED_WAITING);
        waits.thread().interrupt();

        assertTrue(waits.result());
        mayReturn.countDown();
        for (Stores.Task<Integer> each : slow) {
            assertEquals(RECORDS, each.result());
        }
    }

    @Test
    void shouldSearchATimestampWhenTheThreadIsInterruptedAndHasToWaitForMemory() throws Exception {
        append(0, Compression.LZ4, RECORDS);
        append(2, Compression.ZSTD, RECORDS); // its window takes all memory
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        Stores.Task<Integer> slow =
                Stores.start(() -> pollSlowly(topic.partition(0), reading, mayReturn));
        reading.await();
        Stores.Task<Boolean> searches =
                Stores.start(
                        () -> {
                            Thread.currentThread().interrupt();
                            long found = topic.partition(2).findTimestamp(1234).offset();
                            return found == 0 && Thread.interrupted();
                        });
        Stores.await(
                "the search to wait or to end",
                () ->
                        searches.isDone()
                                || searches.thread().getState() == Thread.State.TIMED_WAITING);
        mayReturn.countDown();

        assertTrue(searches.result());
        assertEquals(RECORDS, slow.result());
    }

    @Test
    void shouldRefuseAtOnceWhatAHandlerReadsBesideItsOwnBatches() {
        append(0, Compression.SNAPPY, RECORDS);
        append(1, Compression.SNAPPY, RECORDS);
        append(2, Compression.SNAPPY, RECORDS);
        AtomicInteger refused = new AtomicInteger();
        try (Tailer first = topic.partition(0).openTailer();
                Tailer second = topic.partition(1).openTailer();
                Tailer third = topic.partition(2).openTailer()) {
            Runnable inner =
                    () -> {
                        BusyException e =
                                assertThrows(
                                        BusyException.class,
                                        () -> third.poll(record -> Action.CONTINUE, 1));
                        assertEquals(0, third.offset());
                        assertTrue(e.getMessage().contains("readMemory"), e.getMessage());
                        refused.incrementAndGet();
                    };
            first.poll(
                    outer -> {
                        second.poll(
                                record -> {
                                    inner.run();
                                    return Action.CONTINUE;
                                },
                                1);
                        return Action.CONTINUE;
                    },
                    1);
            assertEquals(1, refused.get());
            pollOne(third, 2);
        }
    }

    @Test
    void shouldGoOnAfterABatchThatIsTooLargeInALoop() {
        append(0, Compression.GZIP, 6);
        append(0, Compression.GZIP, RECORDS);
        List<Long> offsets = new ArrayList<>();
        try (Tailer tailer = topic.partition(0).openTailer()) {
            TailerLoop loop =
                    TailerLoop.of(tailer)
                            .onError(
                                    error ->
                                            error instanceof BatchTooLargeException
                                                    ? Action.CONTINUE
                                                    : Action.STOP);
            loop.run(
                    record -> {
                        offsets.add(record.offset());
                        return offsets.size() == RECORDS ? Action.STOP : Action.CONTINUE;
                    });
        }
        assertEquals(List.of(6L, 7L, 8L, 9L, 10L), offsets);
    }

    @Test
    void shouldSearchALargeBatchByTimestampPieceByPiece() {
        append(0, Compression.ZSTD, 30);
        append(1, Compression.LZ4, 30);
        append(2, Compression.SNAPPY, 30);
        append(3, Compression.GZIP, 30);
        for (int i = 0; i < PARTITIONS; i++) {
            assertEquals(0, topic.partition(i).findTimestamp(1234).offset());
        }
    }

    @Test
    void shouldRefuseLessMemoryThanOneMiB() {
        assertThrows(
                InvalidOptionException.class, () -> Stores.at(directory).readMemory(MEMORY - 1));
    }
}
