package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.medium.MediumFile;
import io.firn.open.StoreBuilder;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A power cut at every operation by which a block is repaired, and just after the last. */
@Tag("simulated")
@FirstRunOnly
class PoolRepairCrashTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final Path STORE = Path.of("/sim/store");
    private static final Path PMEM = Path.of("/sim/pmem");
    private static final Path SAVED = Path.of("/sim/saved.log");
    private static final int BLOCKS = 5;
    private static final int RECORDS = 150;
    private static final TopicOptions OPTIONS =
            TopicOptions.defaults().withSegmentBytes(64 * 1024).withMaxRecordBytes(16 * 1024);

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private UUID topicId;
    private int block;
    private int images;
    private int repaired;

    @BeforeEach
    void destroyTheEntryOfABlock() throws IOException {
        LOG.setLevel(Level.OFF);
        UUID storeId;
        try (LogStore store = open(medium);
                Appender appender =
                        store.createTopic("t", OPTIONS).partition(0).openExclusiveAppender()) {
            for (int i = 0; i < RECORDS; i++) {
                byte[] value = Pools.value(i);
                appender.append(value);
            }
            topicId = store.openTopic("t").id();
            storeId = PoolFile.read(medium, PMEM.resolve(PoolFile.NAME)).superblock().storeId();
        }
        try (PmemTier tier = tier(medium)) {
            tier.open(new TierContext(storeId, false, false));
            block =
                    tier.list().stream()
                            .filter(segment -> segment.mark().baseOffset() == 0)
                            .mapToInt(segment -> ((PmemBlock) segment).block())
                            .findFirst()
                            .orElseThrow();
        }
        for (int slot = 0; slot < PoolFormat.SLOTS; slot++) {
            int position = (int) PoolDamage.slot(block, slot);
            medium.rot(PMEM.resolve(PoolFile.NAME), position, 0xA5);
        }
    }

    /** On emulated memory, since the repair works on the pool as a file. */
    private static PmemTier tier(SimulatedFileMedium on) {
        return Pools.withBlocks(BLOCKS, PMEM)
                .withMedium(on)
                .withEmulation(Emulation.FORCED)
                .withProvider(Provider.AUTO)
                .withWrappedProvider(UnaryOperator.identity());
    }

    private static LogStore open(SimulatedFileMedium on) {
        return StoreBuilder.over(STORE, on).tier(tier(on)).invokerMode().open();
    }

    private static PoolRepair repair(SimulatedFileMedium on) throws IOException {
        return PoolRepair.open(on, PMEM);
    }

    /** Looks at once at what may be left: the images of a pool are too large to be collected. */
    private void cutPowerAtEachOperation(Looker looker) {
        medium.onOperation(
                number -> {
                    if (medium.history().get(number - 1).contains(PoolFile.LOCK)) {
                        return;
                    }
                    List<Survival> survivals =
                            List.of(
                                    Survival.NONE,
                                    Survival.NAMES,
                                    Survival.BYTES,
                                    Survival.random(number),
                                    Survival.shredded(number));
                    for (Survival each : survivals) {
                        images++;
                        try {
                            looker.look(medium.crash(each));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }
                });
    }

    /** Looks at an image. */
    @FunctionalInterface
    private interface Looker {
        /** Looks. */
        void look(SimulatedFileMedium image) throws IOException;
    }

    private static long lengthRead(Partition log) {
        long[] next = {log.logStartOffset()};
        try (Tailer tailer = log.openTailer()) {
            while (tailer.poll(
                            record -> {
                                assertArrayEquals(Pools.value(next[0]++), record.copy().value());
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        return next[0];
    }

    private static void assertWhole(SimulatedFileMedium on) {
        try (LogStore store = open(on)) {
            Partition log = store.openTopic("t").partition(0);
            assertEquals(List.of(), log.damage());
            assertEquals(List.of(), store.findings());
            assertEquals(RECORDS, lengthRead(log));
        }
    }

    /** Whether the store opens, and so the block is repaired. */
    private static boolean opens(SimulatedFileMedium on) {
        try {
            open(on.kill()).close();
            return true;
        } catch (StoreOpenException e) {
            return false;
        }
    }

    /** Without the forces in {@code PoolRepair.write}. */
    @Test
    void shouldRestoreABlockForGoodOrLeaveItToBeRestoredAgain() throws IOException {
        cutPowerAtEachOperation(
                image -> {
                    if (opens(image)) {
                        repaired++;
                    } else {
                        try (PoolRepair again = repair(image)) {
                            again.restore(block, topicId, 0);
                        }
                    }
                    assertWhole(image);
                });
        try (PoolRepair repair = repair(medium)) {
            repair.restore(block, topicId, 0);
        }
        medium.ignoreOperations();
        assertWhole(medium.crash(Survival.NONE));
        assertTrue(repaired > 0 && repaired < images, repaired + " of " + images);
    }

    /** Without the forces of the saved file and of its name in {@code PoolRepair.free}. */
    @Test
    void shouldFreeABlockOnlyWhenItsBatchesAreSavedForGood() throws IOException {
        Looker looker =
                image -> {
                    if (opens(image)) {
                        repaired++;
                        BatchChain found = BatchChain.in(saved(image));
                        assertEquals(0, found.from());
                        assertTrue(found.to() > 10, found.toString());
                    }
                };
        cutPowerAtEachOperation(looker);
        try (PoolRepair repair = repair(medium)) {
            PoolRepair.Offsets freed = repair.free(block, SAVED);
            BatchChain saved = BatchChain.in(saved(medium));
            assertEquals(new PoolRepair.Offsets(saved.from(), saved.to()), freed);
        }
        medium.ignoreOperations();
        assertTrue(repaired > 0 && repaired < images, repaired + " of " + images);
        assertTrue(opens(medium.crash(Survival.NONE)));
        looker.look(medium.crash(Survival.NONE));
    }

    private static byte[] saved(SimulatedFileMedium on) throws IOException {
        try (MediumFile file = on.open(SAVED, false)) {
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, bytes, 0, bytes.length);
            return bytes;
        } catch (NoSuchFileException e) {
            throw new AssertionError("the block is free and its batches are gone", e);
        }
    }
}
