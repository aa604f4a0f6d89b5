package io.firn.migrator;

import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoreSnapshot.TierPlace;
import io.firn.migrator.MovePlan.Candidate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * See {@link Policies#consumerAware}. For each tier, the segments that readers need next are found.
 * Segments that all have read move down to make room for them; then, above the threshold, other
 * segments that nobody needs next, oldest first. Needed segments move up as far as there is room
 * below the threshold. A segment that is needed next never moves down, so nothing moves up and down
 * again.
 */
record ConsumerAwarePolicy(double threshold, int ahead) implements MigrationPolicy {

    @Override
    public List<Move> moves(StoreSnapshot snapshot) {
        MovePlan plan = MovePlan.of(snapshot);
        Set<Candidate> wanted = new HashSet<>();
        snapshot.partitions().forEach(partition -> addWanted(partition, wanted));
        for (TierPlace place : ThresholdPolicy.allButTheColdest(snapshot)) {
            String tier = place.label();
            long limit = ThresholdPolicy.limit(place, threshold);
            List<Candidate> coming = new ArrayList<>();
            long comingBytes = 0;
            for (Candidate candidate : plan.candidatesBelow(tier)) {
                if (wanted.contains(candidate) && candidate.partition().tiers().contains(tier)) {
                    coming.add(candidate);
                    comingBytes += plan.bytesIn(tier, candidate);
                }
            }
            makeRoom(plan, tier, limit, comingBytes, wanted);
            for (Candidate candidate : coming) {
                if (plan.usedBytes(tier) + plan.bytesIn(tier, candidate) <= limit) {
                    plan.add(candidate, tier);
                }
            }
        }
        return plan.moves();
    }

    private static void makeRoom(
            MovePlan plan, String tier, long limit, long comingBytes, Set<Candidate> wanted) {
        List<Candidate> unread = new ArrayList<>();
        for (Candidate candidate : plan.candidatesIn(tier)) {
            if (wanted.contains(candidate)) {
                continue;
            }
            if (!isReadByAll(candidate)) {
                unread.add(candidate);
            } else if (plan.usedBytes(tier) > limit - comingBytes) {
                plan.demote(candidate);
            }
        }
        for (Candidate candidate : unread) {
            if (plan.usedBytes(tier) > limit) {
                plan.demote(candidate);
            }
        }
    }

    private static boolean isReadByAll(Candidate candidate) {
        var cursors = candidate.partition().cursors().values();
        return !cursors.isEmpty()
                && cursors.stream().allMatch(at -> at >= candidate.segment().endOffset());
    }

    /** The segments that each cursor is in and that follow. */
    private void addWanted(PartitionPlace partition, Set<Candidate> wanted) {
        for (long cursor : partition.cursors().values()) {
            int left = ahead;
            for (SegmentPlace segment : partition.segments()) {
                if (left > 0 && segment.endOffset() > cursor) {
                    left--;
                    if (segment.isMovable()) {
                        wanted.add(new Candidate(partition, segment));
                    }
                }
            }
        }
    }
}
