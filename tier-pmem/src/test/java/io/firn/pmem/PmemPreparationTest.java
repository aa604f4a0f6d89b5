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

    private PmemTier.Builder pool(int blocks) {
        int block = 16 * MIB;
        return Pools.withBlocks(1, directory.resolve("pmem"))
                .blockBytes(block)
                .capacityBytes(PoolFormat.forNewPool(block, blocks).fileBytes(blocks));
    }

    private LogStore open(StorageTier... tiers) {
        var builder = LogStore.in(directory.resolve("store")).clock(clock).invokerMode();
        for (StorageTier tier : tiers) {
            builder.tier(tier);
        }
        return builder.open();
    }

    private static void append(Appender appender, int bytes) {
        for (int i = 0; i < bytes / VALUE.length; i++) {
            appender.append(VALUE, 0, VALUE.length);
        }
    }

    private LogStore openWatched() {
        return open(pool(3).wrapProvider(p -> new WatchedProvider(p, steps::add)).build());
    }

    /** Fills the first segment until the second one is begun. */
    private void beginSecond(LogStore store, Appender appender) {
        append(appender, SEGMENT / 8 + VALUE.length);
        assertTrue(brought() >= SEGMENT, "the first block has " + brought());
        steps.clear();
        store.doWork();
        assertEquals(List.of(MIB), steps, "of the second block");
    }

    private int brought() {
        return steps.stream().mapToInt(Integer::intValue).sum();
    }

    private void pass(LogStore store) {
        clock.update(clock.time() + 200);
        store.doWork();
    }

    @Test
    void shouldBringTheNextBlockInAtThePaceOfTheLog() {
        try (LogStore store = openWatched()) {
            Partition log = store.createTopic("t", OPTIONS).partition(0);
            try (Appender appender = log.openAppender()) {
                beginSecond(store, appender);
                for (int i = 0; i < 10; i++) {
                    append(appender, 2 * VALUE.length);
                    pass(store);
                }
                assertTrue(brought() > 9 * MIB && brought() < SEGMENT, steps.toString());
                for (int i = 0; i < 10; i++) {
                    append(appender, 2 * VALUE.length);
                    pass(store);
                }
                assertEquals(SEGMENT, brought());
                assertTrue(steps.stream().allMatch(step -> step <= 2 * MIB), steps.toString());
            }
        }
    }

    @Test
    void shouldGiveTheWriterNoBlockThatIsNotBroughtIn() {
        try (LogStore store = openWatched()) {
            Partition log = store.createTopic("t", OPTIONS).partition(0);
            try (Appender appender = log.openAppender()) {
                beginSecond(store, appender);
                append(appender, SEGMENT); // the clock stands still meanwhile
                assertTrue(brought() >= SEGMENT, steps.toString());
                assertTrue(steps.stream().allMatch(step -> step <= 4 * MIB), steps.toString());
            }
        }
    }

    /** Nobody can tell that from an appender whose processor the last step had. */
    @Test
    void shouldBringTheNextBlockInStepByStepWhileNobodyAppends() {
        try (LogStore store = openWatched()) {
            Partition log = store.createTopic("t", OPTIONS).partition(0);
            try (Appender appender = log.openAppender()) {
                beginSecond(store, appender);
                for (int all = 2 * MIB; all <= SEGMENT; all += MIB) {
                    pass(store);
                    assertEquals(all, brought(), steps.toString());
                }
                pass(store);
                assertEquals(SEGMENT, brought());
            }
        }
    }

    @Test
    void shouldGoOnInTheNextTierWhenABlockCannotBeBroughtIn() throws IOException {
        AtomicBoolean failing = new AtomicBoolean(true);
        PmemTier pool = pool(3).wrapProvider(p -> WatchedProvider.failing(p, failing)).build();
        try (LogStore store = open(pool, FileTier.at(directory.resolve("files")))) {
            Partition log = store.createTopic("t", OPTIONS).partition(0);
            try (Appender appender = log.openAppender()) {
                append(appender, SEGMENT);
                assertEquals(0, pool.usedBytes());
            }
            assertEquals(SEGMENT / VALUE.length, log.nextOffset());
        }
    }
}
