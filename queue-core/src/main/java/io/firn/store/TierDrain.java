package io.firn.store;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore.MoveControl;
import io.firn.LogStore.MoveOutcome;
import io.firn.MediumException;
import io.firn.StoreFullException;
import io.firn.StoreMetrics.Drain;
import io.firn.UnknownTopicException;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.TierState;
import io.firn.medium.GuardedLog;
import io.firn.metadata.StoreIdentity;
import io.firn.move.Moves;
import io.firn.spi.Block;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * Empties tiers, so that the store can be opened without them. The order:
 *
 * <ol>
 *   <li>The store's file says that the tier is drained, durably; then it gets no new block.
 *   <li>Active segments end, reserved blocks are given back, and segments are moved (O6).
 *   <li>The tier has no block, and no call that could bring one is under way. A block counts until
 *       its deletion is durable.
 *   <li>The store's file names the tier no longer, durably: only now is it opened without the tier.
 * </ol>
 *
 * Thread-safe.
 */
final class TierDrain {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final long PAUSE_NS = 2_000_000;

    private final LogContext store;
    private final Topics topics;
    private final Moves moves;
    private volatile StoreIdentity identity;

    TierDrain(LogContext store, Topics topics, Moves moves) {
        this.store = store;
        this.topics = topics;
        this.moves = moves;
    }

    /** Sets the file that names the tiers. */
    void own(StoreIdentity ofStore) {
        identity = ofStore;
    }

    /** Drains a tier on the caller's thread; returns whether it is empty. */
    boolean drain(TierState tier, MoveControl control) {
        if (store.isMoving() || store.background().isAtWork()) {
            throw new IllegalStateException(
                    "the control of a move and the threads of the store must not drain a tier, which"
                            + " waits for moves and for these threads; use another thread");
        }
        begin(tier);
        Run run = new Run(tier, control);
        while (tier.drain() == Drain.IN_PROGRESS) {
            if (!endIfEmpty(tier) && (!run.moveAll() || !run.rest())) {
                return false;
            }
        }
        return tier.isDrained();
    }

    private void begin(TierState tier) {
        synchronized (topics) { // no topic is created meanwhile
            store.checkWritable();
            if (tier.isDrained()) {
                return;
            }
            check(tier);
            write(tier, () -> identity.beginDrain(idOf(tier)));
            tier.drain(Drain.IN_PROGRESS);
        }
        LOG.log(System.Logger.Level.INFO, "tier {0} is being drained", tier);
    }

    private void check(TierState tier) {
        List<TopicLog> all = new ArrayList<>(topics.all());
        if (topics.journal() != null) {
            all.add(topics.journal());
        }
        Set<UUID> known = new HashSet<>();
        for (TopicLog topic : all) {
            known.add(topic.id());
            List<TierState> others =
                    topic.context().tiers().stream()
                            .filter(each -> each.index() != tier.index() && !each.isDrained())
                            .toList();
            if (others.isEmpty()) {
                throw new InvalidOptionException(
                        "tier "
                                + tier
                                + " cannot be drained: "
                                + (topic == topics.journal()
                                        ? "the journal of transactions"
                                        : "topic " + topic.name())
                                + " may be in no other tier, because of its choice or its class "
                                + topic.options().minimumClass());
            }
        }
        if (store.tiers().stream().allMatch(t -> t.index() == tier.index() || t.isDrained())) {
            throw new InvalidOptionException(
                    "tier " + tier + " cannot be drained: the store has no other tier");
        }
        topics.deletions().forEach(deletion -> known.add(deletion.topic().id()));
        checkOrphans(tier, known);
    }

    private static void checkOrphans(TierState tier, Set<UUID> known) {
        try {
            for (Block block : tier.tier().list()) {
                if (!known.contains(block.mark().topicId())) {
                    throw new InvalidOptionException(
                            "tier "
                                    + tier
                                    + " cannot be drained: "
                                    + block.name()
                                    + " is of a topic that is not served: repair the topic, or move"
                                    + " the segment away");
                }
            }
        } catch (IOException e) {
            throw new MediumException("tier " + tier + " could not be listed", e);
        }
    }

    private static boolean isEmpty(TierState tier) {
        try {
            return tier.isEmpty();
        } catch (IOException e) {
            throw new MediumException("tier " + tier + " could not be listed", e);
        }
    }

    private boolean endIfEmpty(TierState tier) {
        synchronized (topics) { // the store is not closed meanwhile
            store.checkWritable();
            if (tier.drain() != Drain.IN_PROGRESS || !isEmpty(tier)) {
                return false;
            }
            String label = tier.isLabelled() ? tier.label() : null;
            write(tier, () -> identity.endDrain(idOf(tier), label));
            tier.drain(Drain.DONE);
        }
        LOG.log(System.Logger.Level.INFO, "tier {0} was drained", tier);
        return true;
    }

    /** Lets a tier have new segments again. */
    void cancel(TierState tier) {
        synchronized (topics) {
            store.checkWritable();
            if (tier.isDrained()) {
                write(tier, () -> identity.cancelDrain(idOf(tier)));
                tier.drain(Drain.NONE);
            }
        }
    }

    private static String idOf(TierState tier) {
        return tier.tier().id().toString();
    }

    /** A change of the store's file. */
    private interface Write {
        void run() throws IOException;
    }

    private static void write(TierState tier, Write change) {
        try {
            change.run();
        } catch (IOException e) {
            throw new MediumException(
                    "the store's file could not be written, so that tier "
                            + tier
                            + " stays as it is: "
                            + e.getMessage(),
                    e);
        }
    }

    /** One call of {@link #drain}; for one thread. */
    private final class Run {
        private final TierState tier;
        private final MoveControl control;
        private long movedBytes;
        private boolean isCancelled;

        Run(TierState tier, MoveControl control) {
            this.tier = tier;
            this.control = control;
        }

        /** Tries to move each segment once; returns false when it was cancelled. */
        boolean moveAll() {
            FirnException failure = null;
            for (PartitionLog partition : topics.partitions()) {
                partition.leave(tier.tier());
                for (LogSegment segment : partition.log().segments()) {
                    if (!isIn(segment) || !segment.isSealed() || !segment.block().isFinished()) {
                        continue;
                    }
                    try {
                        move(partition, segment);
                    } catch (UnknownTopicException e) {
                        continue; // deleted just now
                    } catch (StoreFullException | MediumException e) {
                        failure = failure == null ? e : failure; // the others can be moved
                    }
                    if (isCancelled) {
                        return false;
                    }
                }
            }
            if (failure != null) {
                throw failure;
            }
            return true;
        }

        @SuppressWarnings("ReferenceEquality") // this very tier
        private boolean isIn(LogSegment segment) {
            return segment.block().tier() == tier.tier();
        }

        /** The next colder tier first; a segment that is busy is tried again later. */
        private void move(PartitionLog partition, LogSegment segment) {
            List<TierState> targets =
                    partition.log().topic().tiersInRotation().stream()
                            .sorted(Comparator.comparingInt(this::distance))
                            .toList();
            RuntimeException failure = null;
            for (TierState to : targets) {
                try {
                    MoveOutcome outcome =
                            moves.move(
                                    partition.log(),
                                    partition.upkeep().releases(),
                                    segment.baseOffset(),
                                    to.label(),
                                    this::pauseNs);
                    movedBytes += outcome == MoveOutcome.MOVED ? segment.written() : 0;
                    return;
                } catch (StoreFullException | MediumException | InvalidOptionException e) {
                    failure = failure == null ? e : failure;
                }
            }
            if (failure instanceof StoreFullException) {
                throw new StoreFullException(
                        "tier "
                                + tier
                                + " is not empty yet: no other tier has room for "
                                + segment.block().name()
                                + ": "
                                + failure.getMessage(),
                        failure);
            }
            if (failure != null) {
                throw failure;
            }
        }

        private int distance(TierState other) {
            int colder = other.index() - tier.index();
            return colder > 0 ? colder : store.tiers().size() - colder;
        }

        private long pauseNs(long copied, long total, int next) {
            long pause = control.pauseNs(movedBytes + copied, movedBytes + leftBytes(), next);
            isCancelled |= pause < 0;
            return pause;
        }

        private long leftBytes() {
            long left = 0;
            for (PartitionLog partition : topics.partitions()) {
                for (LogSegment segment : partition.log().segments()) {
                    left += isIn(segment) ? segment.written() : 0;
                }
            }
            return left;
        }

        /** Lets others work; returns false when it was cancelled. */
        boolean rest() {
            if (pauseNs(0, 0, 0) < 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            if (store.isInvoker()) {
                store.invoke();
            } else {
                LockSupport.parkNanos(PAUSE_NS);
            }
            return true;
        }
    }
}
