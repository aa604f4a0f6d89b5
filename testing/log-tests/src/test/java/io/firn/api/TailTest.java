package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.offsets;
import static io.firn.api.Stores.read;
import static io.firn.api.Stores.readAll;
import static io.firn.api.Stores.texts;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.ClosedException;
import io.firn.Compression;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One tailer over one partition. */
@ParameterizedClass
@EnumSource(Tiers.class)
class TailTest {
    @Parameter Tiers tier;
    @TempDir private Path directory;
    private LogStore store;

    @BeforeEach
    void open() {
        store = tier.at(directory).open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Partition filled(Compression compression, int batches, int each) {
        Partition partition =
                store.createTopic("t", Stores.small().withCompression(compression)).partition(0);
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < batches; i++) {
                batch.clear();
                for (int j = 0; j < each; j++) {
                    batch.add(bytes("" + (i * each + j)));
                }
                appender.append(batch);
            }
        }
        return partition;
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private static void assertRecords(List<StoredRecord> records, long from, long to) {
        assertEquals(range(from, to), offsets(records));
        assertEquals(range(from, to).stream().map(n -> "" + n).toList(), texts(records));
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepToTheLimitWhereverItFalls(Compression compression) {
        Partition partition = filled(compression, 20, 7);
        for (int limit : new int[] {1, 2, 3, 6, 7, 8, 20, 139, 140, 141, Integer.MAX_VALUE}) {
            List<StoredRecord> found = new ArrayList<>();
            Tailer tailer = partition.openTailer();
            int taken;
            do {
                int before = found.size();
                taken =
                        tailer.poll(
                                record -> {
                                    found.add(record.copy());
                                    return Action.CONTINUE;
                                },
                                limit);
                assertEquals(Math.min(limit, 140 - before), taken);
                assertEquals(found.size(), before + taken);
                assertEquals(found.size(), tailer.offset());
            } while (taken > 0);
            assertRecords(found, 0, 140);
        }
        Tailer tailer = partition.openTailer();
        assertThrows(InvalidOptionException.class, () -> tailer.poll(r -> Action.CONTINUE, 0));
        assertThrows(InvalidOptionException.class, () -> tailer.poll(r -> Action.CONTINUE, -1));
    }

    @Test
    void shouldRefuseAVerdictThatIsNullAndHandTheRecordOutAgain() {
        Tailer tailer = filled(Compression.NONE, 2, 2).openTailer();
        NullPointerException refusal =
                assertThrows(NullPointerException.class, () -> tailer.poll(record -> null, 10));
        assertTrue(refusal.getMessage().contains("AGAIN"), refusal.getMessage());
        assertEquals(0, tailer.offset());
        assertRecords(readAll(tailer), 0, 4);
    }

    @ParameterizedTest
    @EnumSource
    void shouldSeekIntoTheMiddleOfBatches(Compression compression) {
        Partition partition = filled(compression, 300, 9);
        Tailer tailer = partition.openTailer();
        for (long offset = 2699; offset >= 0; offset -= 67) {
            tailer.seek(offset);
            assertEquals(offset, tailer.offset());
            int count = (int) Math.min(12, 2700 - offset);
            assertRecords(read(tailer, count), offset, offset + count);
        }
        tailer.seek(5);
        tailer.seek(2000);
        assertRecords(read(tailer, 1), 2000, 2001);
        tailer.seekToStart();
        assertRecords(readAll(tailer), 0, 2700);
        assertEquals(2700, tailer.offset());
        tailer.seek(2700);
        assertEquals(0, tailer.poll(record -> Action.CONTINUE, 1), "the end is in range");
        tailer.seekToEnd();
        assertEquals(2700, tailer.offset());
    }

    @Test
    void shouldSayWhereItStandsWhenThatIsOutOfRange() {
        Partition partition = filled(Compression.NONE, 2, 5);
        Tailer tailer = partition.openTailer();
        for (long wrong : new long[] {11, 1_000_000, Long.MAX_VALUE}) {
            tailer.seek(wrong);
            OffsetOutOfRangeException e =
                    assertThrows(
                            OffsetOutOfRangeException.class,
                            () -> tailer.poll(record -> Action.CONTINUE, 1));
            assertEquals(wrong, e.offset());
            assertEquals(0, e.logStartOffset());
            assertEquals(10, e.nextOffset());
        }
        assertThrows(InvalidOptionException.class, () -> tailer.seek(-1));
        assertThrows(InvalidOptionException.class, () -> tailer.seek(1, 0));
        assertThrows(InvalidOptionException.class, () -> tailer.offset(1));
        tailer.seekToStart();
        assertRecords(readAll(tailer), 0, 10);
    }

    @ParameterizedTest
    @EnumSource
    void shouldDoWhatTheHandlerSays(Compression compression) {
        Partition partition = filled(compression, 4, 5);
        Tailer tailer = partition.openTailer();
        List<Long> seen = new ArrayList<>();
        assertEquals(3, tailer.poll(r -> note(seen, r.offset(), 2, Action.STOP), 100));
        assertEquals(3, tailer.offset());
        assertEquals(1, tailer.poll(r -> note(seen, r.offset(), 4, Action.RETRY), 100));
        assertEquals(4, tailer.offset());
        assertEquals(0, tailer.poll(r -> note(seen, r.offset(), 4, Action.RETRY), 100));
        assertEquals(4, tailer.offset());
        assertEquals(16, tailer.poll(r -> note(seen, r.offset(), -1, Action.STOP), 100));
        List<Long> expected = new ArrayList<>(List.of(0L, 1L, 2L, 3L, 4L, 4L));
        expected.addAll(range(4, 20));
        assertEquals(expected, seen);
        assertEquals(20, tailer.offset());
    }

    private static Action note(List<Long> seen, long offset, long special, Action action) {
        seen.add(offset);
        return offset == special ? action : Action.CONTINUE;
    }

    @Test
    void shouldHandOutARecordOnceInAPollThatIsToldToTryAgain() {
        Partition partition = filled(Compression.NONE, 1, 3);
        Tailer tailer = partition.openTailer();
        List<Long> seen = new ArrayList<>();
        int taken =
                tailer.poll(
                        r -> note(seen, r.offset(), 0, Action.RETRY), 10, Duration.ofMillis(50));
        assertEquals(0, taken);
        assertEquals(List.of(0L), seen);
    }

    @ParameterizedTest
    @EnumSource
    void shouldHandOutARecordAgainAfterTheHandlerFailed(Compression compression) {
        Partition partition = filled(compression, 3, 5);
        Tailer tailer = partition.openTailer();
        for (long failing = 0; failing < 15; failing++) {
            long at = failing;
            IllegalStateException mine = new IllegalStateException("on purpose");
            assertSame(
                    mine,
                    assertThrows(
                            IllegalStateException.class,
                            () ->
                                    tailer.poll(
                                            record -> {
                                                if (record.offset() == at) {
                                                    throw mine;
                                                }
                                                return Action.CONTINUE;
                                            },
                                            100)));
            assertEquals(at, tailer.offset(), "the record counts as not taken");
            StackOverflowError error = new StackOverflowError();
            assertThrows(
                    StackOverflowError.class,
                    () ->
                            tailer.poll(
                                    record -> {
                                        throw error;
                                    },
                                    1));
        }
        assertRecords(readAll(tailer), 14, 15);
    }

    @Test
    void shouldNotBeUsedInsideItsOwnHandler() {
        Partition partition = filled(Compression.NONE, 1, 3);
        Tailer tailer = partition.openTailer();
        tailer.poll(
                record -> {
                    assertThrows(
                            IllegalStateException.class,
                            () -> tailer.poll(r -> Action.CONTINUE, 1));
                    assertThrows(IllegalStateException.class, () -> tailer.seek(0));
                    assertThrows(IllegalStateException.class, () -> tailer.seekToStart());
                    return Action.CONTINUE;
                },
                1);
        assertEquals(1, tailer.offset());
    }

    @Test
    void shouldLetAHandlerAppendToTheLogThatItReads() {
        Partition partition = filled(Compression.NONE, 1, 3);
        Tailer tailer = partition.openTailer();
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < 20; i++) {
                tailer.poll(
                        record -> {
                            appender.append(new byte[10_000]);
                            return Action.CONTINUE;
                        },
                        1);
            }
        }
        assertEquals(20, tailer.offset());
        assertEquals(23, partition.nextOffset());
    }

    @Test
    void shouldSeekByTimestamp() {
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        long[] times = {100, 100, 300, 200, 200, 500, 400, 600};
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            for (int round = 0; round < 400; round++) {
                batch.clear();
                for (long time : times) {
                    batch.value(bytes("some value")).timestamp(10_000L * round + time).add();
                }
                appender.append(batch);
            }
        }
        assertTrue(partition.metrics().segments() > 1);
        Tailer tailer = partition.openTailer();
        int[][] expected = {{0, 0}, {100, 0}, {101, 2}, {300, 2}, {301, 5}, {501, 7}, {601, 8}};
        for (int round = 0; round < 400; round += 7) {
            for (int[] pair : expected) {
                long time = 10_000L * round + pair[0];
                long offset = 8L * round + pair[1];
                TimestampedOffset found = partition.findTimestamp(time);
                assertEquals(offset, found == null ? 3200 : found.offset(), "at " + time);
                tailer.seekToTimestamp(time);
                assertEquals(offset, tailer.offset());
            }
        }
        assertNull(partition.findTimestamp(Long.MAX_VALUE));
        tailer.seekToTimestamp(Long.MAX_VALUE);
        assertEquals(3200, tailer.offset());
        assertEquals(0, partition.findTimestamp(0).offset());
        assertEquals(0, partition.findTimestamp(Long.MIN_VALUE).offset());
        partition.deleteRecordsBefore(8L * 200 + 3);
        assertEquals(8L * 200 + 3, partition.findTimestamp(0).offset());
        assertEquals(8L * 200 + 5, partition.findTimestamp(2_000_000 + 301).offset());
        store.close();
        store = tier.at(directory).open();
        partition = store.openTopic("t").partition(0);
        assertEquals(8L * 300 + 2, partition.findTimestamp(3_000_000 + 300).offset());
    }

    @Test
    void shouldFindNothingByTimestampInAnEmptyPartition() {
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        assertNull(partition.findTimestamp(5));
        Tailer tailer = partition.openTailer();
        tailer.seekToTimestamp(5);
        tailer.seekToEnd();
        tailer.seekToStart();
        assertEquals(0, tailer.poll(record -> Action.CONTINUE, 1));
        assertEquals(0, tailer.offset());
    }

    @Test
    void shouldWaitForARecordAndWakeForIt() throws Exception {
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        Tailer tailer = partition.openTailer();
        for (Duration timeout :
                List.of(
                        Duration.ofMinutes(10),
                        Duration.ofDays(400_000),
                        Duration.ofSeconds(Long.MAX_VALUE))) {
            Stores.Task<Integer> waits =
                    Stores.start(() -> tailer.poll(record -> Action.CONTINUE, 10, timeout));
            Stores.await(
                    "the wait",
                    () -> waits.isDone() || waits.thread().getState() != Thread.State.RUNNABLE);
            assertFalse(waits.isDone());
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(bytes("x"));
            }
            assertEquals(1, waits.result());
        }
    }

    @Test
    void shouldReturnWhenTheTimeIsUp() {
        Partition partition = filled(Compression.NONE, 1, 1);
        Tailer tailer = partition.openTailer();
        assertEquals(1, tailer.poll(record -> Action.CONTINUE, 10, Duration.ZERO));
        long start = System.nanoTime();
        assertEquals(0, tailer.poll(record -> Action.CONTINUE, 10, Duration.ZERO));
        assertEquals(0, tailer.poll(record -> Action.CONTINUE, 10, Duration.ofMillis(-5)));
        assertEquals(0, tailer.poll(record -> Action.CONTINUE, 10, Duration.ofMillis(30)));
        assertTrue(System.nanoTime() - start >= 30_000_000, "waited less than it was told");
    }

    @Test
    void shouldEndAWaitWhenInterruptedAndKeepTheStatus() throws Exception {
        Partition partition = filled(Compression.NONE, 1, 1);
        Stores.Task<Boolean> waits =
                Stores.start(
                        () -> {
                            Tailer tailer = partition.openTailer();
                            Thread.currentThread().interrupt();
                            // What is there is handed out all the same.
                            Duration forever = Duration.ofHours(1);
                            assertEquals(1, tailer.poll(r -> Action.CONTINUE, 1, forever));
                            assertEquals(0, tailer.poll(r -> Action.CONTINUE, 1, forever));
                            return Thread.currentThread().isInterrupted();
                        });
        assertTrue(waits.result());
    }

    @Test
    void shouldReadOnWhileInterrupted() throws Exception {
        Partition partition = filled(Compression.GZIP, 30, 10);
        Stores.Task<List<StoredRecord>> reads =
                Stores.start(
                        () -> {
                            Thread.currentThread().interrupt();
                            List<StoredRecord> found = readAll(partition.openTailer());
                            assertTrue(Thread.interrupted());
                            return found;
                        });
        assertRecords(reads.result(), 0, 300);
    }

    @Test
    void shouldBeDoneAfterClose() {
        Partition partition = filled(Compression.NONE, 1, 1);
        Tailer tailer = partition.openTailer();
        tailer.close();
        tailer.close();
        assertThrows(ClosedException.class, () -> tailer.poll(r -> Action.CONTINUE, 1));
        assertThrows(
                ClosedException.class,
                () -> tailer.poll(r -> Action.CONTINUE, 1, Duration.ofMillis(1)));
        assertThrows(ClosedException.class, () -> tailer.seek(0));
        assertThrows(ClosedException.class, () -> tailer.seekToEnd());
        assertThrows(ClosedException.class, () -> tailer.seekToTimestamp(0));
    }

    @Test
    void shouldHoldNothingBackBetweenPollsAndGoOnInTheMiddleOfABatch() {
        store.close();
        ManualClock clock = new ManualClock();
        ObservedMedium medium = new ObservedMedium();
        store = Stores.at(directory.resolve("files"), medium).clock(clock).invokerMode().open();
        for (Compression compression : Compression.values()) {
            Partition partition =
                    store.createTopic(
                                    "c" + compression, Stores.small().withCompression(compression))
                            .partition(0);
            List<StoredRecord> found = new ArrayList<>();
            Tailer tailer = partition.openTailer();
            try (Appender appender = partition.openExclusiveAppender()) {
                Batch batch = appender.newBatch();
                for (int i = 0; i < 8; i++) {
                    for (int j = 0; j < 10; j++) {
                        batch.add(Stores.numbered(10L * i + j, 3_000 + j));
                    }
                    appender.append(batch);
                    batch.clear();
                    rollAway(clock);
                }
            }
            while (found.size() < 80) {
                tailer.poll(
                        record -> {
                            found.add(record.copy());
                            return Action.CONTINUE;
                        },
                        7);
                // Two looks at idle views: the first sees that it was used.
                for (int look = 0; look < 2; look++) {
                    clock.advance(10_000);
                    Stores.work(store);
                }
                store.doWork();
                // The active one, and the one that was set aside.
                assertTrue(medium.mappings() <= 2, () -> medium.mappings() + " mappings");
            }
            assertEquals(range(0, 80), offsets(found));
            for (StoredRecord record : found) {
                int length = 3_000 + (int) record.offset() % 10;
                assertArrayEquals(Stores.numbered(record.offset(), length), record.value());
            }
            store.deleteTopic("c" + compression);
            Stores.work(store);
            assertEquals(0, medium.mappings(), "an idle tailer holds its segment's mapping");
        }
    }

    /** An index takes half a percent of its segment; a store may have very many segments. */
    @Test
    void shouldHoldNoIndexOfASealedSegmentThatNobodyReads() {
        store.close();
        ManualClock clock = new ManualClock();
        AtomicInteger indexesRead = new AtomicInteger();
        FileMedium medium =
                new FilterFileMedium(FileMedium.real()) {
                    @Override
                    public MediumFile open(Path file, boolean writable) throws IOException {
                        if (!writable && file.toString().endsWith(".index")) {
                            indexesRead.incrementAndGet();
                        }
                        return super.open(file, writable);
                    }
                };
        store = Stores.at(directory.resolve("files"), medium).clock(clock).invokerMode().open();
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        try (Appender appender = partition.openExclusiveAppender();
                Tailer tailer = partition.openTailer()) {
            for (int i = 0; i < 80; i++) {
                appender.append(Stores.numbered(i, 3_000));
                if (i % 10 == 9) {
                    rollAway(clock);
                }
            }
            assertEquals(15, firstAt(tailer, 15));
            assertEquals(0, indexesRead.get(), "it is in memory after the segment was written");
            for (int look = 0; look < 3; look++) {
                clock.advance(10_000);
                Stores.work(store);
            }
            assertEquals(15, firstAt(tailer, 15));
            assertTrue(indexesRead.get() > 0, "the index stays in memory");
        }
    }

    private static long firstAt(Tailer tailer, long offset) {
        tailer.seek(offset);
        long[] found = {-1};
        tailer.poll(
                record -> {
                    found[0] = record.offset();
                    return Action.CONTINUE;
                },
                1);
        return found[0];
    }

    private void rollAway(ManualClock clock) {
        clock.advance(200);
        Stores.work(store);
    }

    /** Only a mapping's error says that a segment cannot be read. */
    @Test
    void shouldLetAnErrorOfTheHandlerThrough() {
        Partition other = store.createTopic("own-error", Stores.small()).partition(0);
        try (Appender appender = other.openExclusiveAppender()) {
            appender.append(new byte[10]);
        }
        InternalError own = new InternalError("the handler's own");
        Tailer tailer = other.openTailer();

        InternalError thrown =
                assertThrows(
                        InternalError.class,
                        () ->
                                tailer.poll(
                                        record -> {
                                            throw own;
                                        },
                                        10));

        assertSame(own, thrown);
        assertEquals(1, readAll(tailer).size());
    }
}
