package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.DamagedRangeException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.PartitionReader.CompactionResult;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.StoredRecord;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@FirstRunOnly
class CompactionTest {
    private static final long DAY_MS = 86_400_000;

    /** A key takes 24 bytes, and a tenth of the map stays free. */
    private static final int KEY_BYTES = 26;

    private final ManualClock clock = new ManualClock();

    @TempDir Path directory;

    private LogStore open(Tiers tiers) {
        return tiers.at(directory).invokerMode().clock(clock).open();
    }

    private static Topic topic(LogStore store) {
        return store.ensureTopic("t", options());
    }

    private static TopicOptions options() {
        return Stores.small()
                .withMinimumClass(Survives.PROCESS_CRASH)
                .withCleanup(CleanupPolicy.COMPACT)
                .withMinDirtyRatio(1); // only on request
    }

    private void append(LogStore store, KeyedRecords records, int count) {
        try (Appender appender = topic(store).partition(0).openAppender()) {
            for (int done = 0; done < count; done += 200) {
                records.append(appender, 200, clock.time());
                Stores.work(store);
            }
        }
        Stores.work(store);
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldLeaveTheLatestRecordOfEachKey(Tiers tiers) {
        KeyedRecords records = new KeyedRecords(1, 300, 20);
        try (LogStore store = open(tiers)) {
            Partition partition = topic(store).partition(0);
            for (int round = 0; round < 4; round++) {
                append(store, records, 4_000);
                long bytes = partition.metrics().bytes();
                CompactionResult result = store.compact("t", 0);
                assertEquals(List.of(), result.skipped());
                assertEquals(result.endOffset(), result.compactedTo());
                assertTrue(result.removedRecords() > 3_000, result.toString());
                assertTrue(partition.metrics().bytes() < bytes / 2, result.toString());
                records.assertLeft(partition, result.compactedTo(), false);
            }
        }
        try (LogStore store = open(tiers)) {
            records.assertLeft(topic(store).partition(0), 0, false);
            CompactionResult nothing = store.compact("t", 0);
            records.assertLeft(topic(store).partition(0), nothing.compactedTo(), false);
        }
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldRemoveTombstonesAfterTheirTimeAndBringNothingBack(Tiers tiers) {
        KeyedRecords records = new KeyedRecords(2, 300, 50);
        try (LogStore store = open(tiers)) {
            Partition partition = topic(store).partition(0);
            append(store, records, 4_000);
            CompactionResult first = store.compact("t", 0);
            records.assertLeft(partition, first.compactedTo(), false);
            clock.advance(DAY_MS / 2);
            append(store, records, 300);
            CompactionResult early = store.compact("t", 0);
            List<Long> before = records.assertLeft(partition, early.compactedTo(), false);
            clock.advance(DAY_MS);
            append(store, records, 300);
            CompactionResult late = store.compact("t", 0);
            List<Long> after = records.assertLeft(partition, late.compactedTo(), true);
            assertTrue(before.stream().anyMatch(at -> at < first.compactedTo()), before::toString);
            assertTrue(after.stream().noneMatch(at -> at < first.compactedTo()), after::toString);
        }
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldTakeSeveralRunsWhenThereAreMoreKeysThanMemory(Tiers tiers) {
        KeyedRecords records = new KeyedRecords(3, 1_000, 10);
        try (LogStore store =
                tiers.at(directory)
                        .invokerMode()
                        .clock(clock)
                        .compactionMemory(200 * KEY_BYTES)
                        .open()) {
            Partition partition = topic(store).partition(0);
            append(store, records, 4_000);
            CompactionResult result;
            int runs = 0;
            long before = 0;
            do {
                result = store.compact("t", 0);
                assertTrue(result.keys() <= 200, result.toString());
                assertTrue(result.compactedTo() > before, result.toString());
                before = result.compactedTo();
                records.assertLeft(partition, result.compactedTo(), false);
                runs++;
            } while (result.compactedTo() < result.endOffset());
            assertTrue(runs > 5, runs + " runs");
        }
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldChangeNothingWhenItIsCancelled(Tiers tiers) {
        KeyedRecords records = new KeyedRecords(4, 100, 20);
        try (LogStore store = open(tiers)) {
            Partition partition = topic(store).partition(0);
            append(store, records, 3_000);
            long bytes = partition.metrics().bytes();
            for (int pieces = 0; pieces < 50; pieces += 7) {
                int left = pieces;
                int[] asked = {0};
                CompactionResult result =
                        store.compact(
                                "t",
                                0,
                                (copied, total, next) ->
                                        asked[0]++ < left ? 0 : MoveControl.CANCEL);
                assertEquals(0, result.removedRecords());
                assertEquals(bytes, partition.metrics().bytes());
            }
            records.assertLeft(partition, 0, false);
            CompactionResult whole = store.compact("t", 0);
            assertEquals(List.of(), whole.skipped());
            records.assertLeft(partition, whole.compactedTo(), false);
        }
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldYieldToADeletionAndRemoveWhatCannotBeRead(Tiers tiers) {
        KeyedRecords records = new KeyedRecords(5, 100, 20);
        try (LogStore store = open(tiers)) {
            Partition partition = topic(store).partition(0);
            append(store, records, 3_000);
            long half = partition.durableOffset() / 2;
            CompactionResult met =
                    store.compact(
                            "t",
                            0,
                            (copied, total, next) -> {
                                partition.deleteRecordsBefore(half);
                                store.doWork();
                                return 0;
                            });
            assertEquals(half, partition.logStartOffset());
            records.forget(half);
            records.assertLeft(partition, 0, true);
            CompactionResult result = store.compact("t", 0);
            assertEquals(List.of(), result.skipped(), met.toString());
            records.assertLeft(partition, result.compactedTo(), false);
            StoredRecord first = Stores.read(partition.openTailer(), 1).get(0);
            assertTrue(first.offset() >= half, first.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldLeaveNothingOfASegmentThatIsDeletedWhileItIsRewritten(Tiers tiers) {
        try (LogStore store = open(tiers)) {
            int met = 0;
            for (int call = 40; call < 240; call += 16) {
                KeyedRecords records = new KeyedRecords(call, 20, 0);
                String name = "t" + call;
                Partition partition = store.createTopic(name, options()).partition(0);
                try (Appender appender = partition.openAppender()) {
                    records.append(appender, 1_000, clock.time());
                }
                Stores.work(store);
                long half = partition.durableOffset() / 2;
                int[] calls = {call};
                CompactionResult result =
                        store.compact(
                                name,
                                0,
                                (copied, total, next) -> {
                                    if (calls[0]-- == 0) {
                                        partition.deleteRecordsBefore(half);
                                        Stores.work(store);
                                    }
                                    return 0;
                                });
                met += result.skipped().isEmpty() ? 0 : 1;
                if (calls[0] < 0) {
                    records.forget(half);
                }
                records.assertLeft(partition, 0, false);
                store.deleteTopic(name);
                Stores.work(store);
            }
            assertTrue(met > 2, met + " compactions met a deletion");
            long used = store.metrics().tiers().get(0).usedBytes();
            assertEquals(0, used, "blocks are left over");
        }
    }

    @Test
    void shouldMakeRoomInATierThatIsFull() {
        boolean wasFull = false;
        for (int more = 0; more < 8 && !wasFull; more++) {
            long capacity = 11 * Stores.SEGMENT_BYTES + more * 9_000L;
            wasFull = isMadeRoomInATierOf(capacity, directory.resolve(Integer.toString(more)));
        }
        assertTrue(wasFull, "there was always room for a copy");
    }

    /** False where what is left of a full tier has room for a copy of a whole segment. */
    private boolean isMadeRoomInATierOf(long capacity, Path place) {
        ObservedMedium medium = new ObservedMedium();
        KeyedRecords records = new KeyedRecords(9, 20, 0);
        try (LogStore store =
                StoreBuilder.over(place.resolve("store"), medium)
                        .tier(
                                FileTier.at(Stores.tierOf(place))
                                        .withMedium(medium)
                                        .withCapacityBytes(capacity))
                        .invokerMode()
                        .clock(clock)
                        .open()) {
            Partition partition = topic(store).partition(0);
            try (Appender appender = partition.openAppender()) {
                assertThrows(
                        StoreFullException.class,
                        () -> {
                            while (true) {
                                records.append(appender, 20, clock.time());
                                Stores.work(store);
                            }
                        });
            }
            Stores.work(store);
            long used = store.metrics().tiers().get(0).usedBytes();
            if (capacity - used > 40_000) {
                return false;
            }
            CompactionResult result = store.compact("t", 0);
            assertEquals(List.of(), result.skipped());
            Stores.work(store);
            long after = store.metrics().tiers().get(0).usedBytes();
            assertTrue(after < used / 2, used + " bytes used, then " + after);
            records.assertLeft(partition, result.compactedTo(), false);
            append(store, records, 300);
            return true;
        }
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldShowAReadOnlyStoreWhatIsLeftOfASegmentThatItSawAsActive(Tiers tiers) {
        KeyedRecords records = new KeyedRecords(10, 50, 10);
        try (LogStore store = open(tiers)) {
            append(store, records, 100);
            try (LogReader reader = tiers.at(directory).invokerMode().openReadOnly();
                    Tailer tailer = reader.openTopic("t").openTailer()) {
                records.assertAppended(Stores.readAll(tailer));
                for (int round = 0; round < 3; round++) {
                    append(store, records, 1_500);
                    CompactionResult result = store.compact("t", 0);
                    assertEquals(List.of(), result.skipped());
                    append(store, records, 200);
                    PartitionReader followed = reader.openTopic("t").partition(0);
                    Stores.await(
                            "the reader to see all",
                            () -> {
                                reader.doWork();
                                return followed.visibleOffset()
                                        == store.openTopic("t").partition(0).visibleOffset();
                            });
                    records.assertAppended(Stores.readAll(tailer));
                    records.assertLeft(followed, result.compactedTo(), false);
                    assertNotNull(followed.findLatestTimestamp());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldFreeTheOldBytesWhenTheirLastReaderHasLeft(Tiers tiers) {
        KeyedRecords records = new KeyedRecords(7, 50, 0);
        try (LogStore store = open(tiers)) {
            Partition partition = topic(store).partition(0);
            append(store, records, 3_000);
            long used = store.metrics().tiers().get(0).usedBytes();
            long[] whileRead = {0};
            List<StoredRecord> read = new ArrayList<>();
            try (Tailer tailer = partition.openTailer()) {
                tailer.poll(
                        record -> {
                            if (whileRead[0] == 0) {
                                assertEquals(List.of(), store.compact("t", 0).skipped());
                                append(store, records, 400); // into the blocks that are free
                                whileRead[0] = store.metrics().tiers().get(0).usedBytes();
                            }
                            read.add(record.copy());
                            return Action.CONTINUE;
                        },
                        100);
                assertEquals(100, read.size());
                records.assertAppended(read);
                Stores.await(
                        "the old bytes to be freed",
                        () -> {
                            store.doWork();
                            return store.metrics().tiers().get(0).usedBytes() < whileRead[0];
                        });
                assertTrue(whileRead[0] < 1.5 * used, "what nobody read was freed at once");
                read.clear();
                read.addAll(Stores.readAll(tailer));
                records.assertAppended(read);
            }
        }
    }

    @Test
    void shouldGoOnAroundASegmentWithDamageAndKeepTheTombstonesAboveIt() throws IOException {
        KeyedRecords records = new KeyedRecords(8, 300, 50);
        try (LogStore store = open(Tiers.FILES)) {
            append(store, records, 4_000);
        }
        Path damaged =
                Stores.filesIn(Stores.tierOf(directory)).stream()
                        .filter(file -> file.toString().endsWith(".log"))
                        .sorted()
                        .skip(1)
                        .findFirst()
                        .orElseThrow();
        byte[] bytes = Files.readAllBytes(damaged);
        bytes[bytes.length / 2] ^= 1;
        Files.write(damaged, bytes);
        try (LogStore store = open(Tiers.FILES)) {
            Partition partition = topic(store).partition(0);
            CompactionResult first = store.compact("t", 0);
            assertEquals(1, first.skipped().size(), first.toString());
            assertTrue(first.skipped().get(0).startsWith(damaged + ": "), first.toString());
            assertTrue(first.bytesAfter() < first.bytesBefore() / 2, first.toString());
            assertEquals(first.endOffset(), first.compactedTo());
            List<Long> before = tombstones(partition);
            clock.advance(2 * DAY_MS);
            append(store, records, 300);
            CompactionResult late = store.compact("t", 0);
            assertEquals(first.skipped(), late.skipped());
            List<Long> below = new ArrayList<>(before);
            below.removeIf(offset -> offset >= first.compactedTo());
            List<Long> after = tombstones(partition);
            assertTrue(below.size() > 50, below::toString);
            assertTrue(
                    records.areLatest(below).stream().allMatch(after::contains),
                    "a tombstone is gone, and what it deletes may be in the damaged segment");
        }
    }

    private static List<Long> tombstones(Partition partition) {
        List<Long> found = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.offset(0) < partition.visibleOffset()) {
                try {
                    tailer.poll(
                            record -> {
                                if (!record.hasValue()) {
                                    found.add(record.offset());
                                }
                                return Action.CONTINUE;
                            },
                            100);
                } catch (DamagedRangeException e) {
                    tailer.seek(e.toOffset());
                }
            }
        }
        return found;
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldCompactWhileRecordsAreAppendedAndRead(Tiers tiers) throws Exception {
        KeyedRecords records = new KeyedRecords(6, 200, 20);
        try (LogStore store = tiers.at(directory).open()) {
            Partition partition = topic(store).partition(0);
            AtomicBoolean ends = new AtomicBoolean();
            List<Stores.Task<Long>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(Stores.start(() -> readUntil(partition, ends)));
            }
            readers.add(Stores.start(() -> searchUntil(partition, ends)));
            try (Appender appender = partition.openAppender()) {
                long removed = 0;
                for (int round = 0; round < 15; round++) {
                    records.append(appender, 400, 1_700_000_000_000L + round * 1_000L);
                    CompactionResult result = store.compact("t", 0);
                    assertEquals(List.of(), result.skipped());
                    removed += result.removedRecords();
                }
                assertTrue(removed > 2_000, removed + " records were removed");
            }
            ends.set(true);
            for (Stores.Task<Long> each : readers) {
                assertTrue(each.result() > 0);
            }
            CompactionResult last = store.compact("t", 0);
            records.assertLeft(partition, last.compactedTo(), false);
        }
    }

    /** Reads from the start to the end again and again; offsets ascend, whatever happens. */
    private static long readUntil(Partition partition, AtomicBoolean ends) {
        long read = 0;
        while (!ends.get()) {
            try (Tailer tailer = partition.openTailer()) {
                long[] before = {-1};
                while (tailer.poll(
                                record -> {
                                    assertTrue(record.offset() > before[0]);
                                    before[0] = record.offset();
                                    return Action.CONTINUE;
                                },
                                37)
                        > 0) {
                    read++;
                }
            }
        }
        return read;
    }

    private static long searchUntil(Partition partition, AtomicBoolean ends) {
        long found = 1;
        while (!ends.get()) {
            TimestampedOffset latest = partition.findLatestTimestamp();
            if (latest != null) {
                assertNotNull(partition.findTimestamp(1_700_000_000_000L));
                found++;
            }
        }
        return found;
    }
}
