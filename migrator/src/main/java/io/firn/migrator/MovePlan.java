package io.firn.migrator;

import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoreSnapshot.TierPlace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Moves that a policy has decided on, and what the tiers hold when they are done. Each segment is
 * moved once, only to where it may lie, and only when there is room. For one thread.
 */
public final class MovePlan {
    /** Oldest first: by the time of sealing, then by place. */
    public static final Comparator<Candidate> OLDEST_FIRST =
            Comparator.comparingLong((Candidate c) -> c.segment().sealTimeMs())
                    .thenComparing(c -> c.partition().topic())
                    .thenComparingInt(c -> c.partition().partition())
                    .thenComparingLong(c -> c.segment().baseOffset());

    private final StoreSnapshot snapshot;
    private final long[] used;
    private final List<Candidate> candidates = new ArrayList<>();
    private final Set<Candidate> planned = new HashSet<>();
    private final List<Move> moves = new ArrayList<>();

    /** Begins with no moves. */
    public MovePlan(StoreSnapshot snapshot) {
        this.snapshot = snapshot;
        this.used = snapshot.tiers().stream().mapToLong(TierPlace::usedBytes).toArray();
        for (PartitionPlace partition : snapshot.partitions()) {
            for (SegmentPlace segment : partition.segments()) {
                if (segment.movable()) {
                    candidates.add(new Candidate(partition, segment));
                }
            }
        }
    }

    /**
     * A segment that could be moved.
     *
     * @param partition that it belongs to
     * @param segment sealed, and not on its way
     */
    public record Candidate(PartitionPlace partition, SegmentPlace segment) {
        /** Index of the tier that it lies in. */
        public int tier() {
            return segment.tier();
        }

        // A partition's equality would compare all of its segments.
        @Override
        public boolean equals(Object other) {
            return other instanceof Candidate that
                    && segment.equals(that.segment)
                    && partition.partition() == that.partition.partition()
                    && partition.topic().equals(that.partition.topic());
        }

        @Override
        public int hashCode() {
            return segment.hashCode() * 31 + partition.partition();
        }
    }

    /** The segments in a tier that could be moved and are not yet to be, oldest first. */
    public List<Candidate> candidatesIn(int tier) {
        return candidates.stream()
                .filter(c -> c.tier() == tier && !planned.contains(c))
                .sorted(OLDEST_FIRST)
                .toList();
    }

    /** The segments in tiers colder than one, as {@link #candidatesIn}. */
    public List<Candidate> candidatesBelow(int tier) {
        return candidates.stream()
                .filter(c -> c.tier() > tier && !planned.contains(c))
                .sorted(OLDEST_FIRST)
                .toList();
    }

    /** Bytes that a tier holds when the moves so far are done. */
    public long usedBytes(int tier) {
        return used[tier];
    }

    /** Bytes that a segment occupies in a tier. */
    public long bytesIn(int tier, Candidate candidate) {
        if (tier == candidate.tier()) {
            return candidate.segment().usedBytes();
        }
        return Math.max(snapshot.tiers().get(tier).blockBytes(), candidate.segment().bytes());
    }

    /** Whether a segment may lie in a tier, and fits there when the moves so far are done. */
    public boolean fits(Candidate candidate, int tier) {
        TierPlace place = snapshot.tiers().get(tier);
        return tier != candidate.tier()
                && candidate.partition().tiers().contains(tier)
                && candidate.segment().bytes() <= place.maxSegmentBytes()
                && bytesIn(tier, candidate) <= place.capacityBytes() - used[tier];
    }

    /** Adds a move; false, and nothing changes, when the segment does not fit or is planned. */
    public boolean add(Candidate candidate, int tier) {
        if (!fits(candidate, tier) || !planned.add(candidate)) {
            return false;
        }
        used[candidate.tier()] -= candidate.segment().usedBytes();
        used[tier] += bytesIn(tier, candidate);
        moves.add(Move.of(candidate.partition(), candidate.segment(), tier));
        return true;
    }

    /** Adds a move to the next colder tier that can hold the segment; false when none can. */
    public boolean demote(Candidate candidate) {
        for (int tier = candidate.tier() + 1; tier < used.length; tier++) {
            if (add(candidate, tier)) {
                return true;
            }
        }
        return false;
    }

    /** What was added, in that order. */
    public List<Move> moves() {
        return List.copyOf(moves);
    }
}
