package io.firn.forward;

import io.firn.forward.ForwardException.Reason;
import io.firn.forward.cluster.OutgoingRecord;
import io.firn.forward.cluster.Position;
import io.firn.forward.cluster.Target;
import io.firn.forward.cluster.TargetPartition;
import io.firn.forward.cluster.TargetTopic;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One producer, from the positions to the first failure; then the next session begins anew. For the
 * thread of Forward.
 *
 * <p>The order of events (O35): the producers before this one are fenced, and what they left open
 * has ended → the positions are read → the tailers are moved there → a first transaction commits
 * these positions under the name of this instance → each following one has records and the
 * positions after them. A position thus moves with its records or not at all, and no earlier
 * producer moves it after it was read. (O36): the cluster has committed → the cursor here moves.
 *
 * <p>An instance takes positions over from another one only when it is started. If it is fenced
 * later, by another instance or because its transaction took too long, it looks at the positions:
 * the one that has committed them last continues.
 */
final class Session {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final int MOST_PARTITIONS = 64;
    private static final int COMMITTED_TOGETHER = 500;
    private static final long LOOK_NS = 30_000_000_000L;

    /** Positions that are not committed again expire, by default after a week. */
    private static final long REFRESH_NS = 3_600_000_000_000L;

    private final ForwardPlan plan;
    private final Sources sources;
    private final Target target;
    private final Instance instance;
    private int next;
    private long looked = System.nanoTime();
    private long refreshed = System.nanoTime();
    private boolean isOver;

    Session(ForwardPlan plan, Sources sources, Target target, Instance instance) {
        this.plan = plan;
        this.sources = sources;
        this.target = target;
        this.instance = instance;
    }

    /**
     * Finds where to begin.
     *
     * @param hasBegun whether this instance has committed positions before
     */
    void open(boolean hasBegun) {
        sources.addNew();
        sources.targets(target.topics(sources.targetNames()));
        List<TargetPartition> keys =
                sources.partitions().stream().map(SourcePartition::key).toList();
        if (hasBegun) {
            checkOwner(target.positions(keys, false)); // before it would fence that one
        }
        target.initTransactions();
        Map<TargetPartition, Position> found = target.positions(keys, true);
        if (hasBegun) {
            checkOwner(found);
        }
        for (SourcePartition each : sources.partitions()) {
            each.seek(start(each, found.get(each.key())));
        }
        commitAll();
    }

    private void checkOwner(Map<TargetPartition, Position> positions) {
        positions.forEach(
                (key, position) -> {
                    if (!instance.id().equals(position.owner())) {
                        throw new ForwardException(
                                Reason.FENCED,
                                "'"
                                        + plan.name()
                                        + "' is forwarded by another instance now, "
                                        + (position.isOwn()
                                                ? position.place()
                                                : "or its positions were set by hand")
                                        + ": the position of "
                                        + key
                                        + " is not this one's; end one of the two, or give each a"
                                        + " name of its own");
                    }
                });
    }

    private Position start(SourcePartition source, Position found) {
        StartPosition start = new StartPosition(source, found);
        Optional<ForwardException> contradiction = start.contradiction();
        if (contradiction.isEmpty()) {
            return start.start();
        }
        if (plan.onLostPosition() == OnLostPosition.FAIL) {
            throw contradiction.get();
        }
        Position chosen = start.fromCursor();
        LOG.log(
                System.Logger.Level.WARNING,
                "{0}; it goes on at the cursor, offset {1}",
                contradiction.get().getMessage(),
                Long.toString(chosen.offset()));
        return chosen;
    }

    /** Commits all positions, without records. */
    private void commitAll() {
        List<SourcePartition> all = sources.partitions();
        for (int from = 0; from < all.size(); from += COMMITTED_TOGETHER) {
            int to = Math.min(all.size(), from + COMMITTED_TOGETHER);
            target.begin();
            commit(all.subList(from, to));
        }
        refreshed = System.nanoTime();
    }

    /** Sends what there is, in one transaction; returns the bytes, or −1 if there is nothing. */
    long forward() {
        long bytes = 0;
        List<SourcePartition> changed = new ArrayList<>();
        for (SourcePartition each : ready()) {
            List<OutgoingRecord> records = each.read();
            if (!each.hasMoved()) {
                continue;
            }
            if (changed.isEmpty()) {
                target.begin();
            }
            changed.add(each);
            String name = each.toString(); // not for each record
            for (OutgoingRecord record : records) {
                target.send(each.mapping().target(), record, name);
                bytes += record.bytes();
            }
        }
        if (changed.isEmpty()) {
            return -1;
        }
        commit(changed);
        return bytes;
    }

    /** Those with news, beginning after the ones of the last transaction. */
    private List<SourcePartition> ready() {
        List<SourcePartition> ready = new ArrayList<>();
        List<SourcePartition> all = sources.partitions();
        int from = next;
        for (int i = 0; i < all.size() && ready.size() < MOST_PARTITIONS; i++) {
            int at = (from + i) % all.size();
            if (all.get(at).hasNews()) {
                ready.add(all.get(at));
                next = at + 1;
            }
        }
        return ready;
    }

    private void commit(List<SourcePartition> partitions) {
        Map<SourcePartition, Position> positions = new HashMap<>();
        Map<TargetPartition, Position> byKey = new HashMap<>();
        for (SourcePartition each : partitions) {
            Position position = each.position(instance);
            positions.put(each, position);
            byKey.put(each.key(), position);
        }
        target.sendPositions(byKey);
        target.commit();
        positions.forEach(SourcePartition::onCommitted); // O36: not before
    }

    /** Looks from time to time whether the topics are still those, and keeps the positions. */
    void tend() {
        long now = System.nanoTime();
        if (now - looked > LOOK_NS) {
            looked = now;
            Map<String, TargetTopic> topics = target.topics(sources.targetNames());
            isOver =
                    sources.hasNew()
                            || sources.partitions().stream()
                                    .anyMatch(
                                            each ->
                                                    !topics.get(each.mapping().target())
                                                            .id()
                                                            .equals(each.target().id()));
        }
        if (now - refreshed > REFRESH_NS) {
            commitAll();
        }
    }

    /** Returns whether another session has to look at the topics. */
    boolean isOver() {
        return isOver;
    }
}
