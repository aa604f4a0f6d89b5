package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMapping;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.CachedEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A segment's file takes space as it is written (O16 to O20). */
class SparseSegmentTest {
    private static final int SEGMENT_BYTES = 512 * 1024;
    private static final int LARGE = 40_000;
    private static final int PIECE = 16 * 1024;
    private static final int SMALL_STEP = 256 * 1024 / PIECE;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private long space;

    private static LogStore open(FileMedium medium) {
        return open(medium, new CachedEpochClock());
    }

    private static LogStore open(FileMedium medium, CachedEpochClock clock) {
        return StoreBuilder.over(Path.of("/sim/store"), medium)
                .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium))
                .clock(clock)
                .invokerMode()
                .open();
    }

    private static Partition partition(LogStore store, Durability durability) {
        return partition(store, durability, SEGMENT_BYTES);
    }

    private static Partition partition(LogStore store, Durability durability, int segmentBytes) {
        TopicOptions options =
                TopicOptions.defaults().withSegmentBytes(segmentBytes).withDurability(durability);
        Topic topic = store.hasTopic("t") ? store.openTopic("t") : store.createTopic("t", options);
        return topic.partition(0);
    }

    private static byte[] value(long offset, int length) {
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) (offset + 1));
        return value;
    }

    private static void assertWhole(Partition partition, long first, long end) {
        long[] next = {first};
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(first);
            while (next[0] < end) {
                tailer.poll(
                        record -> {
                            assertEquals(next[0], record.offset());
                            byte[] found = new byte[record.valueLength()];
                            record.getValue(found, 0);
                            byte[] expected = value(record.offset(), found.length);
                            assertEquals(0, Arrays.compare(expected, found));
                            next[0]++;
                            return Action.CONTINUE;
                        },
                        1000);
            }
        }
    }

    private long usedBytes() throws IOException {
        return usedBytes(medium);
    }

    private static long usedBytes(SimulatedFileMedium medium) throws IOException {
        medium.faults().limitBytes(Long.MAX_VALUE - 1);
        return Long.MAX_VALUE - 1 - medium.usableBytes(Path.of("/sim"));
    }

    @Test
    void shouldTakeLittleSpaceForAFewRecords() throws IOException {
        try (LogStore store = open(medium)) {
            Partition partition = partition(store, Durability.DURABLE);
            long before = usedBytes();
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, 100));
            }
            assertTrue(usedBytes() - before < 48 * 1024, "took " + (usedBytes() - before));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldStoreABurstOutOfSilenceWherePreparedSpaceIsWanted(Durability durability) {
        storeBurst(durability, 300);
    }

    @ParameterizedTest
    @EnumSource
    void shouldStoreLargeBatchesWherePreparedSpaceIsWanted(Durability durability) {
        storeBurst(durability, 9_000);
    }

    /** Nothing is written by calls any more: neither in the first segment nor in those after it. */
    private void storeBurst(Durability durability, int bytes) {
        AppendingMedium observed = new AppendingMedium(medium);
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(SEGMENT_BYTES)
                        .withDurability(durability)
                        .withPreparedBytes(Integer.MAX_VALUE / 2);
        try (LogStore store = open(observed)) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, bytes));
                assertEquals(SEGMENT_BYTES / (16 * 1024), observed.pieces.get());
                for (long i = 1; partition.metrics().rolls() < 2; i++) {
                    assertEquals(i, appender.append(value(i, bytes)));
                    if (i * bytes % 30_000 < bytes) {
                        store.doWork(); // reserves and prepares the next segment
                    }
                }
                assertEquals(0, observed.batches.get());
            }
            partition.force();
            assertWhole(partition, 0, partition.nextOffset());
        }
        try (LogStore store = open(medium)) {
            Partition partition = partition(store, durability);
            assertWhole(partition, 0, partition.nextOffset());
        }
    }

    /** They take what was prepared for small ones, but zeros are written ahead for these only. */
    @Test
    void shouldNotPrepareSpaceForLargeBatchesUnlessItIsWanted() {
        AppendingMedium observed = new AppendingMedium(medium);
        try (LogStore store = open(observed)) {
            Partition partition = partition(store, Durability.WRITTEN, 8 * SEGMENT_BYTES);
            try (Appender appender = partition.openExclusiveAppender()) {
                long next = 0;
                for (; next < 40; next++) {
                    appender.append(value(next, 300));
                    store.doWork();
                }
                observed.batches.set(0);
                appender.append(value(next, 9_000));
                next++;
                assertEquals(0, observed.batches.get());
                for (; next < 140; next++) {
                    appender.append(value(next, 9_000));
                    store.doWork();
                }
                assertTrue(observed.batches.get() > 90, "written by calls: " + observed.batches);
            }
            assertWhole(partition, 0, partition.nextOffset());
        }
    }

    /** Each asks for space while it is being written by a call, and is longer than the distance. */
    @Test
    void shouldNotZeroALargeBatchThatAsksForSpace() {
        try (LogStore store = open(medium)) {
            Topic topic = store.createTopic("t", TopicOptions.defaults());
            Partition partition = topic.partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, 300));
            }
            topic.changeOptions(topic.options().withPreparedBytes(64 * 1024));
        }
        try (LogStore store = open(medium)) {
            Partition partition = store.openTopic("t").partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                for (long next = 1; next < 40; next++) {
                    int length = 30_000 + 5_000 * (int) next;
                    assertEquals(next, appender.append(value(next, length)));
                    store.doWork();
                }
            }
            assertWhole(partition, 0, partition.nextOffset());
        }
    }

    /** Of 48 MiB, 4 MiB are prepared at a time. */
    @Test
    void shouldGetABlockWhileTheSpaceOfAnotherPartitionIsPrepared() throws IOException {
        int wanted = 48 << 20;
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(wanted)
                        .withDurability(Durability.WRITTEN)
                        .withPreparedBytes(wanted);
        AppendingMedium observed = new AppendingMedium(medium);
        try (LogStore store = open(observed)) {
            Partition busy = store.createTopic("busy", options).partition(0);
            Partition other = partition(store, Durability.WRITTEN);
            try (Appender appender = busy.openExclusiveAppender();
                    Appender others = other.openExclusiveAppender()) {
                byte[] value = value(0, 100);
                assertEquals(
                        Appender.BACK_PRESSURED,
                        appender.tryAppend(new UnsafeBuffer(value), 0, 100));
                assertEquals(
                        Appender.BACK_PRESSURED, others.tryAppend(new UnsafeBuffer(value), 0, 100));
                AtomicInteger gotAt = new AtomicInteger(Integer.MAX_VALUE);
                observed.whileZeros =
                        () -> {
                            if (other.nextOffset() == 0
                                    && others.tryAppend(new UnsafeBuffer(value), 0, 100) == 0) {
                                gotAt.set(observed.pieces.get());
                            }
                        };
                appender.append(new UnsafeBuffer(value), 0, 100);
                assertEquals(wanted / (16 * 1024), observed.pieces.get());
                assertTrue(gotAt.get() < observed.pieces.get(), "after " + gotAt + " pieces");
                assertEquals(1, busy.nextOffset());
            }
            assertWhole(other, 0, 1);
        }
    }

    /** A long run might take the core of the writer; without pauses, small ones would as well. */
    @Test
    void shouldPrepareInSmallStepsWithPausesWhileTheWriterHasPlentyLeft() throws IOException {
        CachedEpochClock clock = new CachedEpochClock();
        AppendingMedium observed = new AppendingMedium(medium);
        int segmentBytes = 16 << 20;
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(segmentBytes)
                        .withDurability(Durability.WRITTEN)
                        .withPreparedBytes(segmentBytes / 2);
        try (LogStore store = open(observed, clock)) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                int wanted = segmentBytes / 2 / PIECE;
                appender.append(value(0, 1_000));
                assertEquals(wanted, observed.pieces.get());
                // In this segment an eighth of what is wanted was used up, and then in the next
                // one, which is reserved when this one has filled an eighth.
                for (int eighth : new int[] {segmentBytes / 16, segmentBytes / 8}) {
                    while (partition.nextOffset() < eighth / 1_000) {
                        appender.append(value(partition.nextOffset(), 1_000));
                    }
                    for (int i = 0; i < 3; i++) {
                        int before = observed.pieces.get();
                        store.doWork();
                        store.doWork();
                        int pieces = observed.pieces.get() - before;
                        assertTrue(pieces > 0 && pieces <= 2 * SMALL_STEP, pieces + " pieces");
                        clock.advance(1);
                    }
                }
            }
            assertWhole(partition, 0, partition.nextOffset());
        }
    }

    /** A partition that is opened again prepares what is wanted from its first record on. */
    @Test
    void shouldKeepAsMuchPreparedAheadAsIsWanted() throws IOException {
        AppendingMedium observed = new AppendingMedium(medium);
        int wanted = 256 * 1024;
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(8 * SEGMENT_BYTES)
                        .withDurability(Durability.WRITTEN);
        try (LogStore store = open(observed)) {
            store.createTopic("t", options);
            Partition partition = store.openTopic("t").partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, 300));
            }
            Topic topic = store.openTopic("t");
            topic.changeOptions(topic.options().withPreparedBytes(wanted));
        }
        try (LogStore store = open(observed)) {
            Partition partition = store.openTopic("t").partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(1, 300));
                store.doWork();
                long next = 2;
                for (; next < 40; next++) { // up to where space is prepared
                    appender.append(value(next, 300));
                }
                observed.batches.set(0);
                for (int i = 0; i < 3_000; i++, next++) {
                    assertEquals(next, appender.append(value(next, 300)));
                    store.doWork();
                }
                for (int bytes = 0; bytes < wanted / 2; bytes += 400, next++) { // out of silence
                    assertEquals(
                            next, appender.tryAppend(new UnsafeBuffer(value(next, 300)), 0, 300));
                }
                assertEquals(0, observed.batches.get());
            }
            assertWhole(partition, 0, partition.nextOffset());
        }
    }

    /** After a burst, one of the same size finds its space. */
    @Test
    void shouldPrepareFurtherAheadForAPartitionThatAppendsFast() throws IOException {
        AppendingMedium observed = new AppendingMedium(medium);
        CachedEpochClock clock = new CachedEpochClock();
        try (LogStore store = open(observed, clock)) {
            Partition partition = partition(store, Durability.WRITTEN, 32 * SEGMENT_BYTES);
            try (Appender appender = partition.openExclusiveAppender()) {
                long next = 0;
                for (; next < 4_000; next++) {
                    clock.advance(next % 100 == 0 ? 1 : 0);
                    appender.append(value(next, 1_000));
                    store.doWork();
                }
                observed.batches.set(0);
                for (; next < 7_000; next++) { // while the background does nothing
                    appender.tryAppend(new UnsafeBuffer(value(next, 1_000)), 0, 1_000);
                }
                assertEquals(0, observed.batches.get());
            }
            assertWhole(partition, 0, 7_000);
        }
    }

    /** A slow one keeps next to nothing. */
    @Test
    void shouldPrepareLittleForAPartitionThatAppendsSlowly() throws IOException {
        CachedEpochClock clock = new CachedEpochClock();
        try (LogStore store = open(medium, clock)) {
            Partition partition = partition(store, Durability.WRITTEN, 32 * SEGMENT_BYTES);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, 1_000));
                store.doWork();
                long before = usedBytes();
                for (int i = 1; i <= 1_500; i++) {
                    clock.advance(10);
                    appender.append(value(i, 1_000));
                    store.doWork();
                }
                long ahead = usedBytes() - before - 1_500 * 1_061L;
                assertTrue(ahead < 256 * 1024, "ahead: " + ahead);
            }
        }
    }

    /** What the zeros took is given back, so that a record is appended when there is space. */
    @Test
    void shouldRefuseAnAppendAsFullWhereThereIsNoSpaceToPrepareTheOptionsBytes()
            throws IOException {
        AppendingMedium observed = new AppendingMedium(medium);
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(SEGMENT_BYTES)
                        .withPreparedBytes(SEGMENT_BYTES);
        try (LogStore store = open(observed)) {
            Partition partition = store.createTopic("t", options).partition(0);
            store.doWork();
            long before = usedBytes();
            observed.whileZeros = () -> medium.faults().limitBytes(before + SEGMENT_BYTES / 2);
            try (Appender appender = partition.openExclusiveAppender()) {
                byte[] value = value(0, 100);
                assertThrows(
                        StoreFullException.class,
                        () -> appender.append(new UnsafeBuffer(value), 0, 100));
                assertTrue(observed.pieces.get() > 1, "pieces: " + observed.pieces);
                observed.whileZeros = () -> {};
                assertTrue(usedBytes() - before < 48 * 1024, "kept " + (usedBytes() - before));
                assertEquals(0, appender.append(new UnsafeBuffer(value), 0, 100));
            }
            assertEquals(1, partition.durableOffset());
            assertWhole(partition, 0, 1);
        }
    }

    /** While zeros are written, small and large records are appended wherever they may be. */
    @ParameterizedTest
    @EnumSource
    void shouldKeepWhatIsAppendedWhileSpaceIsPrepared(Durability durability) {
        AppendingMedium appending = new AppendingMedium(medium);
        try (LogStore store = open(appending)) {
            Partition partition = partition(store, durability);
            try (Appender appender = partition.openExclusiveAppender()) {
                appending.whileZeros =
                        () -> {
                            for (int length : new int[] {100, 2_000, LARGE, 300}) {
                                long offset = partition.nextOffset();
                                appender.tryAppend(
                                        new UnsafeBuffer(value(offset, length)), 0, length);
                            }
                        };
                while (partition.metrics().rolls() < 4) {
                    long offset = partition.nextOffset();
                    int length = offset % 50 == 0 ? LARGE : 100 + (int) (offset % 900);
                    appender.append(value(offset, length));
                    if (offset % 7 == 0) {
                        store.doWork();
                    }
                }
            }
            assertTrue(appending.pieces.get() > 4, "zeros were written " + appending.pieces);
            partition.force();
            assertWhole(partition, 0, partition.nextOffset());
            assertEquals(0, store.metrics().backgroundErrors());
        }
    }

    /** Large folios cost the system less, and need aligned writes. */
    @Test
    void shouldWriteWholePiecesWhileMuchIsNotForced() {
        AppendingMedium observed = new AppendingMedium(medium);
        try (LogStore store = open(observed)) {
            Partition partition = partition(store, Durability.WRITTEN, 16 * SEGMENT_BYTES);
            try (Appender appender = partition.openExclusiveAppender()) {
                appendUntil(appender, 0, 12);
                assertEquals(0, observed.pieces.get());
                appendUntil(appender, 12, 60);
                // As many as batches that end in another piece than they begin in.
                assertTrue(observed.pieces.get() > 20, "pieces: " + observed.pieces);
                assertEquals(0, observed.acrossPieces.get());
            }
            assertWhole(partition, 0, 60);
        }
        try (LogStore store = open(medium)) {
            assertWhole(partition(store, Durability.WRITTEN), 0, 60);
        }
    }

    @Test
    void shouldWriteNoZerosThatTheNextForceWouldWriteToo() {
        AppendingMedium observed = new AppendingMedium(medium);
        try (LogStore store = open(observed)) {
            Partition partition = partition(store, Durability.DURABLE, 16 * SEGMENT_BYTES);
            try (Appender appender = partition.openExclusiveAppender()) {
                appendUntil(appender, 0, 60);
            }
            assertEquals(0, observed.pieces.get());
        }
    }

    @Test
    void shouldAppendWhatHasSpaceWhenZerosHaveNone() throws IOException {
        AppendingMedium observed = new AppendingMedium(medium);
        try (LogStore store = open(observed)) {
            Partition partition = partition(store, Durability.WRITTEN, 16 * SEGMENT_BYTES);
            try (Appender appender = partition.openExclusiveAppender()) {
                appendUntil(appender, 0, 40);
                observed.whileZeros =
                        () -> {
                            observed.whileZeros = () -> {};
                            medium.faults().limitBytes(space + 48 * 1024);
                        };
                int before = observed.pieces.get();
                for (int i = 40; observed.pieces.get() == before; i++) {
                    space = usedBytes();
                    assertEquals(
                            i, appender.tryAppend(new UnsafeBuffer(value(i, LARGE)), 0, LARGE));
                }
                medium.faults().none();
            }
            assertWhole(partition, 0, partition.nextOffset());
            assertEquals(0, partition.metrics().rolls());
        }
    }

    private static void appendUntil(Appender appender, int from, int to) {
        for (int i = from; i < to; i++) {
            appender.append(value(i, LARGE));
        }
    }

    /** While the background is busy elsewhere, records are written by calls. */
    @Test
    void shouldNotWaitForABackgroundThatHasNotBegunToPrepare() {
        try (LogStore store = open(medium)) {
            Partition partition = partition(store, Durability.WRITTEN);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, 300));
                for (int i = 1; i < 150; i++) {
                    assertEquals(i, appender.tryAppend(new UnsafeBuffer(value(i, 300)), 0, 300));
                }
            }
            assertWhole(partition, 0, 150);
        }
    }

    /** What was written of a refused record is all zeros after it, and its CRC is right. */
    @Test
    void shouldNotFindARefusedRecordAgain() throws IOException {
        SimulatedFileMedium left;
        try (LogStore store = open(medium)) {
            Partition partition = partition(store, Durability.WRITTEN);
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < 3; i++) {
                    appender.append(value(i, LARGE));
                }
                store.doWork();
                medium.faults().limitBytes(usedBytes() + 4096);
                assertEquals(
                        Appender.BACK_PRESSURED,
                        appender.tryAppend(new UnsafeBuffer(new byte[LARGE]), 0, LARGE));
                medium.faults().none();
                assertEquals(3, appender.tryAppend(new UnsafeBuffer(value(3, 50)), 0, 50));
                left = medium.kill();
            }
        }
        try (LogStore store = open(left)) {
            Partition partition = partition(store, Durability.WRITTEN);
            assertEquals(4, partition.nextOffset());
            assertWhole(partition, 0, 4);
        }
    }

    @Test
    void shouldGoOnReadingAndAppendAgainAfterALackOfSpace() throws IOException {
        try (LogStore store = open(medium)) {
            Partition partition = partition(store, Durability.DURABLE);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, LARGE));
                store.doWork();
                medium.faults().limitBytes(usedBytes() + 2 * LARGE);
                StoreFullException full =
                        assertThrows(
                                StoreFullException.class,
                                () -> {
                                    for (int i = 1; i < 10; i++) {
                                        appender.append(value(i, LARGE));
                                    }
                                });
                assertTrue(full.getMessage().contains("t-0"), full.getMessage());
                long end = partition.nextOffset();
                assertEquals(end, partition.durableOffset());
                assertTrue(end > 1);
                assertWhole(partition, 0, end);
                medium.faults().limitBytes(Long.MAX_VALUE);
                assertEquals(end, appender.append(value(end, LARGE)));
                store.doWork();
                assertWhole(partition, 0, end + 1);
                assertEquals(false, partition.metrics().isPoisoned());
            }
        }
    }

    @Test
    void shouldContinueInAnotherTierWhenTheFirstHasNoSpace() throws IOException {
        SimulatedFileMedium other = new SimulatedFileMedium();
        try (LogStore store =
                StoreBuilder.over(Path.of("/sim/store"), other)
                        .tier(FileTier.at(Path.of("/sim/hot")).withMedium(medium))
                        .tier(FileTier.at(Path.of("/sim/cold")).withMedium(other))
                        .clock(new CachedEpochClock())
                        .invokerMode()
                        .open()) {
            Partition partition = partition(store, Durability.DURABLE);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, LARGE));
                store.doWork();
                medium.faults().limitBytes(usedBytes() + LARGE);
                for (int i = 1; i < 30; i++) {
                    assertEquals(i, appender.append(value(i, LARGE)));
                }
            }
            assertWhole(partition, 0, 30);
            assertTrue(store.metrics().tiers().get(1).segments() > 0);
        }
    }

    @Test
    void shouldAppendByCallsWhenThereIsNoSpaceToPrepare() throws IOException {
        try (LogStore store = open(medium)) {
            Partition partition = partition(store, Durability.DURABLE);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, 100));
                medium.faults().limitBytes(usedBytes() + 48 * 1024);
                for (int i = 1; i < 60; i++) {
                    assertEquals(i, appender.append(value(i, 100)));
                    store.doWork();
                }
            }
            assertWhole(partition, 0, 60);
            assertEquals(0, store.metrics().backgroundErrors());
        }
    }

    /** Pages of zeros in a record may be holes after a power cut. */
    @Test
    void shouldOpenOnAFullDiskASegmentWithHoles() throws IOException {
        try (LogStore store = open(medium)) {
            Partition partition = partition(store, Durability.WRITTEN);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, 100));
                partition.force();
                store.doWork();
                appender.append(new byte[4 * LARGE]);
            }
            int kept = 0;
            for (int seed = 0; seed < 200; seed++) {
                SimulatedFileMedium left = medium.crash(Survival.random(seed));
                // Room for small files, and for few pages of a segment.
                left.faults().limitBytes(usedBytes(left) + 20_000);
                try (LogStore again = open(left)) {
                    long end = again.openTopic("t").partition(0).nextOffset();
                    kept += end == 2 ? 1 : 0;
                }
            }
            assertTrue(kept > 0);
        }
    }

    /**
     * The system reports once for an open file that a page was not written, to whoever forces next:
     * if that is the force of zeros, the page may be a batch's.
     */
    @Test
    void shouldRefuseAppendsAfterAForceOfZerosFailed() {
        FailingZeros failing = new FailingZeros(medium);
        long durable = 0;
        SimulatedFileMedium left;
        try (LogStore store = open(failing)) {
            Partition partition = partition(store, Durability.DURABLE);
            try (Appender appender = partition.openExclusiveAppender()) {
                while (failing.failed == 0) {
                    assertTrue(durable < 1000, "no zeros were forced");
                    durable = appender.append(value(durable, 200)) + 1;
                    store.doWork();
                }
                byte[] value = value(durable, 200);
                assertThrows(
                        PoisonedException.class,
                        () -> appender.append(new UnsafeBuffer(value), 0, 200));
                assertEquals(durable, partition.durableOffset());
                assertWhole(partition, 0, durable);
                left = medium.crash(Survival.NONE);
            }
        }
        try (LogStore again = open(left)) {
            Partition partition = partition(again, Durability.DURABLE);
            assertEquals(durable, partition.nextOffset());
            assertWhole(partition, 0, durable);
        }
    }

    /** That no tier has room for another segment says nothing to a record that this one holds. */
    @Test
    void shouldNotRefuseAsFullARecordThatHasToWaitForZeros() {
        AppendingMedium appending = new AppendingMedium(medium);
        FileTier tier =
                FileTier.at(Path.of("/sim/segments"))
                        .withMedium(appending)
                        .withCapacityBytes(SEGMENT_BYTES + 64 * 1024);
        try (LogStore store =
                StoreBuilder.over(Path.of("/sim/store"), appending)
                        .tier(tier)
                        .clock(new CachedEpochClock())
                        .invokerMode()
                        .open()) {
            Partition partition = partition(store, Durability.WRITTEN);
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < 3; i++) {
                    appender.append(value(i, LARGE));
                    store.doWork(); // asks for the next block
                }
                AtomicInteger waited = new AtomicInteger();
                AtomicInteger refused = new AtomicInteger();
                appending.whileZeros =
                        () -> {
                            byte[] value = value(partition.nextOffset(), LARGE);
                            try {
                                long offset = appender.tryAppend(new UnsafeBuffer(value), 0, LARGE);
                                waited.addAndGet(offset == Appender.BACK_PRESSURED ? 1 : 0);
                            } catch (StoreFullException e) { // the caller is the background
                                refused.incrementAndGet();
                            }
                        };
                for (long i = 3; waited.get() + refused.get() == 0; i = partition.nextOffset()) {
                    assertTrue(i < 1000, "no zeros were in the way");
                    appender.append(value(i, 300));
                    store.doWork();
                }
                appending.whileZeros = () -> {};
                assertEquals(0, refused.get());
                long next = partition.nextOffset();
                assertEquals(next, appender.append(value(next, LARGE)));
                assertWhole(partition, 0, next + 1);
            }
            assertEquals(0, store.metrics().backgroundErrors());
        }
    }

    /** Also where a store was opened again, and no other block was reserved since. */
    @ParameterizedTest
    @ValueSource(ints = {0, 100, 4_096, 20_000, 50_000})
    void shouldAppendAgainAfterALackOfSpaceInAStoreThatWasOpenedAgain(int room) throws IOException {
        try (LogStore store = open(medium)) {
            Partition partition = partition(store, Durability.DURABLE);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(value(0, 5_000));
            }
        }
        try (LogStore store = open(medium)) {
            Partition partition = partition(store, Durability.DURABLE);
            try (Appender appender = partition.openExclusiveAppender()) {
                medium.faults().limitBytes(usedBytes() + room);
                StoreFullException full =
                        assertThrows(
                                StoreFullException.class,
                                () -> {
                                    for (int i = 1; i < 6; i++) {
                                        appender.append(value(i, 20_000));
                                    }
                                });
                assertTrue(full.getMessage().contains("t-0"), full.getMessage());
                long end = partition.nextOffset();
                assertEquals(end, partition.durableOffset());
                medium.faults().none();
                store.doWork();
                assertEquals(end, appender.append(value(end, LARGE)));
                assertEquals(false, partition.metrics().isPoisoned());
                assertWhole(partition, 0, end + 1);
            }
        }
    }

    /** The first force of zeros fails. */
    private static final class FailingZeros extends FilterFileMedium {
        private static final int MANY = 16 * 1024;
        private int failed;

        FailingZeros(FileMedium in) {
            super(in);
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                @Override
                protected Mapping wrap(Mapping mapping) {
                    return new FilterMapping(mapping) {
                        @Override
                        public void force(int position, int length) throws IOException {
                            if (failed == 0 && length >= MANY) {
                                failed++;
                                throw new IOException(path + ": Input/output error");
                            }
                            super.force(position, length);
                        }
                    };
                }
            };
        }
    }

    /** Calls back before each piece of zeros is written. */
    private static final class AppendingMedium extends FilterFileMedium {
        private static final int PIECE = 64 * 1024;

        private final AtomicInteger pieces = new AtomicInteger();
        private final AtomicInteger acrossPieces = new AtomicInteger();

        /** Calls that wrote a batch. */
        private final AtomicInteger batches = new AtomicInteger();

        private Runnable whileZeros = () -> {};

        AppendingMedium(FileMedium in) {
            super(in);
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                @Override
                public void write(long position, ByteBuffer source) throws IOException {
                    if (path.toString().endsWith(".active") && isZeros(source)) {
                        pieces.incrementAndGet();
                        whileZeros.run();
                    } else if (path.toString().endsWith(".active")) {
                        batches.incrementAndGet();
                    }
                    long end = position + source.remaining() - 1;
                    if (path.toString().endsWith(".active") && position / PIECE < end / PIECE) {
                        acrossPieces.incrementAndGet();
                    }
                    super.write(position, source);
                }
            };
        }

        private static boolean isZeros(ByteBuffer source) {
            return source.remaining() > 1000
                    && source.equals(ByteBuffer.allocate(source.remaining()));
        }
    }
}
