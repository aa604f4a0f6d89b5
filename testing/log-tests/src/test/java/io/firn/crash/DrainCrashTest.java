package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Finding;
import io.firn.Finding.Kind;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoreMetrics.Drain;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.Tier;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.sim.SecondRun;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Power cuts and kills at every operation of a drain (O32). After each, the store opens with the
 * tier and every record is there; and wherever it opens without the tier, too.
 */
class DrainCrashTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int MOST_FAILURES = 3;
    private static final int LENGTH = 9_000;
    private static final int RECORDS = 20;
    private static final int BLOCK_BYTES = 2 << 20;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();
    private final List<String> failures = new ArrayList<>();
    private final Set<Drain> shown = EnumSet.noneOf(Drain.class);
    private boolean inMemory;
    private int crashes;
    private int openedWithout;

    @BeforeAll
    static void silence() {
        LOG.setLevel(Level.OFF);
    }

    private LogStoreBuilder at(SimulatedFileMedium on, String... tiers) {
        LogStoreBuilder builder = StoreBuilder.over(Path.of("/sim/store"), on);
        for (String tier : tiers) {
            boolean isMemory = inMemory && tier.equals("ssd");
            builder.tier(tier, isMemory ? memory(on) : files(tier, on));
        }
        return builder.clock(clock).invokerMode();
    }

    private static Tier files(String tier, SimulatedFileMedium on) {
        return FileTier.at(Path.of("/sim", tier)).withMedium(on);
    }

    private static Tier memory(SimulatedFileMedium on) {
        return PmemTier.at(Path.of("/sim/ssd"))
                .withMedium(on)
                .withBlockBytes(BLOCK_BYTES)
                .withPoolRatio(1)
                .withCapacityBytes(6L * BLOCK_BYTES)
                .withEmulation(Emulation.FORCED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLoseNothingWhereverADrainIsCutOff(boolean isInMemory) {
        inMemory = isInMemory;
        clock.update(1_700_000_000_000L);
        try (LogStore store = at(medium, "ssd", "hdd").open()) {
            Partition partition = store.createTopic("t", Simulation.SMALL).partition(0);
            try (Appender appender = partition.openAppender()) {
                for (int i = 0; i < RECORDS; i++) {
                    appender.append(value(i));
                    pass(store);
                }
            }
            medium.onOperation(this::crashHere);
            assertTrue(store.drain("ssd", (copied, total, next) -> tick(next)));
            pass(store);
            medium.onOperation(number -> {});
            assertEquals(Drain.DONE, store.metrics().tier("ssd").drain());
        }
        crash(medium.operations(), "after the end", medium.crash(Survival.NONE));
        assertEquals(List.of(), failures, crashes + " crashes");
        assertEquals(EnumSet.allOf(Drain.class), shown);
        assertTrue(openedWithout > 0, "opened without " + openedWithout);
        assertTrue(openedWithout < crashes, crashes + " crashes, all of them too late");
        assertTrue(crashes > SecondRun.share(60, 3), crashes + " crashes only");
    }

    private void pass(LogStore store) {
        clock.advance(200);
        for (int i = 0; i < 3; i++) {
            store.doWork();
        }
    }

    private static byte[] value(long offset) {
        byte[] value = new byte[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            value[i] = (byte) (offset * 31 + i);
        }
        return value;
    }

    private void crashHere(int number) {
        if (SecondRun.leavesOut(number, 3)) {
            return;
        }
        crash(number, "a power cut", medium.crash(Survival.NONE));
        crash(number, "a kill", medium.kill());
        crash(number, "a torn cut", medium.crash(Survival.random(number)));
        crash(number, "lost bytes", medium.crash(Survival.NAMES));
    }

    private void crash(int number, String kind, SimulatedFileMedium left) {
        if (failures.size() >= MOST_FAILURES) {
            return;
        }
        crashes++;
        try {
            SimulatedFileMedium without = left.kill();
            try (LogStore store = at(without, "hdd").open()) {
                openedWithout++;
                check(store);
            } catch (StoreOpenException e) {
                assertTrue(e.getMessage().contains("tiers"), e.getMessage());
            }
            try (LogStore store = at(left, "ssd", "hdd").open()) {
                checkShown(store);
                check(store);
                assertTrue(store.drain("ssd", (copied, total, next) -> tick(next)));
            }
            try (LogStore store = at(left, "hdd").open()) {
                check(store);
            }
        } catch (AssertionError | RuntimeException e) {
            String at = medium.history().get(number - 1);
            failures.add("before " + at + ", " + kind + ": " + e + left);
        }
    }

    /** A tier that is half drained says so, and one that is drained is empty. */
    private void checkShown(LogStore store) {
        TierMetrics tier = store.metrics().tier("ssd");
        shown.add(tier.drain());
        List<Kind> kinds = store.findings().stream().map(Finding::kind).toList();
        boolean isDrained = tier.drain() != Drain.NONE;
        assertEquals(isDrained ? List.of(Kind.TIER_DRAINED) : List.of(), kinds);
        assertTrue(tier.drain() != Drain.DONE || tier.usedBytes() == 0, tier::toString);
        assertTrue(!isDrained || !tier.isInRotation(), tier::toString);
    }

    private long tick(int next) {
        clock.advance(next == 0 ? 200 : 0);
        return 0;
    }

    private static void check(LogStore store) {
        Partition partition = store.openTopic("t").partition(0);
        assertEquals(RECORDS, partition.nextOffset());
        assertEquals(List.of(), partition.damage());
        long[] next = {0};
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                assertEquals(next[0], record.offset());
                                assertArrayEquals(value(next[0]++), record.copy().value());
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        assertEquals(RECORDS, next[0]);
    }
}
