package io.firn.migrator;

import static io.firn.migrator.Tiered.COLD;
import static io.firn.migrator.Tiered.HOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.LogStore.MoveOutcome;
import io.firn.Partition;
import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.TierPlace;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SecondRun;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
@FirstRunOnly
class MoveCrashTest {
    private static final Path STORE = Path.of("/sim/store");
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int MOST_FAILURES = 3;

    /** What the hotter tier is made of; the colder one is a directory. */
    private enum Hot {
        FILE {
            @Override
            StorageTier at(SimulatedFileMedium medium) {
                return FileTier.at(Path.of("/sim/hot")).withMedium(medium);
            }
        },
        PMEM {
            @Override
            StorageTier at(SimulatedFileMedium medium) {
                return PmemTier.at(Path.of("/sim/hot"))
                        .withMedium(medium)
                        .withBlockBytes(Tiered.BLOCK_BYTES)
                        .withPoolRatio(1)
                        .withCapacityBytes(5L * Tiered.BLOCK_BYTES)
                        .withEmulation(Emulation.FORCED);
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
        return StoreBuilder.over(STORE, on)
                .tier(HOT, hot.at(on))
                .tier(COLD, FileTier.at(Path.of("/sim/cold")).withMedium(on))
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

    private void move(LogStore store, int segment, String tier) {
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
        move(store, 0, COLD);
        move(store, 1, COLD);
        move(store, 0, HOT);
        pass(store);
        doing = "a deletion that comes before the publishing";
        long second = Tiered.RECORDS_IN_SEGMENT;
        MoveOutcome outcome =
                store.migrate(
                        "t",
                        0,
                        0,
                        COLD,
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
                        COLD,
                        (copied, total, next) -> {
                            store.deleteTopic("u");
                            pass(store);
                            return 0;
                        });
        assertEquals(MoveOutcome.GONE, outcome);
        pass(store);
        otherMayBeThere = false;
        move(store, 2, COLD);
        doing = "close after a move";
        store.close();
        doing = "open after moves";
        try (LogStore again = open(hot, medium)) {
            move(again, 1, HOT);
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
        if (SecondRun.leavesOut(number, 3)) {
            return;
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
            assertNoCopyIn(left);
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

    /** A copy that was not published is in no list, but takes its space. */
    private static void assertNoCopyIn(SimulatedFileMedium left) {
        Path cold = Path.of("/sim/cold");
        try {
            for (String topic : left.list(cold)) {
                Path partition = cold.resolve(topic).resolve("0");
                if (left.exists(partition)) {
                    List<String> names = left.list(partition);
                    assertTrue(names.stream().noneMatch(n -> n.endsWith(".copy")), names + "");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertAccountedFor(LogStore store) {
        StoreSnapshot snapshot = store.snapshot();
        Map<String, Long> used = Tiered.usedBySegments(snapshot);
        for (TierPlace tier : snapshot.tiers()) {
            assertEquals(used.getOrDefault(tier.label(), 0L), tier.usedBytes(), tier.label());
        }
    }

    private void crashEverywhere(Hot kind, boolean isThorough) {
        hot = kind;
        thorough = isThorough;
        clock.update(1_700_000_000_000L);
        live(kind);
        assertEquals(List.of(), failures, crashes + " crashes");
        assertTrue(crashes > SecondRun.share(300, 3), crashes + " crashes only");
    }

    private LogStore openWithASegmentToMove() {
        hot = Hot.FILE;
        clock.update(1_700_000_000_000L);
        LogStore store = open(hot, medium);
        Partition partition = store.createTopic("t", Tiered.small()).partition(0);
        append(store, partition, 1);
        Tiered.append(partition, 1);
        pass(store);
        return store;
    }

    /** The last file that an operation named. */
    private Path last() {
        List<String> all = medium.history();
        String operation = all.get(all.size() - 1);
        return Path.of(operation.substring(operation.indexOf(" /") + 1));
    }

    /** Without the comparison in {@code SegmentMove.copyBytes}. */
    @Test
    void shouldLeaveASegmentWhereItIsWhenItsCopyReadsBackAsOtherBytes() {
        try (LogStore store = openWithASegmentToMove()) {
            medium.onOperation(
                    number -> {
                        if (last().toString().endsWith(".copy")
                                && medium.history().get(number - 1).startsWith("force ")) {
                            rot(medium, last());
                        }
                    });
            FirnException refused =
                    assertThrows(FirnException.class, () -> store.migrate("t", 0, 0, COLD));
            medium.ignoreOperations();
            assertTrue(refused.getMessage().contains("reads back"), refused.getMessage());
            assertEquals(List.of(HOT, HOT), Tiered.tiersOf(store, "t"));
            pass(store);
            assertEquals(0, Tiered.tier(store, COLD).usedBytes());
            assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, 0, COLD));
            Tiered.assertAllThere(store.openTopic("t").partition(0));
        }
    }

    private static void rot(SimulatedFileMedium medium, Path file) {
        try {
            medium.rot(file, 1_000, 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without the step from MOVING to PUBLISHING in {@code SegmentMove.move}. */
    @Test
    void shouldLeaveNothingOfASegmentThatIsDeletedWhileItsCopyIsPublished() {
        try (LogStore store = openWithASegmentToMove()) {
            Partition partition = store.openTopic("t").partition(0);
            boolean[] deleted = {false};
            medium.onOperation(
                    number -> {
                        String operation = medium.history().get(number - 1);
                        if (!deleted[0]
                                && operation.startsWith("rename ")
                                && operation.endsWith(".copy")) {
                            deleted[0] = true;
                            partition.deleteRecordsBefore(Tiered.RECORDS_IN_SEGMENT);
                            pass(store);
                        }
                    });
            assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, 0, COLD));
            medium.ignoreOperations();
            assertTrue(deleted[0]);
            pass(store);
            pass(store);
            assertEquals(List.of(HOT), Tiered.tiersOf(store, "t"));
            assertEquals(0, Tiered.tier(store, COLD).usedBytes());
            Tiered.assertAllThere(partition);
        }
    }

    /**
     * Without the force in {@code FileCopy.takeBack}: its name was durable, and would come back.
     */
    @Test
    void shouldLeaveNothingOfACopyThatCouldNotBePublished() throws IOException {
        try (LogStore store = openWithASegmentToMove()) {
            medium.faults()
                    .failOperations(number -> medium.history().get(number - 1).contains(".mark"));
            assertThrows(FirnException.class, () -> store.migrate("t", 0, 0, COLD));
            medium.faults().none();
            pass(store);
            SimulatedFileMedium left = medium.crash(Survival.NONE);
            Path topic = Path.of("/sim/cold");
            topic = topic.resolve(left.list(Path.of("/sim/store/topics")).get(0)).resolve("0");
            assertTrue(left.exists(topic));
            assertEquals(List.of(), left.list(topic));
        }
    }

    /** Without the forces in between in {@code SegmentMove.copyBytes} others' would queue long. */
    @Test
    void shouldForceALongCopyPieceByPiece() {
        clock.update(1_700_000_000_000L);
        TopicOptions large =
                TopicOptions.defaults()
                        .withSegmentBytes(10 << 20)
                        .withRollAge(Duration.ofSeconds(1));
        try (LogStore store = open(Hot.FILE, medium)) {
            Partition partition = store.createTopic("t", large).partition(0);
            byte[] value = new byte[500_000];
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < 18; i++) {
                    appender.append(value);
                }
            }
            for (int i = 0; !Tiered.segments(store, "t").get(0).isMovable(); i++) {
                assertTrue(i < 10, "it is not sealed");
                clock.advance(1_000);
                pass(store);
            }
            int before = medium.operations();
            assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, 0, COLD));
            int unforced = 0;
            int most = 0;
            for (String each : medium.history().subList(before, medium.operations())) {
                if (each.endsWith(".copy") && each.startsWith("write ")) {
                    unforced += Integer.parseInt(each.split(" ")[1]);
                    most = Math.max(most, unforced);
                } else if (each.endsWith(".copy") && each.startsWith("force ")) {
                    unforced = 0;
                }
            }
            assertTrue(most > 0 && most <= 5 << 20, most + " bytes between two forces");
        }
    }

    /** Without the comparison in {@code TwinSegments}: nobody can tell which of two is right. */
    @Test
    void shouldKeepBothOfTwoSegmentsThatDiffer() {
        SimulatedFileMedium[] both = {null};
        try (LogStore store = openWithASegmentToMove()) {
            medium.onOperation(
                    number -> {
                        String operation = medium.history().get(number - 1);
                        if (both[0] == null
                                && operation.contains("/sim/hot")
                                && medium.history().stream()
                                        .anyMatch(each -> each.contains(".copy"))) {
                            both[0] = medium.kill(); // the copy is published, the source is there
                        }
                    });
            assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, 0, COLD));
            pass(store);
            medium.ignoreOperations();
            rot(both[0], logIn(both[0]));
        }
        try (LogStore store = open(hot, both[0])) {
            Tiered.assertAllThere(store.openTopic("t").partition(0));
        }
    }

    private static Path logIn(SimulatedFileMedium medium) {
        try {
            Path topic = Path.of("/sim/cold");
            topic = topic.resolve(medium.list(Path.of("/sim/store/topics")).get(0)).resolve("0");
            for (String name : medium.list(topic)) {
                if (name.endsWith(".log")) {
                    return topic.resolve(name);
                }
            }
            throw new AssertionError(medium);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
