package io.firn.migrator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MoveQueueTest {
    private static final long HOUR_NS = 3_600_000_000_000L;
    private static final StoreSnapshot SNAPSHOT =
            new Snapshots.Snapshot(Instant.EPOCH, List.of(), List.of());

    private static final PartitionPlace PARTITION =
            new Snapshots.Part("topic", 0, 0, 0, List.of("ssd", "hdd"), Map.of(), List.of());

    private final Deque<List<Move>> plans = new ArrayDeque<>();
    private final MoveRetries retries = new MoveRetries(HOUR_NS);

    private MoveQueue queue(long intervalNs) {
        return new MoveQueue(() -> SNAPSHOT, snapshot -> plans.remove(), retries, intervalNs);
    }

    private static Move move(long baseOffset) {
        SegmentPlace segment =
                new Snapshots.Segment(baseOffset, baseOffset + 1, 100, "ssd", 0, true);
        return Move.of(PARTITION, segment, "hdd");
    }

    @Test
    void shouldAskThePolicyAgainOnlyWhenAllMovesHaveBegun() {
        plans.addAll(Arrays.asList(List.of(move(1), move(2)), List.of(move(3))));
        MoveQueue queue = queue(HOUR_NS);
        assertEquals(move(1), queue.begin());
        assertEquals(1, plans.size());
        assertEquals(move(2), queue.begin());
        assertEquals(move(3), queue.begin());
    }

    @Test
    void shouldWaitForTheIntervalWhenThePolicyHasNothingToMove() {
        plans.addAll(Arrays.asList(List.of(), List.of(move(1))));
        MoveQueue queue = queue(HOUR_NS);
        assertNull(queue.begin());
        assertNull(queue.begin());
        assertEquals(1, plans.size());
    }

    @Test
    void shouldNotBeginAMoveThatIsInProgressOrWaitsForItsRetry() {
        retries.failed(move(2), "on purpose");
        plans.add(List.of(move(1)));
        plans.add(List.of(move(1), move(2), move(3)));
        MoveQueue queue = queue(0);
        assertEquals(move(1), queue.begin());
        assertEquals(move(3), queue.begin());
        assertEquals(0, queue.dueCount());
        queue.progress(move(1), 50);
        queue.end(move(3));
        assertEquals(List.of(new MoveQueue.Progress(move(1), 50)), queue.inProgress());
    }

    @Test
    void shouldPlanAgainAfterThePolicyFailed() {
        MoveQueue queue = queue(0);
        assertThrows(RuntimeException.class, queue::begin);
        plans.add(List.of(move(1)));
        assertEquals(move(1), queue.begin());
    }

    @Test
    void shouldDiscardWhatHasNotBegun() {
        plans.add(List.of(move(1), move(2)));
        MoveQueue queue = queue(HOUR_NS);
        queue.begin();
        queue.clear();
        assertEquals(0, queue.dueCount());
        assertEquals(1, queue.inProgress().size());
    }
}
