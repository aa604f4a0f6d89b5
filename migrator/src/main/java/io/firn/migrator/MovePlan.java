package io.firn.migrator;

import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoreSnapshot.TierPlace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The moves that a policy has decided on, and how full the tiers are after them. Each segment is
 * moved at most once, only to a tier that its topic allows, and only if there is room. For one
 * thread.
 *
 * @see MigrationPolicy
 */
public final class MovePlan {
    /** Oldest first: by seal time, then by topic, partition and offset. */
    public static final Comparator<Candidate> OLDEST_FIRST =
            Comparator.comparing((Candidate c) -> c.segment().sealTime().orElse(Instant.MAX))
                    .thenComparing(c -> c.partition().topic())
                    .thenComparingInt(c -> c.partition().partition())
                    .thenComparingLong(c -> c.segment().baseOffset());

    private final StoreSnapshot snapshot;

    /** The labels of the tiers, hottest first. */
    private final List<String> labels;

    private final long[] used;
    private final List<Candidate> candidates = new ArrayList<>();
    private final Set<Candidate> planned = new HashSet<>();
    private final List<Move> moves = new ArrayList<>();

    private MovePlan(StoreSnapshot snapshot) {
        this.snapshot = snapshot;
        this.labels = snapshot.tiers().stream().map(TierPlace::label).toList();
        this.used = snapshot.tiers().stream().mapToLong(TierPlace::usedBytes).toArray();
        for (PartitionPlace partition : snapshot.partitions()) {
            for (SegmentPlace segment : partition.segments()) {
                if (segment.isMovable()) {
                    candidates.add(new Candidate(partition, segment));
                }
            }
        }
    }

    /** Returns an empty plan. */
    public static MovePlan of(StoreSnapshot snapshot) {
        return new MovePlan(snapshot);
    }

    /** A segment that could be moved. Two are equal when they are the same segment. */
    public static final class Candidate {
        private final PartitionPlace partition;
        private final SegmentPlace segment;

        Candidate(PartitionPlace partition, SegmentPlace segment) {
            this.partition = partition;
            this.segment = segment;
        }

        /** Returns the partition that it belongs to. */
        public PartitionPlace partition() {
            return partition;
        }

        /** Returns the segment, which is sealed and not being moved. */
        public SegmentPlace segment() {
            return segment;
        }

        /** Returns the label of the tier that it is in. */
        public String tier() {
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

    /** Returns the segments of a tier that could be moved and are not in the plan, oldest first. */
    public List<Candidate> candidatesIn(String tier) {
        return candidates.stream()
                .filter(c -> c.tier().equals(tier) && !planned.contains(c))
                .sorted(OLDEST_FIRST)
                .toList();
    }

    /** Returns the segments of all tiers colder than one, as {@link #candidatesIn}. */
    public List<Candidate> candidatesBelow(String tier) {
        int index = indexOf(tier);
        return candidates.stream()
                .filter(c -> indexOf(c.tier()) > index && !planned.contains(c))
                .sorted(OLDEST_FIRST)
                .toList();
    }

    /** Returns the bytes in use of a tier after the moves so far. */
    public long usedBytes(String tier) {
        return used[indexOf(tier)];
    }

    private int indexOf(String tier) {
        int index = labels.indexOf(tier);
        if (index < 0) {
            throw new IllegalArgumentException(
                    "the store has the tiers " + labels + ", and none is '" + tier + "'");
        }
        return index;
    }

    /** Returns the bytes that a segment occupies in a tier. */
    public long bytesIn(String tier, Candidate candidate) {
        if (tier.equals(candidate.tier())) {
            return candidate.segment().usedBytes();
        }
        long least = snapshot.tiers().get(indexOf(tier)).blockBytes();
        return Math.max(least, candidate.segment().bytes());
    }

    /** Returns whether a segment may be in a tier and fits there after the moves so far. */
    public boolean fits(Candidate candidate, String tier) {
        TierPlace place = snapshot.tiers().get(indexOf(tier));
        return !tier.equals(candidate.tier())
                && candidate.partition().tiers().contains(tier)
                && candidate.segment().bytes() <= place.maxSegmentBytes()
                && bytesIn(tier, candidate)
                        <= place.capacityBytes().orElse(Long.MAX_VALUE) - usedBytes(tier);
    }

    /** Adds a move; returns false if the segment does not fit or is already in the plan. */
    public boolean add(Candidate candidate, String tier) {
        if (!fits(candidate, tier) || !planned.add(candidate)) {
            return false;
        }
        used[indexOf(candidate.tier())] -= candidate.segment().usedBytes();
        used[indexOf(tier)] += bytesIn(tier, candidate);
        moves.add(Move.of(candidate.partition(), candidate.segment(), tier));
        return true;
    }

    /** Adds a move to the next colder tier that can hold the segment; false if none can. */
    public boolean demote(Candidate candidate) {
        for (int tier = indexOf(candidate.tier()) + 1; tier < used.length; tier++) {
            if (add(candidate, labels.get(tier))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the moves in the order in which they were added. */
    public List<Move> moves() {
        return List.copyOf(moves);
    }
}
