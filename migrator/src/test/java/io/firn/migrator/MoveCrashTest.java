package io.firn.migrator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.MoveOutcome;
import io.firn.Partition;
import io.firn.StoreSnapshot;
import io.firn.file.FileTier;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.StorageTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Power cuts and kills at every operation of moves, and again in the recovery. After each, every
 * record is there once, each segment lies in one tier, and the tiers hold nothing else (O6).
 */
class MoveCrashTest {
    private static final Path STORE = Path.of("/sim/store");
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int MOST_FAILURES = 3;

    /** What the hotter tier is made of; the colder one is a directory. */
    private enum Hot {
        FILE {
            @Override
            StorageTier at(SimulatedFileMedium medium) {
                return FileTier.builder(Path.of("/sim/hot")).medium(medium).build();
            }
        },
        PMEM {
            @Override
            StorageTier at(SimulatedFileMedium medium) {
                return PmemTier.builder(Path.of("/sim/hot"))
                        .medium(medium)
                        .blockBytes(Tiered.BLOCK_BYTES)
                        .poolRatio(1)
                        .capacityBytes(5L * Tiered.BLOCK_BYTES)
                        .emulation(Emulation.FORCED)
                        .build();
            }
        };

        abstract StorageTier at(SimulatedFileMedium medium);
    }

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();
    private final List<String> failures = new ArrayList<>();
    private String doing = "nothing";
    private long acked;
    private long startAsked;
    private boolean otherMayBeThere;
    private int crashes;

    @BeforeAll
    static void silence() {
        LOG.setLevel(Level.OFF);
    }

    private LogStore open(Hot hot, SimulatedFileMedium on) {
        return LogStore.in(STORE)
                .medium(on)
                .tier(hot.at(on))
                .tier(FileTier.builder(Path.of("/sim/cold")).medium(on).build())
                .clock(clock)
                .invokerMode()
                .open();
    }

    private void pass(LogStore store) {
        clock.advance(200);
        for (int i = 0; i < 3; i++) {
            store.doWork();
        }
    }

    private void append(LogStore store, Partition partition, int segments) {
        for (int i = 0; i < segments * Tiered.RECORDS_IN_SEGMENT; i++) {
            Tiered.append(partition, 1);
            acked += partition.topic().name().equals("t") ? 1 : 0;
            pass(store);
        }
    }

    private void move(LogStore store, int segment, int tier) {
        doing = "move " + segment + " to " + tier;
        long base = (long) segment * Tiered.RECORDS_IN_SEGMENT;
        assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, base, tier));
    }

    private void live(Hot hot) {
        LogStore store = open(hot, medium);
        Partition partition = store.createTopic("t", Tiered.small()).partition(0);
        append(store, partition, 3);
        Tiered.append(partition, 1);
        acked++;
        pass(store);
        medium.onOperation(this::lookEverywhere);
        move(store, 0, 1);
        move(store, 1, 1);
        move(store, 0, 0);
        pass(store);
        doing = "a deletion that comes before the publishing";
        long second = Tiered.RECORDS_IN_SEGMENT;
        MoveOutcome outcome =
                store.migrate(
                        "t",
                        0,
                        0,
                        1,
                        (copied, total, next) -> {
                            startAsked = second;
                            partition.deleteRecordsBefore(second);
                            pass(store);
                            return 0;
                        });
        assertEquals(MoveOutcome.GONE, outcome);
        pass(store);
        doing = "a topic that is deleted in the middle of a move";
        otherMayBeThere = true;
        Partition other = store.createTopic("u", Tiered.small()).partition(0);
        append(store, other, 1);
        append(store, other, 1);
        outcome =
                store.migrate(
                        "u",
                        0,
                        0,
                        1,
                        (copied, total, next) -> {
                            store.deleteTopic("u");
                            pass(store);
                            return 0;
                        });
        assertEquals(MoveOutcome.GONE, outcome);
        pass(store);
        otherMayBeThere = false;
        move(store, 2, 1);
        doing = "close behind a move";
        store.close();
        doing = "open behind moves";
        try (LogStore again = open(hot, medium)) {
            move(again, 1, 0);
            pass(again);
        }
        medium.onOperation(number -> {});
    }

    private Hot hot;
    private boolean thorough;

    private void lookEverywhere(int number) {
        if (medium.history().get(number - 1).startsWith("write 16384 ")) {
            return; // zeros for a file that means nothing yet
        }
        int[] operation = {0};
        IntPredicate once = again -> operation[0]++ == number % 40;
        boolean isEven = number % 2 == 0;
        look(number, "a power cut", medium.crash(Survival.NONE), thorough ? again -> true : once);
        if (thorough || isEven) {
            operation[0] = 0;
            look(number, "a kill", medium.kill(), thorough ? again -> true : null);
            Survival other = number % 4 == 0 ? Survival.NAMES : Survival.BYTES;
            look(number, other.toString(), medium.crash(other), null);
        }
        if (thorough || !isEven) {
            look(number, "a torn cut", medium.crash(Survival.random(number)), null);
        }
    }

    private void look(int number, String crash, SimulatedFileMedium left, IntPredicate crashAgain) {
        if (failures.size() >= MOST_FAILURES) {
            return;
        }
        String[] second = {""};
        try {
            if (crashAgain != null) {
                SimulatedFileMedium again = left.kill();
                again.onOperation(
                        n -> {
                            if (crashAgain.test(n)) {
                                second[0] = ", again at " + again.history().get(n - 1);
                                check(again.crash(Survival.NONE));
                            }
                        });
                open(hot, again).close();
                second[0] = "";
            }
            check(left);
        } catch (AssertionError | RuntimeException e) {
            String at = medium.history().get(number - 1);
            failures.add(doing + ", before " + at + ", " + crash + second[0] + ": " + e + left);
        }
    }

    private void check(SimulatedFileMedium left) {
        crashes++;
        try (LogStore store = open(hot, left)) {
            assertEquals(List.of(), store.findings());
            assertTrue(otherMayBeThere || store.topicNames().equals(List.of("t")));
            assertAccountedFor(store);
            Partition partition = store.openTopic("t").partition(0);
            assertEquals(acked, partition.nextOffset());
            long start = partition.logStartOffset();
            assertTrue(start == 0 || start == startAsked, "start " + start);
            Tiered.assertAllThere(partition);
            for (int i = 0; i < 3; i++) {
                store.doWork();
            }
            Tiered.append(partition, 1);
            Tiered.assertAllThere(partition);
        }
    }

    private static void assertAccountedFor(LogStore store) {
        StoreSnapshot snapshot = store.snapshot();
        long[] used = new long[snapshot.tiers().size()];
        snapshot.partitions()
                .forEach(p -> p.segments().forEach(s -> used[s.tier()] += s.usedBytes()));
        for (int i = 0; i < used.length; i++) {
            assertEquals(used[i], snapshot.tiers().get(i).usedBytes(), "bytes in tier " + i);
        }
    }

    private void crashEverywhere(Hot kind, boolean isThorough) {
        hot = kind;
        thorough = isThorough;
        clock.update(1_700_000_000_000L);
        live(kind);
        assertEquals(List.of(), failures, crashes + " crashes");
        assertTrue(crashes > 300, crashes + " crashes only");
    }

    @Test
    void shouldLeaveEachSegmentInOneTierWhenPowerIsCutAtAnyOperationOfAMoveBetweenFiles() {
        crashEverywhere(Hot.FILE, false);
    }

    @Test
    void shouldLeaveEachSegmentInOneTierWhenPowerIsCutAtAnyOperationOfAMoveFromMemory() {
        crashEverywhere(Hot.PMEM, false);
    }

    @Test
    @Tag("slow")
    void shouldLeaveEachSegmentInOneTierWhenPowerIsCutAgainAtAnyOperationOfTheRecovery() {
        crashEverywhere(Hot.FILE, true);
    }
}
