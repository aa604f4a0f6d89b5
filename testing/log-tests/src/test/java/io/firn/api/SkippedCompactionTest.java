package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.PartitionReader.CompactionResult;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoredRecord;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.format.BatchEncoder;
import io.firn.format.BatchFormat;
import io.firn.host.HostedAppender;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.open.StoreBuilder;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.pmem.Provider;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compactions that leave segments as they are, and those that make up for it. */
@FirstRunOnly
class SkippedCompactionTest {
    private static final long DAY_MS = 86_400_000;
    private static final long HOUR_MS = 3_600_000;

    /** A key takes 24 bytes, and a tenth of the map stays free. */
    private static final int KEY_BYTES = 26;

    private static final String KEY = "deleted";

    private final ManualClock clock = new ManualClock();
    private final FailingMedium medium = new FailingMedium();
    private final CountDownLatch moveEnds = new CountDownLatch(1);

    @TempDir private Path directory;

    /** Fails to map the files of a segment when it is told to. */
    private static final class FailingMedium extends FilterFileMedium {
        private volatile String failing = "nothing";

        FailingMedium() {
            super(new ObservedMedium());
        }

        private void check(Path file) throws IOException {
            if (file.getFileName().toString().startsWith(failing)) {
                throw new IOException("injected: " + file);
            }
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                @Override
                public Mapping map(int length, boolean writable) throws IOException {
                    check(path);
                    return super.map(length, writable);
                }

                @Override
                public Mapping map(FileChannel.MapMode mode, long position, int length)
                        throws IOException {
                    check(path);
                    return super.map(mode, position, length);
                }
            };
        }
    }

    private LogStoreBuilder builder() {
        FileMedium on = medium;
        return Stores.at(directory, on)
                .tier(FileTier.at(directory.resolve("cold")).withMedium(on))
                .clock(clock)
                .invokerMode();
    }

    private static TopicOptions options() {
        return Stores.small()
                .withMinimumClass(Survives.PROCESS_CRASH)
                .withCleanup(CleanupPolicy.COMPACT)
                .withMinDirtyRatio(1); // only on request
    }

    /** Begins a segment with a record, and fills it with records of other keys. */
    private void fillSegment(LogStore store, String key, byte[] value) {
        Partition partition = store.openTopic("t").partition(0);
        try (Appender appender = partition.openAppender()) {
            append(appender, key, value);
            append(appender, "often", value); // the segment loses it when there is another one
            long rolls = partition.metrics().rolls();
            while (partition.metrics().rolls() == rolls) {
                append(appender, "key-" + partition.nextOffset(), new byte[5_000]);
                Stores.work(store);
            }
        }
        Stores.work(store);
    }

    private static void append(Appender appender, String key, byte[] value) {
        appender.append(Stores.bytes(key), value);
    }

    /** Begins to move the first segment; that lasts until {@link #moveEnds}. */
    private Stores.Task<?> moveFirst(LogStore store) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        MoveControl held =
                (copied, total, next) -> {
                    begun.countDown();
                    try {
                        moveEnds.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return 0;
                };
        Stores.Task<?> move = Stores.start(() -> store.migrate("t", 0, 0, "tier-1", held));
        begun.await();
        return move;
    }

    /** What a new reader finds of the key, in order. */
    private static List<StoredRecord> found(LogStore store) {
        try (Tailer tailer = store.openTopic("t").openTailer()) {
            return Stores.readAll(tailer).stream()
                    .filter(each -> Stores.text(each.key()).equals(KEY))
                    .toList();
        }
    }

    private static boolean isTombstone(List<StoredRecord> found) {
        return found.size() == 1 && found.get(0).value() == null;
    }

    /** Otherwise a reader that has just read the record might never see its tombstone. */
    @Test
    void shouldKeepATombstoneForItsTimeAfterWhatItDeletesIsRemoved() throws Exception {
        try (LogStore store = builder().open()) {
            store.createTopic("t", options());
            fillSegment(store, KEY, new byte[100]);
            fillSegment(store, KEY, null);
            fillSegment(store, "other", null);
            Stores.Task<?> move = moveFirst(store);
            try {
                CompactionResult first = store.compact("t", 0);
                assertEquals(1, first.skipped().size(), first.toString());
                clock.advance(2 * DAY_MS);
            } finally {
                moveEnds.countDown();
            }
            move.result();
            Stores.work(store);
            fillSegment(store, "more", null);
            assertEquals(List.of(), store.compact("t", 0).skipped());
            assertTrue(isTombstone(found(store)), "its time begins now: " + found(store));
            clock.advance(2 * DAY_MS);
            fillSegment(store, "still more", null);
            assertEquals(List.of(), store.compact("t", 0).skipped());
            assertEquals(List.of(), found(store));
        }
    }

    /** As Kafka's own compaction has it, in a batch that was copied from there. */
    private static ByteBuffer tombstoneWhoseTimeHasPassed(String key) {
        BatchEncoder encoder = new BatchEncoder(() -> HOUR_MS, Compression.NONE, 1 << 20);
        encoder.add(Stores.bytes(key), null);
        ByteBuffer batch = ForeignBatches.of(encoder);
        int attributes = batch.position() + BatchFormat.ATTRIBUTES;
        batch.putShort(attributes, (short) BatchFormat.DELETE_HORIZON_FLAG);
        return ForeignBatches.withCrc(batch);
    }

    /** Its time was set elsewhere, where what it deletes had been removed. */
    @Test
    void shouldKeepATombstoneOfAnotherLogWhileASegmentBelowIsSkipped() throws Exception {
        try (LogStore store = builder().open()) {
            Partition partition = store.createTopic("t", options()).partition(0);
            clock.advance(2 * DAY_MS);
            fillSegment(store, KEY, new byte[100]);
            try (Appender appender = partition.openAppender()) {
                HostedAppender.of(appender).appendBatch(tombstoneWhoseTimeHasPassed(KEY));
            }
            fillSegment(store, "other", null);
            fillSegment(store, "another", null);
            Stores.Task<?> move = moveFirst(store);
            try {
                CompactionResult first = store.compact("t", 0);
                assertEquals(1, first.skipped().size(), first.toString());
                assertTrue(first.removedRecords() > 0, first.toString());
            } finally {
                moveEnds.countDown();
            }
            move.result();
            List<StoredRecord> found = found(store);
            assertEquals(2, found.size(), "the value is in the segment that was skipped: " + found);
            assertNull(found.get(1).value());
            Stores.work(store);
            fillSegment(store, "more", null);
            assertEquals(List.of(), store.compact("t", 0).skipped());
            assertEquals(List.of(), found(store));
        }
    }

    @Test
    void shouldGoOnAboveASegmentThatIsSkippedWhenThereAreMoreKeysThanMemory() throws Exception {
        KeyedRecords records = new KeyedRecords(41, 1_000, 10);
        try (LogStore store = builder().compactionMemory(200 * KEY_BYTES).open()) {
            Partition partition = store.createTopic("t", options()).partition(0);
            try (Appender appender = partition.openAppender()) {
                for (int i = 0; i < 30; i++) {
                    records.append(appender, 100, clock.time());
                    Stores.work(store);
                }
            }
            Stores.work(store);
            Stores.Task<?> move = moveFirst(store);
            CompactionResult last;
            try {
                last = compactToTheEnd(store);
                assertEquals(1, last.skipped().size(), last.toString());
                CompactionResult again = store.compact("t", 0);
                assertEquals(0, again.keys(), "nothing is left to do: " + again);
                assertEquals(last.skipped(), again.skipped());
                try (Tailer tailer = partition.openTailer()) {
                    assertTrue(Stores.readAll(tailer).size() < 2_000);
                }
            } finally {
                moveEnds.countDown();
            }
            move.result();
            Stores.work(store);
            clock.advance(HOUR_MS); // it is tried again
            last = compactToTheEnd(store);
            assertEquals(List.of(), last.skipped());
            records.assertLeft(partition, last.compactedTo(), false);
        }
    }

    private static CompactionResult compactToTheEnd(LogStore store) {
        CompactionResult result;
        long before = -1;
        do {
            result = store.compact("t", 0);
            assertTrue(result.compactedTo() > before, "it does not get further: " + result);
            before = result.compactedTo();
        } while (result.compactedTo() < result.endOffset());
        return result;
    }

    /**
     * The second compaction cannot read the segment with the tombstone, and rewrites the one with
     * what it deletes, which the first one skipped.
     */
    @Test
    void shouldTryAgainWhatAMediumFailedToReadAndBringNothingBack() throws Exception {
        try (LogStore store = builder().open()) {
            store.createTopic("t", options());
            fillSegment(store, KEY, new byte[100]);
            List<SegmentPlace> segments = store.snapshot().partitions().get(0).segments();
            String tombstones = String.format("%020d", segments.get(1).baseOffset());
            fillSegment(store, KEY, null);
            fillSegment(store, "other", null);
            Stores.Task<?> move = moveFirst(store);
            assertEquals(1, store.compact("t", 0).skipped().size());
            moveEnds.countDown();
            move.result();
            Stores.work(store);
            medium.failing = tombstones;
            CompactionResult failed = store.compact("t", 0);
            assertEquals(1, failed.skipped().size(), failed.toString());
            assertTrue(failed.skipped().get(0).contains("injected"), failed.toString());
            assertEquals(failed.skipped(), store.compact("t", 0).skipped(), "not at once");
            medium.failing = "nothing";
            clock.advance(2 * DAY_MS);
            for (int i = 0; i < 3; i++) {
                fillSegment(store, "more " + i, null);
                assertEquals(List.of(), store.compact("t", 0).skipped());
                List<StoredRecord> found = found(store);
                assertTrue(found.isEmpty() || isTombstone(found), "it came back: " + found);
                clock.advance(2 * DAY_MS);
            }
            assertEquals(List.of(), found(store));
        }
    }

    @Test
    void shouldNameABlockThatIsTooFullForTheTimesOfItsTombstonesAndNotCopyItInVain() {
        int blockBytes = 2 << 20;
        try (LogStore store =
                StoreBuilder.over(directory.resolve("store"), medium)
                        .tier(
                                PmemTier.at(directory.resolve("pool"))
                                        .withMedium(medium)
                                        .withBlockBytes(blockBytes)
                                        .withPoolRatio(1)
                                        .withCapacityBytes(8L * blockBytes)
                                        .withEmulation(Emulation.PLAIN)
                                        .withProvider(Provider.JDK))
                        .clock(clock)
                        .invokerMode()
                        .open()) {
            int segmentBytes = store.snapshot().tiers().get(0).maxSegmentBytes();
            Partition partition =
                    store.createTopic("t", options().withSegmentBytes(segmentBytes)).partition(0);
            int[] number = {0};
            fillWithTombstones(store, partition, number, 2);
            long bytes = partition.metrics().bytes();
            long[] read = {0};
            CompactionResult result =
                    store.compact(
                            "t",
                            0,
                            (copied, total, next) -> {
                                read[0] += next;
                                return 0;
                            });
            assertEquals(List.of(), result.skipped());
            assertFalse(result.full().isEmpty(), result.toString());
            assertTrue(result.full().get(0).contains(" tombstones "), result.toString());
            assertTrue(read[0] < 2.5 * bytes, read[0] + " bytes read and written of " + bytes);
            compactToTheEnd(store); // of so many keys
            assertEquals(List.of(), store.compact("t", 0).full(), "nothing is dirty");
        }
    }

    private void fillWithTombstones(
            LogStore store, Partition partition, int[] number, int segments) {
        try (Appender appender = partition.openAppender()) {
            for (long to = partition.metrics().rolls() + segments;
                    partition.metrics().rolls() < to; ) {
                Batch batch = appender.newBatch();
                for (int i = 0; i < 40; i++) {
                    batch.add(Stores.bytes("key-" + number[0]++), null);
                }
                appender.append(batch);
                Stores.work(store);
            }
        }
        Stores.work(store);
    }
}
