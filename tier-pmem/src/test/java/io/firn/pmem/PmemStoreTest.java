package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.RecordTooLargeException;
import io.firn.StoreFullException;
import io.firn.StoreMetrics;
import io.firn.StoreOpenException;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.medium.FileMedium;
import io.firn.spi.StorageTier;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log on persistent memory: what was acknowledged is there, and a full tier spills over. */
class PmemStoreTest {
    private static final TopicOptions SMALL =
            TopicOptions.defaults().withSegmentBytes(64 * 1024).withMaxRecordBytes(16 * 1024);
    private static final int DATA_START = PoolFormat.ALIGNMENT;

    @TempDir Path directory;

    private PmemTier pool(int blocks) {
        return Pools.withBlocks(blocks, directory.resolve("pmem"));
    }

    private LogStore open(StorageTier... tiers) {
        var builder = LogStore.at(directory.resolve("store"));
        for (StorageTier tier : tiers) {
            builder.tier(tier);
        }
        return builder.open();
    }

    private static void assertHolds(Partition log, long from, long to) {
        long[] next = {from};
        try (Tailer tailer = log.openTailer()) {
            tailer.seek(from);
            while (next[0] < to) {
                int polled =
                        tailer.poll(
                                record -> {
                                    assertEquals(next[0], record.offset());
                                    byte[] read = new byte[record.valueLength()];
                                    record.getValue(read, 0);
                                    assertArrayEquals(
                                            Pools.value(next[0]), read, "offset " + next[0]);
                                    next[0]++;
                                    return Action.CONTINUE;
                                },
                                100);
                assertTrue(polled > 0, "nothing at offset " + next[0] + " of " + to);
            }
        }
    }

    @Test
    void shouldHaveFlushedEveryStoredByteBeforeItsAck() throws IOException {
        LossyMemory.Lossy[] lossy = new LossyMemory.Lossy[1];
        PmemTier tier =
                pool(24).withWrappedProvider(p -> lossy[0] = new LossyMemory.Lossy(p, n -> {}));
        int records = 1000;
        try (LogStore store = open(tier)) {
            Partition log = store.createTopic("t", SMALL).partition(0);
            try (Appender appender = log.openExclusiveAppender()) {
                for (int i = 0; i < records; i++) {
                    byte[] value = Pools.value(i);
                    appender.append(value);
                    assertAllBatchesForced(lossy[0].memory(), i);
                }
            }
            assertTrue(store.metrics().partitions().get(0).rolls() > 3, "rolls");
            assertTrue(lossy[0].memory().forces() >= records, "forces");
            // The power is cut here: nothing that is in the image only by luck.
            lossy[0].memory().image(1).writeTo(directory.resolve("after"));
        }
        Files.move(
                directory.resolve("after").resolve(PoolFile.NAME),
                directory.resolve("pmem").resolve(PoolFile.NAME),
                StandardCopyOption.REPLACE_EXISTING);
        PmemTier again = pool(24).withWrappedProvider(p -> new LossyMemory.Lossy(p, n -> {}));
        try (LogStore store = open(again)) {
            assertEquals(records, store.openTopic("t").partition(0).nextOffset());
            assertHolds(store.openTopic("t").partition(0), 0, records);
        }
    }

    @Test
    void shouldFlushOnceForEachAppendAndNoMore() throws IOException {
        LossyMemory.Lossy[] lossy = new LossyMemory.Lossy[1];
        PmemTier tier =
                pool(4).withWrappedProvider(p -> lossy[0] = new LossyMemory.Lossy(p, n -> {}));
        int records = 100;
        try (LogStore store =
                LogStore.at(directory.resolve("store")).tier(tier).invokerMode().open()) {
            Partition log = store.createTopic("t", SMALL).partition(0);
            try (Appender appender = log.openExclusiveAppender()) {
                appender.append(new byte[100]);
                int before = lossy[0].memory().forces();
                for (int i = 0; i < records; i++) {
                    appender.append(new byte[100]);
                }
                assertEquals(records, lossy[0].memory().forces() - before);
                assertEquals(0, log.metrics().rolls());
            }
        }
    }

    /** Of the batches; index and marks are written by another thread at the same time. */
    private static void assertAllBatchesForced(LossyMemory memory, int record) {
        for (int block = 0; block < 24; block++) {
            int start = DATA_START + block * Pools.BLOCK_BYTES;
            assertTrue(
                    memory.isForced(start, Pools.ROOM),
                    "record " + record + " was acknowledged before its flush");
        }
    }

    @Test
    void shouldSpillOverWhenFullRefuseWhenAllAreFullAndGoOnReading() throws IOException {
        PmemTier tier = pool(3);
        Path files = directory.resolve("files");
        FileTier below = FileTier.at(files).withCapacityBytes(5L * 80 * 1024);
        long acknowledged = 0;
        try (LogStore store = open(tier, below)) {
            Partition log = store.createTopic("t", SMALL).partition(0);
            try (Appender appender = log.openExclusiveAppender()) {
                while (acknowledged < 10_000) {
                    byte[] value = Pools.value(acknowledged);
                    try {
                        assertEquals(acknowledged, appender.append(value));
                    } catch (StoreFullException full) {
                        assertTrue(full.getMessage().contains("pmem"), full.getMessage());
                        break;
                    }
                    acknowledged++;
                }
            }
            StoreMetrics metrics = store.metrics();
            assertEquals(tier.capacityBytes().orElseThrow(), tier.usedBytes());
            assertTrue(spilled(metrics) > 2, "spilled " + spilled(metrics));
            assertHolds(log, 0, acknowledged);
            assertEquals(acknowledged, log.nextOffset());
        }
        try (LogStore store = open(pool(3), FileTier.at(files))) {
            Partition log = store.openTopic("t").partition(0);
            assertEquals(acknowledged, log.durableOffset());
            assertHolds(log, 0, acknowledged);
        }
    }

    private static long spilled(StoreMetrics metrics) {
        return metrics.tiers().stream().mapToLong(StoreMetrics.TierMetrics::spilledSegments).sum();
    }

    @Test
    void shouldLeakNoBlockOverManyLivesWithRetention() throws IOException {
        TopicOptions options = SMALL.withRetentionBytes(100 * 1024);
        long next = 0;
        for (int life = 0; life < 6; life++) {
            PmemTier tier = pool(12);
            try (LogStore store = open(tier)) {
                Partition log = store.ensureTopic("t", options).partition(0);
                assertEquals(next, log.nextOffset());
                try (Appender appender = log.openExclusiveAppender()) {
                    for (int i = 0; i < 300; i++) {
                        byte[] value = Pools.value(next++);
                        appender.append(value);
                    }
                }
                // Behind what retention may take away meanwhile.
                assertHolds(log, HostedPartition.of(log).activeOffset(), next);
            }
            try (PmemTier closed = reopened(tier)) {
                Pools.assertAccountedFor(closed);
            }
        }
    }

    /** The same pool, for a look at it without its store. */
    private PmemTier reopened(PmemTier before) throws IOException {
        Path file = directory.resolve("pmem").resolve(PoolFile.NAME);
        UUID store = PoolFile.read(FileMedium.real(), file).superblock().storeId();
        before.close();
        PmemTier tier = pool(12);
        tier.open(new TierContext(store, false, false));
        return tier;
    }

    @Test
    void shouldRefuseATopicWhoseRecordsFitNoBlock() {
        try (LogStore store = open(pool(2))) {
            TopicOptions large = TopicOptions.defaults().withMaxRecordBytes(2 << 20);
            InvalidOptionException refused =
                    assertThrows(InvalidOptionException.class, () -> store.createTopic("t", large));
            assertTrue(refused.getMessage().contains("2097152"), refused.getMessage());
        }
    }

    @Test
    void shouldRefuseARecordThatFitsNoBlockOfATierThatWasAddedLater() throws IOException {
        int large = 3 << 20;
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(8 << 20)
                        .withMaxRecordBytes(large)
                        // Or it would never go onto the emulated memory.
                        .withMinimumClass(Survives.PROCESS_CRASH);
        byte[] value = Pools.bytes(0, large - 100);
        try (LogStore store = open(FileTier.at(directory.resolve("files")));
                Appender appender =
                        store.createTopic("t", options).partition(0).openExclusiveAppender()) {
            assertEquals(0, appender.append(value));
        }
        try (LogStore store = open(pool(2), FileTier.at(directory.resolve("files")))) {
            Partition log = store.openTopic("t").partition(0);
            try (Appender appender = log.openExclusiveAppender()) {
                // There is room for one more in the segment that was begun below.
                assertEquals(1, appender.append(value));
                RecordTooLargeException refused =
                        assertThrows(RecordTooLargeException.class, () -> appender.append(value));
                String room = Integer.toString(new PoolFormat(Pools.BLOCK_BYTES, 1).room());
                assertTrue(refused.getMessage().contains(room), refused.getMessage());
                assertEquals(2, appender.append(new UnsafeBuffer(value), 0, 1000));
            }
            assertEquals(3, log.durableOffset());
        }
    }

    @Test
    void shouldRefuseToOpenWithoutItsPoolAndMakeNone() throws IOException {
        open(pool(2)).close();
        Path pool = directory.resolve("pmem").resolve(PoolFile.NAME);
        Files.move(pool, directory.resolve("elsewhere"));

        PmemTier tier = pool(2);
        StoreOpenException refused = assertThrows(StoreOpenException.class, () -> open(tier));

        assertTrue(refused.getMessage().contains("mounted"), refused.getMessage());
        assertFalse(Files.exists(pool));
        Files.move(directory.resolve("elsewhere"), pool);
        open(pool(2)).close();
    }

    @Test
    void shouldRefuseToWriteWithABlockThatNobodyCanTellAnythingOf() throws IOException {
        try (LogStore store = open(pool(2))) {
            Partition log = store.createTopic("t", SMALL).partition(0);
            try (Appender appender = log.openExclusiveAppender()) {
                appender.append(ByteBuffer.wrap(Pools.value(0)));
            }
        }
        for (int slot = 0; slot < 2; slot++) {
            PoolDamage.overwrite(
                    directory.resolve("pmem"), PoolDamage.slot(0, slot), BlockEntry.SLOT_BYTES);
        }
        PmemTier tier = pool(2);

        StoreOpenException refused = assertThrows(StoreOpenException.class, () -> open(tier));

        assertTrue(refused.getMessage().contains("block 0"), refused.getMessage());
        Path store = directory.resolve("store");
        try (LogReader reading = LogStore.at(store).tier(pool(2)).openReadOnly()) {
            assertEquals(List.of("t"), reading.topicNames());
        }
    }
}
