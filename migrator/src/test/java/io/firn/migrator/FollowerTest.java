package io.firn.migrator;

import static io.firn.migrator.Tiered.segments;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.file.FileTier;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that is open read-only, while the one that writes moves segments below it. */
class FollowerTest {
    private static final int LOOKS = 12;
    private static final List<String> TIERS = List.of("fast", "ssd", "hdd");

    @TempDir private Path directory;

    private LogStoreBuilder builder() {
        LogStoreBuilder builder = LogStore.at(directory.resolve("store"));
        for (String tier : TIERS) {
            builder.tier(tier, FileTier.at(directory.resolve(tier)));
        }
        return builder;
    }

    @Test
    void shouldSeeEveryRecordOnceAndInOrderWhileAnotherMovesSegments() throws Exception {
        try (LogStore store = builder().open()) {
            Partition partition = store.createTopic("t", Tiered.small()).partition(0);
            Tiered.appendSegments(partition, 8);
            Tiered.awaitMovable(store, "t", 8);
            long end = partition.durableOffset();
            AtomicBoolean over = new AtomicBoolean();
            Thread mover =
                    new Thread(
                            () -> {
                                for (int n = 0; !over.get(); n++) {
                                    move(store, n % 8, TIERS.get(n / 8 % 3));
                                }
                            });
            mover.start();
            try (LogReader other = builder().openReadOnly()) {
                PartitionReader followed = other.openTopic("t").partition(0);
                Tiered.await("the end", () -> followed.durableOffset() >= end - 1);
                for (int i = 0; i < LOOKS; i++) {
                    assertAllThere(followed, end - 1);
                }
                assertEquals(List.of(), followed.damage());
            } finally {
                over.set(true);
                mover.join();
            }
            assertTrue(store.metrics().tier("fast").movedDownBytes() > 0);
            Tiered.assertAllThere(partition);
        }
    }

    private static void move(LogStore store, int segment, String tier) {
        store.migrate("t", 0, segments(store, "t").get(segment).baseOffset(), tier);
    }

    private static void assertAllThere(PartitionReader partition, long end) {
        Tailer tailer = partition.openTailer();
        long[] next = {0};
        while (next[0] < end) {
            tailer.poll(
                    record -> {
                        assertEquals(next[0]++, record.offset());
                        assertArrayEquals(Tiered.value(record.offset()), record.copy().value());
                        return Action.CONTINUE;
                    },
                    10);
        }
    }
}
