package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the pages of the next block are brought in, before the writer gets it. */
class PmemPreparationTest {
    private static final int MIB = 1 << 20;
    private static final int SEGMENT = 15 * MIB;
    private static final TopicOptions OPTIONS =
            TopicOptions.defaults().withSegmentBytes(SEGMENT).withMaxRecordBytes(MIB);
    private static final byte[] VALUE = new byte[64 * 1024];

    @TempDir Path directory;
    private final CachedEpochClock clock = new CachedEpochClock();
    private final List<Integer> steps = new ArrayList<>();

    private PmemTier pool(int blocks) {
        int block = 16 * MIB;
        return Pools.withBlocks(1, directory.resolve("pmem"))
                .withBlockBytes(block)
                .withCapacityBytes(PoolFormat.forNewPool(block, blocks).fileBytes(blocks));
    }

    private LogStore open(StorageTier... tiers) {
        var builder = LogStore.at(directory.resolve("store")).clock(clock).invokerMode();
        for (StorageTier tier : tiers) {
            builder.tier(tier);
        }
        return builder.open();
    }

    private static void append(Appender appender, int bytes) {
        for (int i = 0; i < bytes / VALUE.length; i++) {
            appender.append(VALUE);
        }
    }

    private LogStore openWatched() {
        return open(pool(3).withWrappedProvider(p -> new WatchedProvider(p, steps::add)));
    }

    /** Fills so much of the first segment that the second one is wanted. */
    private void fillUp(Appender appender) {
        append(appender, SEGMENT / 8 + VALUE.length);
        assertTrue(brought() >= SEGMENT, "the first block has " + brought());
        steps.clear();
    }

    private int brought() {
        return steps.stream().mapToInt(Integer::intValue).sum();
    }

    /** In steps, so that other partitions get their blocks meanwhile. */
    @Test
    void shouldBringTheNextBlockInBeforeItIsNeeded() {
        try (LogStore store = openWatched()) {
            Partition log = store.createTopic("t", OPTIONS).partition(0);
            try (Appender appender = log.openExclusiveAppender()) {
                fillUp(appender);
                while (brought() < 15 * MIB) {
                    clock.advance(1); // for each step, while there is no hurry
                    store.doWork();
                }
                assertEquals(Collections.nCopies(60, MIB / 4), steps);
            }
        }
    }

    @Test
    void shouldGiveTheWriterNoBlockThatIsNotBroughtIn() {
        try (LogStore store = openWatched()) {
            Partition log = store.createTopic("t", OPTIONS).partition(0);
            try (Appender appender = log.openExclusiveAppender()) {
                fillUp(appender);
                append(appender, SEGMENT);
                assertEquals(List.of(4 * MIB, 4 * MIB, 4 * MIB, 3 * MIB), steps);
            }
        }
    }

    @Test
    void shouldGoOnInTheNextTierWhenABlockCannotBeBroughtIn() throws IOException {
        AtomicBoolean failing = new AtomicBoolean(true);
        PmemTier pool = pool(3).withWrappedProvider(p -> WatchedProvider.failing(p, failing));
        try (LogStore store = open(pool, FileTier.at(directory.resolve("files")))) {
            Partition log = store.createTopic("t", OPTIONS).partition(0);
            try (Appender appender = log.openExclusiveAppender()) {
                append(appender, SEGMENT);
                assertEquals(0, pool.usedBytes());
            }
            assertEquals(SEGMENT / VALUE.length, log.nextOffset());
        }
    }
}
