package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.Finding;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.CompactionResult;
import io.firn.RetainUntilRead;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoredRecord;
import io.firn.Topic;
import io.firn.TopicOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clock was a year ahead while segments were sealed, and was set back. */
class ClockAheadTest {
    private static final long YEAR_MS = 365L * 86_400_000;
    private static final long DAY_MS = 86_400_000;

    @TempDir private Path directory;
    private final ManualClock clock = new ManualClock();
    private LogStore store;

    @BeforeEach
    void open() {
        store = Stores.at(directory).clock(clock).invokerMode().open();
        clock.advance(YEAR_MS);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        store.close();
        store = Stores.at(directory).clock(clock).invokerMode().open();
    }

    private Partition partition() {
        return store.openTopic("t").partition(0);
    }

    /** Seals four segments. */
    private void append() {
        try (Appender appender = partition().openAppender()) {
            for (int i = 0; i < 26; i++) {
                appender.append(Stores.bytes("key-" + i % 2), new byte[10_000]);
                work(0);
            }
        }
    }

    private void work(long afterMs) {
        clock.advance(afterMs);
        Stores.work(store);
        store.doWork();
    }

    private boolean isFound() {
        return store.findings().stream()
                .anyMatch(each -> each.kind() == Finding.Kind.CLOCK_WAS_AHEAD);
    }

    private void setBack() {
        clock.advance(-YEAR_MS);
        work(0);
        assertTrue(isFound(), () -> store.findings().toString());
    }

    @Test
    void shouldDeleteByAgeWhatWasSealedInTheFuture() {
        store.createTopic("t", Stores.small().withRetentionAge(Duration.ofMillis(DAY_MS)));
        append();
        assertEquals(List.of(), store.findings());
        setBack();
        assertEquals(0, partition().logStartOffset());

        work(DAY_MS / 2);
        assertEquals(0, partition().logStartOffset(), "sealed now, not long ago");
        work(DAY_MS / 2 + 1);

        assertTrue(partition().logStartOffset() > 0, "it waits for the clock");
        assertEquals(List.of(), store.findings());
    }

    /** How long a segment was seen is not stored, but the next one's time is. */
    @Test
    void shouldCountFromTheNextSegmentsSealAfterRestarts() {
        store.createTopic("t", Stores.small().withRetentionAge(Duration.ofMillis(DAY_MS)));
        append();
        setBack();
        append();
        long end = partition().nextOffset();
        for (int i = 0; i < 4; i++) {
            work(DAY_MS / 4);
            reopen();
            work(0);
        }
        work(1);
        assertTrue(partition().logStartOffset() > end / 2, "at " + partition().logStartOffset());
    }

    @Test
    void shouldNotWaitForAReaderUntilTheClockIsThereAgain() {
        store.createTopic(
                "t",
                Stores.small()
                        .withRetentionBytes(0)
                        .withRetainUntilRead(
                                RetainUntilRead.by("slow")
                                        .withLimitAge(Duration.ofMillis(DAY_MS))));
        append();
        setBack();
        work(DAY_MS + 1);
        assertTrue(partition().logStartOffset() > 0);
    }

    @Test
    void shouldCompactAfterTheLagWhatWasSealedInTheFuture() {
        store.createTopic(
                "t",
                Stores.small()
                        .withCleanup(CleanupPolicy.COMPACT)
                        .withMinDirtyRatio(1)
                        .withMinCompactionLag(Duration.ofMillis(DAY_MS)));
        append();
        setBack();
        assertEquals(0, store.compact("t", 0).compactedTo());
        work(DAY_MS);
        CompactionResult result = store.compact("t", 0);
        assertTrue(result.compactedTo() > 0, result.toString());
        assertEquals(List.of(), result.skipped());
        Instant now = Instant.ofEpochMilli(clock.time());
        Set<Instant> times =
                segments().stream()
                        .flatMap(each -> each.sealTime().stream())
                        .collect(Collectors.toSet());
        assertTrue(times.stream().noneMatch(each -> each.isAfter(now)), times.toString());
    }

    /** A tombstone may go from a time on that is stored when it is compacted first. */
    @Test
    void shouldRemoveTombstonesThatWereFirstCompactedInTheFuture() {
        Topic topic =
                store.createTopic(
                        "t",
                        Stores.small()
                                .withCleanup(CleanupPolicy.COMPACT)
                                .withMinDirtyRatio(1)
                                .withTombstoneRetention(Duration.ofMillis(DAY_MS)));
        try (Appender appender = topic.partition(0).openAppender()) {
            appender.append(Stores.bytes("gone"), null);
        }
        append();
        store.compact("t", 0);
        store.compact("t", 0);
        assertEquals(1, tombstones());
        setBack();
        for (int i = 0; i < 3 && tombstones() > 0; i++) {
            append();
            store.compact("t", 0);
            work(DAY_MS + 1);
        }
        assertEquals(0, tombstones(), "it stays until the clock is there again");
    }

    /** The clock is behind for a while, as before it is synchronised: what is stored then stays. */
    @Test
    void shouldDeleteNothingTooEarlyThatWasCompactedWhileTheClockWasBehind() {
        store.createTopic(
                "t",
                Stores.small()
                        .withCleanup(CleanupPolicy.COMPACT_AND_DELETE)
                        .withMinDirtyRatio(1)
                        .withRetentionAge(Duration.ofMillis(DAY_MS)));
        append();
        setBack();
        assertTrue(store.compact("t", 0).compactedTo() > 0);
        work(YEAR_MS);
        assertEquals(0, partition().logStartOffset(), "it was sealed just now");
        work(DAY_MS + 1);
        assertTrue(partition().logStartOffset() > 0);
    }

    @Test
    void shouldRemoveNoTombstoneTooEarlyThatWasCompactedWhileTheClockWasBehind() {
        Topic topic =
                store.createTopic(
                        "t",
                        Stores.small()
                                .withCleanup(CleanupPolicy.COMPACT)
                                .withMinDirtyRatio(1)
                                .withTombstoneRetention(Duration.ofMillis(DAY_MS)));
        try (Appender appender = topic.partition(0).openAppender()) {
            appender.append(Stores.bytes("gone"), null);
        }
        append();
        store.compact("t", 0);
        store.compact("t", 0);
        append();
        setBack();
        store.compact("t", 0);
        work(YEAR_MS);
        append();
        store.compact("t", 0);
        assertEquals(1, tombstones(), "a day has not passed");
        work(DAY_MS + 1);
        append();
        store.compact("t", 0);
        assertEquals(0, tombstones());
    }

    private long tombstones() {
        List<StoredRecord> all = Stores.readAll(partition().openTailer());
        return all.stream().filter(each -> each.value() == null).count();
    }

    private List<SegmentPlace> segments() {
        return store.snapshot().partitions().stream()
                .filter(each -> each.topic().equals("t"))
                .flatMap(each -> each.segments().stream())
                .toList();
    }

    /** Which a policy of the migrator compares with the time of the snapshot. */
    @Test
    void shouldShowNoSealInTheFutureInASnapshot() {
        store.createTopic("t", TopicOptions.defaults().withSegmentBytes(Stores.SEGMENT_BYTES));
        append();
        setBack();
        long now = clock.time();
        assertEquals(
                4,
                segments().stream()
                        .filter(
                                each ->
                                        each.sealTime()
                                                .equals(Optional.of(Instant.ofEpochMilli(now))))
                        .count());
        work(5);
        assertEquals(
                4,
                segments().stream()
                        .filter(
                                each ->
                                        each.sealTime()
                                                .equals(Optional.of(Instant.ofEpochMilli(now))))
                        .count());
    }
}
