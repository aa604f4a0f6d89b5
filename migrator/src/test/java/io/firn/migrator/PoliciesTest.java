package io.firn.migrator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoreSnapshot.TierPlace;
import io.firn.migrator.Snapshots.Part;
import io.firn.migrator.Snapshots.Segment;
import io.firn.migrator.Snapshots.Snapshot;
import io.firn.migrator.Snapshots.Tier;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Policies, without a disk: snapshots in, moves out. A segment has 10 bytes and 100 offsets. */
class PoliciesTest {
    private static final int BYTES = 10;
    private static final List<String> ALL = List.of("0", "1", "2");

    private final List<PartitionPlace> partitions = new ArrayList<>();

    /** A partition with a sealed segment in each of the tiers, oldest first, and no other. */
    private void partition(
            String topic, List<String> allowed, Map<String, Long> cursors, int... tiers) {
        List<SegmentPlace> segments = new ArrayList<>();
        for (int i = 0; i < tiers.length; i++) {
            segments.add(new Segment(i * 100L, i * 100L + 100, BYTES, ALL.get(tiers[i]), i, true));
        }
        partitions.add(new Part(topic, 0, 0, tiers.length * 100L, allowed, cursors, segments));
    }

    private StoreSnapshot snapshot(long... capacities) {
        StoreSnapshot segments = new Snapshot(Instant.EPOCH, List.of(), partitions);
        Map<String, Long> used = Tiered.usedBySegments(segments);
        List<TierPlace> tiers = new ArrayList<>();
        for (int i = 0; i < capacities.length; i++) {
            tiers.add(
                    new Tier(
                            ALL.get(i),
                            OptionalLong.of(capacities[i]),
                            used.getOrDefault(ALL.get(i), 0L),
                            1,
                            1000));
        }
        return new Snapshot(Instant.ofEpochMilli(1_000), tiers, partitions);
    }

    private static List<String> words(List<Move> moves) {
        return moves.stream()
                .map(m -> m.topic() + m.baseOffset() / 100 + ":" + m.fromTier() + m.toTier())
                .toList();
    }

    /** The same store after the moves. */
    private static StoreSnapshot after(StoreSnapshot before, List<Move> moves) {
        Map<String, Long> used = new HashMap<>();
        before.tiers().forEach(tier -> used.put(tier.label(), tier.usedBytes()));
        List<PartitionPlace> moved = new ArrayList<>();
        for (PartitionPlace p : before.partitions()) {
            List<SegmentPlace> segments = new ArrayList<>();
            for (SegmentPlace s : p.segments()) {
                String tier = s.tier();
                for (Move move : moves) {
                    if (move.topic().equals(p.topic()) && move.baseOffset() == s.baseOffset()) {
                        assertEquals(tier, move.fromTier());
                        tier = move.toTier();
                        used.merge(move.fromTier(), -s.usedBytes(), Long::sum);
                        used.merge(tier, s.usedBytes(), Long::sum);
                    }
                }
                segments.add(
                        new Segment(
                                s.baseOffset(),
                                s.endOffset(),
                                s.bytes(),
                                s.usedBytes(),
                                tier,
                                s.sealTime(),
                                s.isMovable()));
            }
            moved.add(
                    new Part(
                            p.topic(),
                            p.partition(),
                            p.logStartOffset(),
                            p.visibleOffset(),
                            p.tiers(),
                            p.cursors(),
                            segments));
        }
        List<TierPlace> tiers = new ArrayList<>();
        for (TierPlace t : before.tiers()) {
            tiers.add(
                    new Tier(
                            t.label(),
                            t.capacityBytes(),
                            used.get(t.label()),
                            t.blockBytes(),
                            t.maxSegmentBytes()));
        }
        return new Snapshot(before.time(), tiers, moved);
    }

    // ---- threshold

    @Test
    void shouldMoveTheOldestDownAboveTheThreshold() {
        partition("a", ALL, Map.of(), 0, 0, 0, 0, 0, 0, 0);
        assertEquals(
                List.of("a0:01", "a1:01"),
                words(Policies.threshold(0.5).moves(snapshot(100, 1000, 1000))));
    }

    @Test
    void shouldMoveTheNewestUpBelowTheThreshold() {
        partition("a", ALL, Map.of(), 1, 1, 2, 1, 0, 0);
        assertEquals(
                List.of("a3:10", "a2:20", "a1:10"),
                words(Policies.threshold(0.5).moves(snapshot(100, 100, 1000))));
    }

    @Test
    void shouldMoveNothingAtTheThresholdAndNothingWhenItIsOff() {
        partition("a", ALL, Map.of(), 1, 0, 0, 0, 0, 0);
        StoreSnapshot snapshot = snapshot(100, 1000, 1000);
        assertEquals(List.of(), Policies.threshold(0.5).moves(snapshot));
        assertEquals(List.of(), Policies.threshold(0.55).moves(snapshot), "half a segment");
        assertEquals(List.of(), Policies.none().moves(snapshot));
    }

    @Test
    void shouldPassOnFromTierToTierAndSkipOneWithoutRoom() {
        partition("a", ALL, Map.of(), 1, 1, 0, 0);
        assertEquals(
                List.of("a2:01", "a0:12", "a1:12"),
                words(Policies.threshold(0.5).moves(snapshot(20, 30, 1000))));
        assertEquals(
                List.of("a2:02"),
                words(Policies.threshold(0.5).moves(snapshot(20, 20, 1000))).subList(0, 1));
    }

    @Test
    void shouldMoveOnlyToTiersThatTheTopicMayLieIn() {
        partition("a", List.of("0", "2"), Map.of(), 0, 0);
        partition("b", List.of("1", "2"), Map.of(), 1, 1);
        assertEquals(
                List.of("a0:02"), words(Policies.threshold(0.5).moves(snapshot(20, 1000, 1000))));
        assertEquals(List.of(), words(Policies.threshold(1).moves(snapshot(1000, 1000, 1000))));
    }

    @Test
    void shouldLeaveWhatIsTooLargeOrOnItsWay() {
        List<SegmentPlace> segments =
                List.of(
                        new Segment(0, 100, 2000, "0", 1, true),
                        new Segment(100, 200, BYTES, "0", 2, false),
                        new Segment(200, 300, BYTES, "0", 3, true));
        partitions.add(new Part("a", 0, 0, 300, ALL, Map.of(), segments));
        assertEquals(
                List.of("a2:01"), words(Policies.threshold(0).moves(snapshot(5000, 5000, 5000))));
    }

    @Test
    void shouldComeToRestWhateverTheStoreLooksLike() {
        SplittableRandom random = new SplittableRandom(7);
        List<MigrationPolicy> all =
                List.of(
                        Policies.threshold(0.5),
                        Policies.threshold(0.07),
                        Policies.watermarks(0.8, 0.3),
                        Policies.age(Duration.ofMillis(3), Duration.ofMillis(8)),
                        Policies.consumerAware(0.5, 2));
        for (int round = 0; round < 500; round++) {
            partitions.clear();
            for (String topic : List.of("a", "b")) {
                int[] tiers = random.ints(random.nextInt(12), 0, 3).toArray();
                partition(topic, ALL, Map.of("c", random.nextLong(1200)), tiers);
            }
            StoreSnapshot start =
                    snapshot(240 + random.nextInt(100), 240 + random.nextInt(100), Long.MAX_VALUE);
            for (MigrationPolicy policy : all) {
                StoreSnapshot then = start;
                List<Move> moves = policy.moves(then);
                // A round for each tier: what came down in one may go on in the next.
                for (int i = 0; i < ALL.size(); i++) {
                    then = after(then, moves);
                    then.tiers()
                            .forEach(
                                    t ->
                                            assertTrue(
                                                    t.usedBytes()
                                                            <= t.capacityBytes().orElseThrow()));
                    moves = policy.moves(then);
                }
                assertEquals(List.of(), moves, () -> policy + " never rests in " + start);
            }
        }
    }

    // ---- the others

    @Test
    void shouldEmptyATierToTheLowMarkOnceItIsAboveTheHighOne() {
        partition("a", ALL, Map.of(), 1, 0, 0, 0, 0, 0, 0, 0, 0);
        MigrationPolicy policy = Policies.watermarks(0.75, 0.5);
        assertEquals(
                List.of("a1:01", "a2:01", "a3:01"), words(policy.moves(snapshot(100, 1000, 1000))));
        assertEquals(List.of(), policy.moves(snapshot(110, 1000, 1000)), "between the marks");
    }

    @Test
    void shouldMoveByTheTimeSinceSealing() {
        // Sealed at 0, 1, 2 … and looked at at 1000 ms.
        partition("a", ALL, Map.of(), 0, 0, 0, 1, 2);
        MigrationPolicy policy = Policies.age(Duration.ofMillis(998), Duration.ofMillis(999));
        assertEquals(List.of("a0:02", "a1:01"), words(policy.moves(snapshot(1000, 1000, 1000))));
    }

    @Test
    void shouldMoveDownFirstWhatAllHaveRead() {
        // The partition a is older, but one of its readers is behind.
        partition("a", ALL, Map.of("x", 400L, "y", 0L), 0, 0, 0, 0);
        partition("b", ALL, Map.of("z", 300L), 0, 0, 0, 0);
        assertEquals(
                List.of("b0:01", "b1:01", "b2:01"),
                words(Policies.consumerAware(0.5, 1).moves(snapshot(100, 1000, 1000))));
    }

    @Test
    void shouldBringUpWhatALaggingReaderIsGoingToRead() {
        partition("a", ALL, Map.of("lag", 150L, "lead", 700L), 2, 2, 1, 2, 0, 0, 0);
        assertEquals(
                List.of("a1:20", "a2:10"),
                words(Policies.consumerAware(0.5, 2).moves(snapshot(100, 1000, 1000))));
        assertEquals(
                List.of("a1:20"),
                words(Policies.consumerAware(0.5, 2).moves(snapshot(80, 1000, 1000))).subList(0, 1),
                "as far as there is room");
    }

    @Test
    void shouldMakeRoomForALaggingReaderWithWhatAllHaveRead() {
        partition("a", ALL, Map.of("lag", 250L), 0, 0, 2, 2, 2);
        assertEquals(
                List.of("a0:01", "a2:20"),
                words(Policies.consumerAware(0.5, 1).moves(snapshot(40, 1000, 1000))));
    }

    @Test
    void shouldTreatPartitionsWithoutCursorsByAge() {
        partition("a", ALL, Map.of(), 0, 0, 0);
        assertEquals(
                List.of("a0:01", "a1:01"),
                words(Policies.consumerAware(0.5, 2).moves(snapshot(20, 1000, 1000))));
    }

    @Test
    void shouldRefuseNumbersThatMakeNoSense() {
        assertThrows(InvalidOptionException.class, () -> Policies.threshold(1.1));
        assertThrows(InvalidOptionException.class, () -> Policies.threshold(-0.5));
        assertThrows(InvalidOptionException.class, () -> Policies.threshold(Double.NaN));
        assertThrows(InvalidOptionException.class, () -> Policies.watermarks(0.5, 0.5));
        assertThrows(InvalidOptionException.class, () -> Policies.consumerAware(0.5, 0));
        assertThrows(
                InvalidOptionException.class,
                () -> Policies.age(Duration.ofMillis(2), Duration.ofMillis(1)));
    }
}
