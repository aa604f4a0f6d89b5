package io.firn.migrator;

import static io.firn.migrator.Tiered.BLOCK_BYTES;
import static io.firn.migrator.Tiered.COLD;
import static io.firn.migrator.Tiered.HOT;
import static io.firn.migrator.Tiered.RECORDS_IN_SEGMENT;
import static io.firn.migrator.Tiered.assertAllThere;
import static io.firn.migrator.Tiered.await;
import static io.firn.migrator.Tiered.awaitMovable;
import static io.firn.migrator.Tiered.segments;
import static io.firn.migrator.Tiered.tier;
import static io.firn.migrator.Tiered.tiersOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStore.MoveOutcome;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.Survives;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The migrator at work: what it keeps up, what it survives, and what it says about it. */
class MigratorTest {
    private static final Path SIMULATED = Path.of("/sim/tier");
    private static final Duration SOON = Duration.ofMillis(5);

    @TempDir private Path directory;
    private LogStore store;

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    private Partition open(LogStoreBuilder builder, int segments) {
        store = builder.open();
        Partition partition = store.createTopic("t", Tiered.small()).partition(0);
        Tiered.appendSegments(partition, segments);
        awaitMovable(store, "t", segments);
        return partition;
    }

    private Migrator.Builder migrator(double threshold) {
        return Migrator.of(store)
                .policy(Policies.threshold(threshold))
                .interval(SOON)
                .firstRetry(SOON);
    }

    @Test
    void shouldKeepTheHottestTierAtTheThreshold() {
        Partition partition = open(Tiered.at(directory, 8), 6);
        try (Migrator migrator = migrator(0.5).threads(2).start()) {
            for (int i = 0; i < 10; i++) { // slowly: what comes while it is full spills over
                await("room", () -> tier(store, HOT).usedBytes() <= 4L * BLOCK_BYTES);
                Tiered.append(partition, RECORDS_IN_SEGMENT);
            }
            await("rest", () -> tier(store, HOT).usedBytes() == 4L * BLOCK_BYTES);
            assertAllThere(partition);
            List<String> tiers = tiersOf(store, "t");
            assertEquals(HOT, tiers.get(tiers.size() - 1));
            assertTrue(migrator.status().movedDown() > 0);
            assertTrue(migrator.status().isRunning());
        }
        long hot = tiersOf(store, "t").stream().filter(tier -> tier.equals(HOT)).count();
        partition.deleteRecordsBefore(partition.durableOffset() - 1);
        await("the deletion", () -> segments(store, "t").size() <= 2);
        assertTrue(hot >= 3, "the newest stay: " + hot);
    }

    @Test
    void shouldBringTheNewestUpWhenThereIsRoom() {
        Partition partition = open(Tiered.at(directory, 8), 5);
        for (int i = 0; i < 5; i++) {
            store.migrate("t", 0, (long) i * RECORDS_IN_SEGMENT, COLD);
        }
        await("room", () -> tier(store, HOT).usedBytes() <= 2L * BLOCK_BYTES);
        Migrator migrator = migrator(0.5).open();
        while (migrator.moveNext()) {
            continue;
        }
        List<String> tiers = tiersOf(store, "t");
        assertEquals(COLD, tiers.get(0));
        assertEquals(HOT, tiers.get(4));
        assertEquals(0, migrator.status().movedDown());
        assertTrue(migrator.status().movedUpBytes() > 0);
        assertAllThere(partition);
    }

    @Test
    void shouldTakeATierThatFailsOutOfRotationAndGoOnWithTheOthers() {
        SimulatedFileMedium failing = new SimulatedFileMedium();
        LogStoreBuilder builder =
                LogStore.at(directory.resolve("store"))
                        .tier(HOT, Tiered.pmem(directory, 6, FileMedium.real()))
                        .tier("broken", FileTier.at(SIMULATED).withMedium(failing))
                        .tier(COLD, FileTier.at(directory.resolve("hdd")));
        Partition partition = open(builder, 4);
        failing.faults().refuseChanges(path -> path.startsWith(SIMULATED));
        try (Migrator migrator = migrator(0).start()) {
            await("all of it below", () -> tiersOf(store, "t").indexOf(HOT) == 4);
            assertEquals(List.of(COLD, COLD, COLD, COLD, HOT), tiersOf(store, "t"));
            assertTrue(migrator.status().failures() > 0);
            assertTrue(migrator.status().lastError().isPresent());
        }
        assertFalse(tier(store, "broken").isInRotation());
        assertTrue(tier(store, "broken").lastError().isPresent());
        assertTrue(tier(store, COLD).lastError().isEmpty());
        assertThrows(FirnException.class, () -> store.migrate("t", 0, 0, "broken"));
        assertEquals(0, tier(store, "broken").movesInFlight());
        assertAllThere(partition);

        failing.faults().none();
        await("what was left there", () -> tier(store, "broken").usedBytes() == 0);
        assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, 0, "broken"));
        assertTrue(tier(store, "broken").isInRotation(), "it works again");
        assertAllThere(partition);
    }

    @Test
    void shouldGoOnAppendingInAnotherTierWhenTheHottestFails() {
        SimulatedFileMedium failing = new SimulatedFileMedium();
        LogStoreBuilder builder =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(SIMULATED).withMedium(failing))
                        .tier(FileTier.at(directory.resolve("hdd")));
        store = builder.open();
        Partition partition =
                store.createTopic("t", Tiered.small().withMinimumClass(Survives.PROCESS_CRASH))
                        .partition(0);
        Tiered.append(partition, 1);
        failing.faults()
                .refuseChanges(path -> path.getFileName().toString().endsWith(".active.tmp"));
        Tiered.appendSegments(partition, 4);
        assertEquals("tier-1", tiersOf(store, "t").get(4));
        assertFalse(tier(store, "tier-0").isInRotation());
        assertAllThere(partition);
    }

    @Test
    void shouldTryAgainWhatFailed() {
        SimulatedFileMedium failing = new SimulatedFileMedium();
        LogStoreBuilder builder =
                LogStore.at(directory.resolve("store"))
                        .tier(Tiered.pmem(directory, 6, FileMedium.real()))
                        .tier(FileTier.at(SIMULATED).withMedium(failing));
        Partition partition = open(builder, 3);
        failing.faults().refuseChanges(path -> path.toString().endsWith(".copy"));
        MigrationPolicy always =
                snapshot -> {
                    var p = snapshot.partitions().get(0);
                    return p.segments().stream()
                            .filter(s -> s.isMovable() && s.tier().equals("tier-0"))
                            .map(s -> Move.of(p, s, "tier-1"))
                            .toList();
                };
        try (Migrator migrator =
                Migrator.of(store).policy(always).interval(SOON).firstRetry(SOON).open()) {
            migrator.start();
            await(
                    "three failures, each told of",
                    () ->
                            migrator.status().failing().size() == 3
                                    && migrator.status().failing().stream()
                                            .allMatch(f -> f.attempts() > 1));
            assertTrue(migrator.status().failing().get(0).reason().contains("could not be moved"));
            assertAllThere(partition);
            failing.faults().none();
            await(
                    "all of it below",
                    () ->
                            tiersOf(store, "t")
                                    .equals(List.of("tier-1", "tier-1", "tier-1", "tier-0")));
            await("three moves", () -> migrator.status().movedDown() == 3);
            assertEquals(List.of(), migrator.status().failing());
        }
        assertAllThere(partition);
    }

    @Test
    void shouldGoOnAfterAPolicyThatThrows() {
        open(Tiered.at(directory, 6), 3);
        AtomicInteger asked = new AtomicInteger();
        MigrationPolicy moody =
                snapshot -> {
                    if (asked.getAndIncrement() < 3) {
                        throw new IllegalStateException("not today");
                    }
                    return Policies.threshold(0).moves(snapshot);
                };
        try (Migrator migrator = Migrator.of(store).policy(moody).interval(SOON).open()) {
            migrator.start();
            await("its work", () -> migrator.status().movedDown() == 3);
            assertEquals(3, migrator.status().failures());
            assertTrue(migrator.status().lastError().orElseThrow().contains("not today"));
        }
    }

    /** Its threads go on whatever a duty of theirs ends in, and say what that was. */
    @Test
    void shouldGoOnAfterAnErrorInAnyOfItsThreads() {
        open(Tiered.at(directory, 6), 3);
        Queue<Error> errors =
                new ConcurrentLinkedQueue<>(
                        List.of(
                                new OutOfMemoryError("simulated"),
                                new AssertionError("simulated"),
                                new StackOverflowError("simulated"),
                                new NoClassDefFoundError("the last")));
        MigrationPolicy dying =
                snapshot -> {
                    Error next = errors.poll();
                    if (next != null) {
                        throw next;
                    }
                    return Policies.threshold(0).moves(snapshot);
                };
        try (Migrator migrator =
                Migrator.of(store).policy(dying).threads(3).interval(SOON).open()) {
            migrator.start();
            await("its work", () -> migrator.status().movedDown() == 3);
            await("four failures", () -> migrator.status().failures() == 4);
            assertTrue(migrator.status().lastError().orElseThrow().contains("Error"));
        }
    }

    @Test
    void shouldShowHowFarAMoveIsAndGiveItUpWhenStopped() {
        Partition partition = open(Tiered.at(directory, 6), 3);
        Migrator migrator = migrator(0).bytesPerSecond(1).threads(3).start();
        await("three moves", () -> migrator.status().current().size() == 3);
        await("them, seen by the store", () -> tier(store, HOT).movesInFlight() == 3);
        migrator.stop();
        migrator.stop();
        assertFalse(migrator.status().isRunning());
        assertEquals(List.of(), migrator.status().current());
        assertEquals(0, tier(store, HOT).movesInFlight());
        assertAllThere(partition);

        migrator.unlimitedRate();
        migrator.start();
        await("all of it below", () -> tiersOf(store, "t").indexOf(HOT) == 3);
        migrator.close();
        assertAllThere(partition);
    }

    @Test
    void shouldEndWithItsStore() {
        open(Tiered.at(directory, 6), 3);
        Migrator migrator = migrator(0).bytesPerSecond(1).start();
        await("a move", () -> !migrator.status().current().isEmpty());
        store.close();
        await("its end", () -> !migrator.status().isRunning());
        migrator.close();
        store = Tiered.at(directory, 6).open();
        assertEquals(List.of(HOT, HOT, HOT, HOT), tiersOf(store, "t"));
        assertEquals(List.of(), store.findings());
    }

    @Test
    void shouldSpreadBytesOverTime() {
        ByteRate rate = new ByteRate(1_000);
        assertEquals(2_000_000_000, rate.take(2_000));
        long wait = rate.take(1_000_000);
        assertTrue(wait > 1_000_000_000_000L && wait <= 1_002_000_000_000L, "ns: " + wait);
        rate.set(ByteRate.UNLIMITED);
        assertEquals(0, rate.take(Integer.MAX_VALUE));
        rate.set(1_000);
        assertEquals(1_000_000, rate.take(1));
    }

    @Test
    void shouldRefuseOptionsThatMakeNoSense() {
        open(Tiered.at(directory, 6), 1);
        Migrator.Builder builder = Migrator.of(store);
        assertThrows(InvalidOptionException.class, () -> builder.threads(0));
        assertThrows(InvalidOptionException.class, () -> builder.bytesPerSecond(0));
        assertThrows(InvalidOptionException.class, () -> builder.interval(Duration.ZERO));
    }
}
