package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.numbered;
import static io.firn.api.Stores.readAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.Cursor;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.StoredRecord;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.WindowsMedium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store where no file is changed while it is in use, no directory is forced, and names do not
 * differ in case only, as on Windows.
 */
class FilesInUseTest {
    private static final int RECORDS = 40;
    private static final int LENGTH = 10_000;

    @TempDir private Path directory;
    private final WindowsMedium medium = new WindowsMedium(new ObservedMedium());
    private final ManualClock clock = new ManualClock();

    private LogStoreBuilder builder() {
        return StoreBuilder.over(directory.resolve("store"), medium)
                .tier("hot", FileTier.at(Stores.tierOf(directory)).withMedium(medium))
                .tier("cold", FileTier.at(directory.resolve("cold")).withMedium(medium));
    }

    private LogStore open() {
        return builder().clock(clock).invokerMode().open();
    }

    /** Returns a reader that notices a change, and releases what it has mapped, in doWork only. */
    private LogReader openReader() {
        return builder().invokerMode().openReadOnly();
    }

    private static TopicOptions small() {
        return Stores.small().withMinimumClass(Survives.PROCESS_CRASH);
    }

    private void append(LogStore store, Partition partition) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < RECORDS; i++) {
                appender.append(bytes("key" + i % 3), numbered(i, LENGTH));
            }
        }
        clock.advance(200); // marks are due
        Stores.work(store);
    }

    private static void assertHolds(List<StoredRecord> records, int first) {
        assertEquals(RECORDS - first, records.size());
        for (int i = 0; i < records.size(); i++) {
            assertEquals(first + i, records.get(i).offset());
            assertArrayEquals(numbered(first + i, LENGTH), records.get(i).value());
        }
    }

    private long logs(Path tier) {
        return Stores.filesIn(tier).stream()
                .filter(each -> each.toString().endsWith(".log"))
                .count();
    }

    @Test
    void shouldRollMoveDeleteAndReopen() {
        try (LogStore store = open()) {
            Partition partition = store.createTopic("t", small()).partition(0);
            try (Tailer tailer = partition.openTailer()) {
                append(store, partition);
                assertHolds(readAll(tailer), 0);
                store.migrate("t", 0, 0, "cold");
                Stores.work(store);
                assertEquals(1, logs(directory.resolve("cold")));
                tailer.seekToStart();
                assertHolds(readAll(tailer), 0);
            }
            partition.deleteRecordsBefore(8);
            Stores.work(store);
            assertEquals(0, logs(directory.resolve("cold")));
            assertEquals(List.of(), store.findings());
        }
        try (LogStore store = open()) {
            Partition partition = store.openTopic("t").partition(0);
            try (Tailer tailer = partition.openTailer()) {
                assertHolds(readAll(tailer), 8);
            }
            assertEquals(List.of(), store.findings());
        }
    }

    @Test
    void shouldDeleteASegmentWhenNobodyReadsItAnyMore() {
        try (LogStore store = open()) {
            Partition partition = store.createTopic("t", small()).partition(0);
            append(store, partition);
            LogReader reader = openReader();
            try (Tailer tailer = reader.openTopic("t").openTailer()) {
                assertHolds(readAll(tailer), 0);
                partition.deleteRecordsBefore(30);
                Stores.work(store);
                assertTrue(medium.refused() > 0, "the reader's mappings must be in the way");
                assertFalse(store.findings().isEmpty(), "a delayed deletion is told");
                PartitionReader seen = reader.openTopic("t").partition(0);
                Stores.await(
                        "the deletion in the reader",
                        () -> reader.doWork() >= 0 && seen.logStartOffset() == 30);
                tailer.seekToStart();
                assertHolds(readAll(tailer), 30);
            }
            reader.close();
            clock.advance(120_000);
            Stores.await("the deletion", () -> store.doWork() == 0 && store.findings().isEmpty());
            assertFalse(isDeletionPending());
        }
    }

    private boolean isDeletionPending() {
        return Stores.filesIn(Stores.tierOf(directory)).stream()
                .anyMatch(each -> each.toString().endsWith(".deleted"));
    }

    @Test
    void shouldOpenWhileAReaderStillHasADeletedSegment() {
        LogReader reader;
        try (LogStore store = open()) {
            Partition partition = store.createTopic("t", small()).partition(0);
            append(store, partition);
            reader = openReader();
            try (Tailer tailer = reader.openTopic("t").openTailer()) {
                assertHolds(readAll(tailer), 0);
            }
            partition.deleteRecordsBefore(30);
            Stores.work(store);
        }
        assertTrue(isDeletionPending());
        try (LogStore store = open()) {
            assertFalse(store.findings().isEmpty(), "what could not be removed is told");
            try (Tailer tailer = store.openTopic("t").openTailer()) {
                assertHolds(readAll(tailer), 30);
            }
        }
        reader.close();
        try (LogStore store = open()) {
            assertEquals(List.of(), store.findings());
            assertFalse(isDeletionPending());
        }
    }

    @Test
    void shouldCutASegmentAtTheNextOpenThatAReaderHadMappedWhenItWasSealed() throws IOException {
        Path first;
        try (LogStore store = open()) {
            Partition partition = store.createTopic("t", small()).partition(0);
            try (Appender appender = partition.openAppender()) {
                appender.append(numbered(0, LENGTH));
            }
            clock.advance(200);
            Stores.work(store);
            LogReader reader = openReader();
            try (Tailer tailer = reader.openTopic("t").openTailer()) {
                assertEquals(1, readAll(tailer).size());
                append(store, partition);
                assertTrue(medium.refused() > 0, "the reader's mapping must be in the way");
            }
            reader.close();
            first =
                    Stores.filesIn(Stores.tierOf(directory)).stream()
                            .filter(each -> each.endsWith("0".repeat(20) + ".log"))
                            .findFirst()
                            .orElseThrow();
            assertTrue(Files.size(first) > Stores.SEGMENT_BYTES, "with its marks");
        }
        try (LogStore store = open()) {
            Stores.work(store);
            assertTrue(Files.size(first) <= Stores.SEGMENT_BYTES, "without them");
            assertEquals(List.of(), store.findings());
            try (Tailer tailer = store.openTopic("t").openTailer()) {
                assertEquals(RECORDS + 1, readAll(tailer).size());
            }
        }
    }

    @Test
    void shouldCompact() {
        try (LogStore store = open()) {
            TopicOptions options = small().withCleanup(CleanupPolicy.COMPACT).withMinDirtyRatio(1);
            Partition partition = store.createTopic("t", options).partition(0);
            try (Tailer tailer = partition.openTailer()) {
                append(store, partition);
                assertHolds(readAll(tailer), 0);
                assertTrue(store.compact("t", 0).removedRecords() > 20);
                Stores.work(store);
                tailer.seekToStart();
                int left = readAll(tailer).size();
                assertTrue(left < 20, left + " records left");
            }
        }
        try (LogStore store = open()) {
            try (Tailer tailer = store.openTopic("t").openTailer()) {
                assertTrue(readAll(tailer).size() < 20);
            }
            assertEquals(List.of(), store.findings());
        }
    }

    /** Two cursors would otherwise share a file, and each have the other's positions. */
    @Test
    void shouldRefuseACursorWhoseFileWouldBeThatOfAnotherOne() {
        try (LogStore store = open()) {
            Topic topic = store.createTopic("Topic", small());
            store.createTopic("topic", small());
            store.createTopic("CON", small());
            append(store, topic.partition(0));
            Cursor cursor = topic.cursor("Reader");
            cursor.commit(0, 3);
            assertThrows(InvalidOptionException.class, () -> topic.cursor("reader"));
            topic.cursor("other").commit(0, 5);
        }
        try (LogStore store = open()) {
            assertEquals(3, store.topicNames().size());
            Topic topic = store.openTopic("Topic");
            var refused = assertThrows(InvalidOptionException.class, () -> topic.cursor("READER"));
            assertTrue(refused.getMessage().contains("cursor Reader"), refused.getMessage());
            assertThrows(InvalidOptionException.class, () -> topic.cursor("reader."));
            assertEquals(3, topic.cursor("Reader").offset(0));
            assertEquals(5, topic.cursor("other").offset(0));
        }
    }
}
