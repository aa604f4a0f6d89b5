package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStore.MoveOutcome;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.file.FileTier;
import io.firn.log.LogSegment;
import io.firn.open.StoreBuilder;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.pmem.Provider;
import io.firn.store.PartitionLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Searches by timestamps that are out of order, in many segments. */
class TimestampTest {
    private static final int COUNT = 240;
    private static final int VALUE_BYTES = 8_000;

    /** One record is much later than all those after it, but the last. */
    private static final int OUTLIER = 77;

    @TempDir private Path directory;
    private final long[] times = new long[COUNT];

    TimestampTest() {
        Random random = new Random(1);
        for (int i = 0; i < COUNT; i++) {
            times[i] = 10_000 + 100L * i + random.nextInt(2_000);
        }
        times[OUTLIER] = times[COUNT - 20];
    }

    private Partition fill(LogStore store) {
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        append(partition, 0, COUNT);
        return partition;
    }

    private void append(Partition partition, int from, int to) {
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            for (int i = from; i < to; i++) {
                batch.clear();
                batch.value(Stores.numbered(i, VALUE_BYTES)).timestamp(times[i]).add();
                appender.append(batch);
            }
        }
    }

    private long first(long time) {
        for (int i = 0; i < COUNT; i++) {
            if (times[i] >= time) {
                return i;
            }
        }
        return -1;
    }

    private void check(PartitionReader partition) {
        for (long time = 9_500; time < 10_000 + 100L * COUNT + 2_500; time += 97) {
            assertEquals(first(time), offsetOf(partition.findTimestamp(time)), "at " + time);
        }
        long latest = 0;
        for (long time : times) {
            latest = Math.max(latest, time);
        }
        assertEquals(first(latest), offsetOf(partition.findLatestTimestamp()));
    }

    private static long offsetOf(TimestampedOffset found) {
        return found == null ? -1 : found.offset();
    }

    private static List<Long> mapped(Partition partition) {
        List<Long> bases = new ArrayList<>();
        for (LogSegment each : ((PartitionLog) partition).log().segments()) {
            if (each.isSealed() && each.hasView()) {
                bases.add(each.baseOffset());
            }
        }
        return bases;
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindWhatALookAtAllRecordsFinds(Tiers tier) {
        try (LogStore store = tier.at(directory).open()) {
            Partition partition = fill(store);
            assertTrue(partition.metrics().segments() > 20);
            check(partition);
            try (LogReader reader = tier.at(directory).openReadOnly()) {
                check(reader.openTopic("t").partition(0));
            }
        }
        try (LogStore store = tier.at(directory).open()) {
            check(store.openTopic("t").partition(0));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadOnlySegmentsThatMayHaveTheTimestamp(Tiers tier) {
        try (LogStore store = tier.at(directory).open()) {
            fill(store);
        }
        try (LogStore store = tier.at(directory).open()) {
            Partition partition = store.openTopic("t").partition(0);
            List<Long> before = mapped(partition);
            partition.findTimestamp(times[150]);
            List<Long> after = mapped(partition);
            after.removeAll(before);
            assertTrue(after.size() <= 4, () -> "read " + after); // times may be 20 records apart
            partition.findLatestTimestamp();
            partition.findTimestamp(Long.MAX_VALUE - 1);
            assertTrue(mapped(partition).size() <= before.size() + 6, () -> "" + mapped(partition));
        }
    }

    @Test
    void shouldOpenOnlyFilesThatMayHaveTheTimestampInAnotherProcess() {
        ObservedMedium readers = new ObservedMedium();
        try (LogStore store = Stores.at(directory).open()) {
            Partition written = fill(store);
            Stores.await("seals", () -> written.metrics().backlogBytes() == 0);
            try (LogReader reader = Stores.at(directory, readers).openReadOnly()) {
                PartitionReader partition = reader.openTopic("t").partition(0);
                Set<Path> opened = new ConcurrentSkipListSet<>();
                readers.beforeOpen(
                        file -> {
                            if (file.toString().endsWith(".log")) {
                                opened.add(file);
                            }
                        });
                partition.findTimestamp(times[150]);
                assertTrue(opened.size() <= 4, () -> "opened " + opened);
            }
        }
    }

    @Test
    void shouldKnowTheTimestampsOfSegmentsThatWereMoved() {
        try (LogStore store = two().open()) {
            Partition partition = fill(store);
            for (SegmentPlace each : movable(store).subList(0, 10)) {
                assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, each.baseOffset(), "tier-1"));
            }
            check(partition);
        }
        try (LogStore store = two().open()) {
            Partition partition = store.openTopic("t").partition(0);
            List<Long> before = mapped(partition);
            partition.findTimestamp(times[150]);
            assertTrue(mapped(partition).size() <= before.size() + 4);
            check(partition);
            for (SegmentPlace each : movable(store).subList(0, 5)) {
                assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, each.baseOffset(), "tier-0"));
            }
            check(partition);
        }
        try (LogStore store = two().open()) {
            check(store.openTopic("t").partition(0));
        }
    }

    private static List<SegmentPlace> movable(LogStore store) {
        List<SegmentPlace> found = new ArrayList<>();
        Stores.await(
                "movable segments",
                () -> {
                    found.clear();
                    store.snapshot().partitions().get(0).segments().stream()
                            .filter(SegmentPlace::isMovable)
                            .forEach(found::add);
                    return found.size() >= 10;
                });
        return found;
    }

    private LogStoreBuilder two() {
        ObservedMedium medium = new ObservedMedium();
        return StoreBuilder.over(directory.resolve("store"), medium)
                .tier(
                        PmemTier.at(directory.resolve("pool"))
                                .withMedium(medium)
                                .withBlockBytes(2 << 20)
                                .withPoolRatio(1)
                                .withCapacityBytes(128 << 20)
                                .withEmulation(Emulation.PLAIN)
                                .withProvider(Provider.JDK))
                .tier(
                        FileTier.at(directory.resolve("files"))
                                .withMedium(medium)
                                .withDeclaredDurable());
    }
}
