package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.Durability;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.PartitionReader.CompactionResult;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.TopicOptions;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A read-only store beside one that compacts between two of its looks. */
class FollowedCompactionTest {
    private final ManualClock clock = new ManualClock();

    @TempDir private Path directory;

    /**
     * The segment that the reader saw as active is sealed, then merged with those before it and
     * deleted, before the reader looks again. It never was sealed for the reader, and nothing has
     * its base offset any more.
     */
    @ParameterizedTest
    @CsvSource({"FILES,DURABLE", "FILES,WRITTEN", "MEMORY,DURABLE", "MEMORY,WRITTEN"})
    void shouldGoOnWhenTheSegmentThatItSawAsActiveWasMergedBeforeItsNextLook(
            Tiers tiers, Durability durability) {
        KeyedRecords records = new KeyedRecords(21, 30, 10);
        TopicOptions options =
                Stores.small()
                        .withDurability(durability)
                        .withMinimumClass(Survives.PROCESS_CRASH)
                        .withCleanup(CleanupPolicy.COMPACT)
                        .withMinDirtyRatio(1); // only on request
        try (LogStore store = tiers.at(directory).invokerMode().clock(clock).open()) {
            Partition partition = store.createTopic("t", options).partition(0);
            appendUntil(3, store, records);
            try (LogReader reader = tiers.at(directory).invokerMode().openReadOnly();
                    Tailer tailer = reader.openTopic("t").openTailer()) {
                records.assertAppended(Stores.readAll(tailer));
                List<SegmentPlace> before = segments(reader);
                long active = before.get(before.size() - 1).baseOffset();
                appendUntil(before.size() + 2, store, records);
                store.compact("t", 0); // full segments: each becomes a small one
                appendUntil(before.size() + 4, store, records);
                CompactionResult result = store.compact("t", 0); // these are merged
                Stores.work(store); // deletes what was replaced
                assertTrue(
                        segments(store).stream().noneMatch(s -> s.baseOffset() == active),
                        "the segment that was active was not merged: " + result);
                PartitionReader followed = reader.openTopic("t").partition(0);
                Stores.await(
                        "the reader to see all",
                        () -> {
                            reader.doWork();
                            records.assertAppended(Stores.readAll(tailer));
                            assertEquals(List.of(), reader.findings());
                            return followed.visibleOffset() == partition.visibleOffset();
                        });
                records.assertLeft(followed, result.compactedTo(), false);
            }
        }
    }

    private void appendUntil(int segments, LogStore store, KeyedRecords records) {
        try (Appender appender = store.openTopic("t").partition(0).openAppender()) {
            while (segments(store).size() < segments) {
                records.append(appender, 20, clock.time());
                Stores.work(store);
            }
            records.append(appender, 20, clock.time());
        }
        Stores.work(store);
    }

    private static List<SegmentPlace> segments(LogReader store) {
        return store.snapshot().partitions().get(0).segments();
    }
}
