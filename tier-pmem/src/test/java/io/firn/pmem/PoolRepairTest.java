package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.DamagedRange;
import io.firn.RecordHandler.Action;
import io.firn.StoreLockedException;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.medium.FileMedium;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The way on when a block's entry is destroyed. */
class PoolRepairTest {
    private static final int RECORDS = 500;
    private static final int BLOCKS = 12;
    private static final TopicOptions OPTIONS =
            TopicOptions.defaults().withSegmentBytes(64 * 1024).withMaxRecordBytes(16 * 1024);

    @TempDir Path directory;
    private Path pmem;
    private UUID topicId;
    private int[] blocks;

    @BeforeEach
    void createWithALog() throws IOException {
        pmem = directory.resolve("pmem");
        try (LogStore store = open();
                Appender appender =
                        store.createTopic("t", OPTIONS).partition(0).openExclusiveAppender()) {
            for (int i = 0; i < RECORDS; i++) {
                byte[] value = Pools.value(i);
                appender.append(value);
            }
        }
        try (Stream<Path> all = Files.list(directory.resolve("store").resolve("topics"))) {
            topicId = UUID.fromString(all.findFirst().orElseThrow().getFileName().toString());
        }
        blocks = blocksInOrder();
        assertTrue(blocks.length > 3, blocks.length + " segments");
    }

    private LogStore open() {
        return LogStore.at(directory.resolve("store")).tier(Pools.withBlocks(BLOCKS, pmem)).open();
    }

    private int[] blocksInOrder() throws IOException {
        UUID storeId =
                PoolFile.read(FileMedium.real(), pmem.resolve(PoolFile.NAME))
                        .superblock()
                        .storeId();
        try (PmemTier tier = Pools.withBlocks(BLOCKS, pmem)) {
            tier.open(new TierContext(storeId, false, true));
            return tier.list().stream()
                    .filter(segment -> segment.mark().baseOffset() >= 0)
                    .sorted((a, b) -> Long.compare(a.mark().baseOffset(), b.mark().baseOffset()))
                    .mapToInt(segment -> ((PmemBlock) segment).block())
                    .toArray();
        }
    }

    private void destroyEntry(int block) throws IOException {
        PoolDamage.destroyEntry(pmem, block);
        assertThrows(StoreOpenException.class, this::open);
    }

    private PoolRepair repair() throws IOException {
        return PoolRepair.open(FileMedium.real(), pmem);
    }

    private static void assertHoldsAll(Partition log, long from, long to) {
        long[] next = {from};
        try (Tailer tailer = log.openTailer()) {
            tailer.seek(from);
            while (next[0] < to) {
                int polled =
                        tailer.poll(
                                record -> {
                                    byte[] read = new byte[record.valueLength()];
                                    record.getValue(read, 0);
                                    assertEquals(next[0], record.offset());
                                    assertArrayEquals(Pools.value(next[0]++), read);
                                    return Action.CONTINUE;
                                },
                                100);
                assertTrue(polled > 0, "nothing at offset " + next[0]);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, -1})
    void shouldGiveBackEveryRecordOfABlockThatIsRestored(int which) throws IOException {
        int block = blocks[Math.floorMod(which, blocks.length)];
        destroyEntry(block);

        try (PoolRepair repair = repair()) {
            repair.restore(block, topicId, 0);
        }

        try (LogStore store = open()) {
            Partition log = store.openTopic("t").partition(0);
            assertEquals(List.of(), log.damage());
            assertEquals(List.of(), store.findings());
            assertEquals(RECORDS, log.durableOffset());
            assertHoldsAll(log, 0, RECORDS);
            try (Appender appender = log.openExclusiveAppender()) {
                for (int i = RECORDS; i < RECORDS + 200; i++) {
                    byte[] value = Pools.value(i);
                    assertEquals(i, appender.append(value));
                }
            }
        }
        try (LogStore store = open()) {
            assertHoldsAll(store.openTopic("t").partition(0), 0, RECORDS + 200);
        }
    }

    @Test
    void shouldNameWhatIsLostWithABlockThatIsFreedAndSaveItsBatches() throws IOException {
        destroyEntry(blocks[1]);
        Path saved = directory.resolve("saved.log");
        BatchChain whole = BatchChain.in(content(blocks[1]));
        PoolRepair.Offsets lost;

        try (PoolRepair repair = repair()) {
            lost = repair.free(blocks[1], saved);
        }

        assertEquals(whole, BatchChain.in(Files.readAllBytes(saved)));
        assertEquals(new PoolRepair.Offsets(whole.from(), whole.to()), lost);
        try (LogStore store = open()) {
            Partition log = store.openTopic("t").partition(0);
            DamagedRange damage = log.damage().get(0);
            assertEquals(lost.from(), damage.fromOffset());
            assertEquals(lost.to(), damage.toOffset());
            assertEquals(RECORDS, log.durableOffset());
            assertHoldsAll(log, 0, lost.from());
            assertHoldsAll(log, lost.to(), RECORDS);
        }
    }

    @Test
    void shouldLeaveOutWhatAnEarlierLifeOfTheBlockLeftBehind() throws IOException {
        byte[] block = content(blocks[0]);
        BatchChain whole = BatchChain.in(block);
        int half = halfOf(block, whole);
        // The first half again, as a later writer's: what follows is of the epoch before.
        for (int at = 0; at < half; at += 12 + intAt(block, at + 8)) {
            block[at + 15]++;
        }

        BatchChain found = BatchChain.in(block);

        assertEquals(half, found.bytes());
        assertTrue(found.to() < whole.to(), found + " of " + whole);
    }

    @Test
    void shouldEndWhereABatchOfTheBlockIsRotten() throws IOException {
        byte[] block = content(blocks[0]);
        int half = halfOf(block, BatchChain.in(block));
        block[half + 65] ^= 1; // in its record

        assertEquals(half, BatchChain.in(block).bytes());
    }

    private byte[] content(int block) throws IOException {
        long start = PoolFormat.forNewPool(Pools.BLOCK_BYTES, BLOCKS).blockPosition(block);
        byte[] pool = Files.readAllBytes(pmem.resolve(PoolFile.NAME));
        return Arrays.copyOfRange(pool, (int) start, (int) start + Pools.BLOCK_BYTES);
    }

    private static int halfOf(byte[] block, BatchChain chain) {
        int at = 0;
        while (at < chain.bytes() / 2) {
            at += 12 + intAt(block, at + 8);
        }
        return at;
    }

    private static int intAt(byte[] bytes, int at) {
        return java.nio.ByteBuffer.wrap(bytes).getInt(at);
    }

    @Test
    void shouldRestoreTheOnlyBlockThatWasEverUsed() throws IOException {
        Path store = directory.resolve("store2");
        Path pool = directory.resolve("pmem2");
        try (LogStore made =
                        LogStore.at(store)
                                .tier(Pools.withBlocks(BLOCKS, pool))
                                .invokerMode()
                                .open();
                Appender appender = made.createTopic("t", OPTIONS).partition(0).openAppender()) {
            appender.append(new byte[100]);
        }
        UUID topic;
        try (Stream<Path> all = Files.list(store.resolve("topics"))) {
            topic = UUID.fromString(all.findFirst().orElseThrow().getFileName().toString());
        }
        for (int block = 0; block < BLOCKS; block++) {
            byte[] never = BlockEntry.neverUsed().encode(poolId(pool), block);
            for (int slot = 0; slot < 2; slot++) {
                if (block == 0) {
                    PoolDamage.overwrite(pool, PoolDamage.slot(block, slot), BlockEntry.SLOT_BYTES);
                } else {
                    PoolDamage.write(pool, PoolDamage.slot(block, slot), never);
                }
            }
        }

        try (PoolRepair repair = PoolRepair.open(FileMedium.real(), pool)) {
            repair.restore(0, topic, 0);
        }

        try (PmemTier tier = Pools.withBlocks(BLOCKS, pool)) {
            tier.open(new TierContext(storeIdOf(pool), false, true));
            assertTrue(tier.list().get(0).mark().epoch() >= 0, tier.list()::toString);
        }
        try (LogStore opened = LogStore.at(store).tier(Pools.withBlocks(BLOCKS, pool)).open()) {
            assertEquals(1, opened.openTopic("t").partition(0).nextOffset());
        }
    }

    private static UUID poolId(Path pool) throws IOException {
        return PoolFile.read(FileMedium.real(), pool.resolve(PoolFile.NAME)).superblock().poolId();
    }

    private static UUID storeIdOf(Path pool) throws IOException {
        return PoolFile.read(FileMedium.real(), pool.resolve(PoolFile.NAME)).superblock().storeId();
    }

    @Test
    void shouldRefuseToRepairWhatIsWhole() throws IOException {
        Path saved = directory.resolve("saved.log");
        try (PoolRepair repair = repair()) {
            IOException refused =
                    assertThrows(IOException.class, () -> repair.restore(blocks[0], topicId, 0));
            assertTrue(refused.getMessage().contains("nothing to repair"), refused.getMessage());
            assertThrows(IOException.class, () -> repair.free(blocks[0], saved));
            assertThrows(IOException.class, () -> repair.free(BLOCKS, saved));
        }
        try (LogStore store = open()) {
            assertHoldsAll(store.openTopic("t").partition(0), 0, RECORDS);
        }
    }

    @Test
    void shouldKeepTheBlockWhenItsBatchesCannotBeSaved() throws IOException {
        destroyEntry(blocks[1]);
        Path taken = Files.createFile(directory.resolve("saved.log"));

        try (PoolRepair repair = repair()) {
            assertThrows(FileAlreadyExistsException.class, () -> repair.free(blocks[1], taken));
            repair.restore(blocks[1], topicId, 0);
        }

        try (LogStore store = open()) {
            assertHoldsAll(store.openTopic("t").partition(0), 0, RECORDS);
        }
    }

    @Test
    void shouldLeaveAPoolAloneThatAStoreHasOpen() {
        try (LogStore store = open()) {
            assertEquals(List.of("t"), store.topicNames());
            assertThrows(StoreLockedException.class, this::repair);
        }
    }
}
