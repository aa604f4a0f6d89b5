package io.firn.api;

import static io.firn.api.Stores.SEGMENT_BYTES;
import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.offsets;
import static io.firn.api.Stores.readAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Claim;
import io.firn.CleanupPolicy;
import io.firn.ExclusiveAppender;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments end by age, and go by size, by age and on request. Time stands still here. */
class RetentionTest {
    /** Of {@link #append}'s records, a segment holds six. */
    private static final int EACH = 6;

    @TempDir private Path directory;
    private final ManualClock clock = new ManualClock();
    private LogStore store;

    @BeforeEach
    void open() {
        store = Stores.at(directory).clock(clock).invokerMode().open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Partition created(TopicOptions options) {
        return store.createTopic("t", options).partition(0);
    }

    private Partition reopened() {
        store.close();
        open();
        return store.openTopic("t").partition(0);
    }

    private void append(Partition partition, int count) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(new byte[] {1}, new byte[10_000]);
            }
        }
        work(200);
    }

    private void work(long afterMs) {
        clock.advance(afterMs);
        Stores.work(store);
        store.doWork();
    }

    private long files(String suffix) {
        return Stores.filesIn(Stores.tierOf(directory)).stream()
                .filter(file -> file.toString().endsWith(suffix))
                .count();
    }

    private static long first(Partition partition) {
        return offsets(readAll(partition.openTailer())).get(0);
    }

    @Test
    void shouldDeleteNothingOfATopicThatIsOnlyCompacted() {
        TopicOptions options =
                Stores.small()
                        .withRetentionBytes(SEGMENT_BYTES)
                        .withRetentionAge(Duration.ofMillis(1))
                        .withCleanup(CleanupPolicy.COMPACT);
        Partition partition = created(options);
        append(partition, 5 * EACH);
        work(1_000_000);
        assertEquals(0, partition.logStartOffset());

        Topic topic = partition.topic();
        topic.changeOptions(topic.options().withCleanup(CleanupPolicy.COMPACT_AND_DELETE));
        work(200);
        assertTrue(partition.logStartOffset() >= 4 * EACH, "at " + partition.logStartOffset());
    }

    @Test
    void shouldDeleteWholeSegmentsAboveTheBytes() {
        Partition partition = created(Stores.small().withRetentionBytes(3L * SEGMENT_BYTES));
        append(partition, 10 * EACH);
        long start = partition.logStartOffset();
        assertEquals(0, start % EACH, "whole segments");
        assertEquals(start, first(partition));
        long bytes = partition.metrics().bytes();
        assertTrue(bytes >= 3L * SEGMENT_BYTES, "never below what is to be kept: " + bytes);
        assertTrue(bytes < 4L * SEGMENT_BYTES + SEGMENT_BYTES, "too much is kept: " + bytes);
        int segments = partition.metrics().segments();
        assertEquals(segments - 1, files(".log"));
        assertEquals(segments - 1, files(".index"));
        assertEquals(segments - 1, files(".timeindex"));
        assertEquals(segments - 1, files(".mark"));
        long used = store.metrics().tiers().get(0).usedBytes();
        int reserved = 1;
        int spare = 1;
        long most = (segments + reserved + spare) * (SEGMENT_BYTES + 2 * 4096L);
        assertTrue(used <= most, "used: " + used);

        partition = reopened();
        assertEquals(start, partition.logStartOffset());
        assertEquals(start, first(partition));
        assertEquals(10 * EACH, partition.nextOffset());
        assertEquals(List.of(), partition.damage());
        assertEquals(List.of(), store.findings());
    }

    @Test
    void shouldNeverDeleteTheSegmentThatIsWritten() {
        Partition partition = created(Stores.small().withRetentionBytes(0));
        append(partition, EACH - 1);
        assertEquals(0, partition.logStartOffset());
        append(partition, EACH);
        assertEquals(EACH, partition.logStartOffset());
        assertEquals(EACH, first(partition));
    }

    @Test
    void shouldDeleteByTheTimeOfSealingAndNotByTimestamps() {
        Partition partition = created(Stores.small().withRetentionAge(Duration.ofMinutes(10)));
        try (Appender appender = partition.openExclusiveAppender()) {
            for (long timestamp : new long[] {0, Long.MAX_VALUE / 2}) {
                for (int i = 0; i < 2 * EACH; i++) {
                    appender.append(
                            appender.newBatch().value(new byte[10_000]).timestamp(timestamp).add());
                }
            }
        }
        work(1_000);
        assertEquals(0, partition.logStartOffset(), "old timestamps delete nothing");
        work(590_000);
        assertEquals(0, partition.logStartOffset());
        append(partition, 2 * EACH);
        work(11_000);
        assertEquals(3 * EACH, partition.logStartOffset(), "timestamps far ahead keep nothing");
        assertEquals(3 * EACH, first(partition));
        partition = reopened();
        work(1_000);
        assertEquals(3 * EACH, partition.logStartOffset());
        work(580_000);
        assertEquals(3 * EACH, partition.logStartOffset(), "the time of sealing is kept");
        work(20_000);
        assertEquals(5 * EACH, partition.logStartOffset());
    }

    @Test
    void shouldDeleteNothingAtOnceWhenTheClockGoesBack() {
        Partition partition = created(Stores.small().withRetentionAge(Duration.ofMinutes(10)));
        append(partition, 3 * EACH);
        clock.advance(-Duration.ofDays(365).toMillis());
        append(partition, 3 * EACH);
        assertEquals(0, partition.logStartOffset());
        assertEquals(6 * EACH, readAll(partition.openTailer()).size());
        work(Duration.ofMinutes(9).toMillis());
        assertEquals(0, partition.logStartOffset());
        work(Duration.ofMinutes(2).toMillis());
        assertEquals(5 * EACH, partition.logStartOffset());
    }

    @Test
    void shouldEndASegmentByAge() {
        Partition partition = created(Stores.small().withRollAge(Duration.ofSeconds(30)));
        append(partition, 2);
        work(29_000);
        assertEquals(0, files(".log"));
        work(2_000);
        assertEquals(1, files(".log"), "of an idle partition too");
        assertEquals(1, partition.metrics().segments());
        work(300_000);
        assertEquals(1, partition.metrics().segments(), "an empty segment is not ended");
        append(partition, 1);
        assertEquals(2, partition.metrics().segments());
        assertEquals(List.of(0L, 1L, 2L), offsets(readAll(partition.openTailer())));
        partition = reopened();
        assertEquals(3, partition.nextOffset());
        assertEquals(List.of(0L, 1L, 2L), offsets(readAll(partition.openTailer())));
    }

    @Test
    void shouldCountTheAgeOfASegmentAcrossRestarts() {
        Partition partition = created(Stores.small().withRollAge(Duration.ofSeconds(30)));
        append(partition, 2);
        work(200);
        for (int i = 0; i < 3; i++) {
            work(9_000);
            partition = reopened();
            append(partition, 1);
            assertEquals(0, files(".log"));
        }
        work(2_000);
        work(2_000);
        assertEquals(1, files(".log"));
        assertEquals(5, readAll(partition.openTailer()).size());
    }

    @Test
    void shouldEndASegmentByAgeBesideAnExclusiveAppender() {
        Partition partition = created(Stores.small().withRollAge(Duration.ofSeconds(30)));
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("a"));
            work(200);
            work(31_000);
            appender.append(bytes("b"));
            appender.append(bytes("c"));
            work(200);
        }
        assertEquals(2, partition.metrics().segments());
        assertEquals(1, files(".log"));
        assertEquals(3, readAll(partition.openTailer()).size());
    }

    /** What an appender that stays open holds is no reason to keep records for ever. */
    @Test
    void shouldEmptyAPartitionByAgeBesideAnIdleExclusiveAppender() {
        Partition partition =
                created(
                        Stores.small()
                                .withRollAge(Duration.ofSeconds(30))
                                .withRetentionAge(Duration.ofSeconds(60)));
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("a"));
            work(200);
            work(31_000);
            assertEquals(1, files(".log"));
            assertEquals(0, partition.logStartOffset());
            work(61_000);
            assertEquals(1, partition.logStartOffset());
            assertEquals(0, partition.metrics().segments());
            assertEquals(1, appender.append(bytes("b")));
            assertEquals(2, appender.append(bytes("c")));
        }
        assertEquals(List.of(1L, 2L), offsets(readAll(partition.openTailer())));
        partition = reopened();
        assertEquals(List.of(1L, 2L), offsets(readAll(partition.openTailer())));
        assertEquals(List.of(), partition.damage());
    }

    @Test
    void shouldEndASegmentByAgeOnlyWhenAnOpenClaimIsDone() {
        Partition partition = created(Stores.small().withRollAge(Duration.ofSeconds(30)));
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("a"));
            work(200);
            Claim claim = appender.tryClaim(1);
            claim.buffer().put((byte) 'b');
            work(31_000);
            assertEquals(0, files(".log"));
            assertEquals(1, claim.commit());
            work(200);
            assertEquals(1, files(".log"), "nothing more is appended");
            Claim dropped = appender.tryClaim(1);
            while (dropped == null) {
                store.doWork();
                dropped = appender.tryClaim(1);
            }
            dropped.abort();
            assertEquals(2, appender.append(bytes("c")));
        }
        assertEquals(2, partition.metrics().segments());
        assertEquals(List.of("a", "b", "c"), Stores.texts(readAll(partition.openTailer())));
    }

    @Test
    void shouldEmptyAnIdlePartitionByAge() {
        TopicOptions options =
                Stores.small()
                        .withRollAge(Duration.ofSeconds(30))
                        .withRetentionAge(Duration.ofSeconds(60));
        Partition partition = created(options);
        append(partition, 2 * EACH + 1);
        work(31_000);
        work(61_000);
        assertEquals(2 * EACH + 1, partition.logStartOffset());
        assertEquals(0, partition.metrics().segments());
        assertEquals(0, files(".log"));
        assertEquals(List.of(), readAll(partition.openTailer()));
        partition = reopened();
        assertEquals(2 * EACH + 1, partition.logStartOffset());
        assertEquals(2 * EACH + 1, partition.nextOffset(), "offsets are never given again");
        append(partition, 1);
        assertEquals(2 * EACH + 1, first(partition));
        assertEquals(List.of(), partition.damage());
    }

    @Test
    void shouldDeleteRecordsOnRequestEvenInsideOfASegment() {
        Partition partition = created(Stores.small());
        append(partition, 5 * EACH);
        Tailer tailer = partition.openTailer();
        tailer.poll(record -> Action.CONTINUE, 3);
        long start = 2 * EACH + 2;
        assertEquals(start, partition.deleteRecordsBefore(start));
        assertEquals(start, partition.logStartOffset());
        OffsetOutOfRangeException e =
                assertThrows(
                        OffsetOutOfRangeException.class,
                        () -> tailer.poll(record -> Action.CONTINUE, 1));
        assertEquals(3, e.offset());
        assertEquals(start, e.logStartOffset());
        tailer.seek(e.logStartOffset());
        assertEquals(start, readAll(tailer).get(0).offset());
        work(200);
        assertEquals(3, partition.metrics().segments());
        assertEquals(2, files(".log"));

        assertEquals(start, partition.deleteRecordsBefore(0), "it never goes back");
        assertEquals(start, partition.deleteRecordsBefore(start - 1));
        partition = reopened();
        assertEquals(start, partition.logStartOffset());
        assertEquals(start, first(partition));
        assertEquals(List.of(), partition.damage());
        Tailer fresh = partition.openTailer();
        assertEquals(start, fresh.offset());
    }

    @Test
    void shouldDeleteEverythingOnRequestAndGoOn() {
        Partition partition = created(Stores.small());
        append(partition, 3 * EACH);
        long end = partition.nextOffset();
        for (long wrong : new long[] {-1, end + 1, Long.MAX_VALUE}) {
            assertThrows(InvalidOptionException.class, () -> partition.deleteRecordsBefore(wrong));
        }
        assertEquals(end, partition.deleteRecordsBefore(end));
        work(200);
        assertEquals(List.of(), readAll(partition.openTailer()));
        assertEquals(0, files(".log"));
        append(partition, EACH);
        assertEquals(0, files(".log"), "what was active is below the start as well");
        Partition again = reopened();
        assertEquals(end, again.logStartOffset());
        assertEquals(end, first(again));
        assertEquals(EACH, readAll(again.openTailer()).size());
        assertEquals(List.of(), again.damage());
    }

    @Test
    void shouldNotRaiseTheStartAboveWhatIsDurable() throws Exception {
        store.close();
        ObservedMedium medium = new ObservedMedium();
        Gate forcing = new Gate();
        store = Stores.at(directory, medium).open();
        Partition partition = created(Stores.small());
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("durable"));
            forcing.shut();
            medium.beforeForce(forcing);
            appender.tryAppend(new UnsafeBuffer(bytes("not yet")), 0, 7);
            assertThrows(InvalidOptionException.class, () -> partition.deleteRecordsBefore(2));
            forcing.open();
            appender.awaitDurable(1);
        }
        assertEquals(2, partition.deleteRecordsBefore(2));
    }

    @Test
    void shouldWriteTheStartDownBeforeAnythingGoes() {
        store.close();
        ObservedMedium medium = new ObservedMedium();
        store = Stores.at(directory, medium).clock(clock).invokerMode().open();
        Partition partition = created(Stores.small().withRetentionBytes(0));
        medium.beforeCreate(
                file -> {
                    if (file.getFileName().toString().contains("start-0")) {
                        throw new IOException("no start is written");
                    }
                });
        append(partition, 5 * EACH);
        assertEquals(0, partition.logStartOffset());
        assertEquals(4, files(".log"));
        assertThrows(RuntimeException.class, () -> partition.deleteRecordsBefore(EACH));
        assertEquals(0, partition.logStartOffset());
        assertEquals(5 * EACH, readAll(partition.openTailer()).size());
        assertTrue(store.metrics().backgroundErrors() > 0, "the failure is visible");
    }
}
