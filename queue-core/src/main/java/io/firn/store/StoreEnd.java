package io.firn.store;

import io.firn.RetryableException;
import io.firn.background.Background;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.move.Moves;
import io.firn.tx.Coordinator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The end of a store that was open, in its order. Used by one thread at a time. */
final class StoreEnd {
    private static final long RELEASE_WAIT_NS = 1_000_000_000;

    /** For listeners that appends are telling: they may wait for the thread that closes. */
    private static final long LISTENERS_WAIT_NS = 1_000_000_000;

    private final LogContext context;
    private final Background background;
    private final Topics topics;
    private final Coordinator transactions;
    private final Runnable release;
    private final CloseSteps ending = new CloseSteps();
    private boolean hasBegun;
    private boolean isReleasing;
    private List<PartitionLog> all = List.of();
    private List<SegmentedLog> logs = List.of();
    private List<SegmentedLog> sound = List.of();

    /**
     * Creates it.
     *
     * @param release gives back the tiers and the lock
     */
    StoreEnd(LogContext context, Topics topics, Coordinator transactions, Runnable release) {
        this.context = context;
        this.background = context.background();
        this.topics = topics;
        this.transactions = transactions;
        this.release = release;
    }

    /**
     * Ends the store.
     *
     * @throws RetryableException when an append does not end; everything is held as before, and
     *     another run continues
     * @throws RuntimeException or Error, of the first step that failed, when all others were tried
     *     and nothing is held any more
     */
    void run() {
        if (!hasBegun) {
            hasBegun = true;
            ending.run(List.of(background::close, this::list, this::markClosing));
        }
        awaitAppends();
        isReleasing = true;
        List<Runnable> steps = new ArrayList<>();
        steps.add(context.ownership()::look); // what follows changes nothing of a lost store
        steps.add(transactions::close);
        steps.addAll(List.of(this::awaitMoves, this::noteSound));
        if (!context.isReadOnly()) {
            steps.addAll(List.of(this::force, this::settle, this::dropReserved));
        }
        // A force that is under way must not lose its mapping.
        steps.addAll(List.of(this::markGone, this::awaitForces, this::closeEnds));
        steps.addAll(List.of(this::finishDeletions, this::retire, this::awaitRelease));
        steps.addAll(List.of(this::noteClean, release));
        // Thrown when nothing is held any more; earlier failures were thrown by appends and waits.
        steps.add(() -> sound.forEach(log -> log.state().throwPoison()));
        ending.run(steps);
        ending.throwFirst();
    }

    /** Whether it went beyond what can be tried again. */
    boolean isReleasing() {
        return isReleasing;
    }

    private void list() {
        all = topics.partitions();
        logs = all.stream().map(PartitionLog::log).toList();
    }

    private void markClosing() {
        ending.each(logs, log -> log.state().markClosing());
    }

    private void awaitAppends() {
        long deadline = System.nanoTime() + LISTENERS_WAIT_NS;
        List<String> stuck = new ArrayList<>();
        ending.each(
                all,
                partition -> {
                    String holder = partition.awaitAppends(deadline);
                    if (holder != null) {
                        stuck.add(holder);
                    }
                });
        if (!stuck.isEmpty()) {
            throw new RetryableException(
                    "the store "
                            + context
                            + " is not closed, and its lock is held: for a minute appends have not"
                            + " ended, of "
                            + String.join(", of ", stuck)
                            + "; close it again when they have, or end the process",
                    null);
        }
    }

    private void awaitMoves() {
        List<SegmentedLog> moving = new ArrayList<>(logs);
        topics.deletions().forEach(each -> moving.addAll(each.topic().segmentedLogs()));
        Moves.awaitEnd(moving);
    }

    private void noteSound() {
        sound = logs.stream().filter(log -> !log.state().isPoisoned()).toList();
    }

    private void force() {
        ending.each(all, partition -> partition.forcer().forceNow());
    }

    /** Persists the final state; everything has been forced. */
    private void settle() {
        long nowMs = context.timeMs();
        ending.each(all, partition -> partition.upkeep().settle());
        List<Runnable> marks = new ArrayList<>();
        all.forEach(partition -> marks.add(() -> partition.upkeep().writeLastMark(nowMs)));
        background.sideBySide().run(marks);
        List<Runnable> ofTopics = new ArrayList<>();
        topics.all().forEach(topic -> ofTopics.add(() -> settle(topic, nowMs)));
        background.sideBySide().run(ofTopics);
    }

    private void settle(TopicLog topic, long nowMs) {
        background.attempt(
                topic.context().subject(),
                () -> {
                    topic.writeCheckpoints(nowMs);
                    return 0;
                });
        background.attempt(
                topic.context().subject(),
                () -> {
                    topic.cursors().write();
                    return 0;
                });
    }

    private void dropReserved() {
        ending.each(all, partition -> partition.upkeep().dropReserved());
    }

    private void markGone() {
        ending.each(logs, log -> log.markGone(false));
    }

    private void awaitForces() {
        ending.each(all, partition -> partition.forcer().awaitForces());
    }

    private void closeEnds() {
        ending.each(logs, log -> log.publisher().close());
    }

    private void finishDeletions() {
        ending.each(
                topics.deletions(),
                each ->
                        background.attempt(
                                each.topic().context().subject(), () -> each.advance() ? 1 : 0));
    }

    private void retire() {
        ending.each(all, partition -> partition.upkeep().retireAll(false));
    }

    /** If nothing has failed, the next open finds everything durable. */
    private void noteClean() {
        boolean isSound = sound.stream().noneMatch(log -> log.state().isPoisoned());
        boolean hasFailed =
                ending.hasFailed()
                        || background.errors() > 0
                        || context.tiers().stream().anyMatch(TierState::hasFailed);
        if (!context.isReadOnly() && isSound && sound.size() == logs.size() && !hasFailed) {
            context.cleanClose().write();
        }
    }

    /** Gives readers time to finish their polls; what they still hold afterwards stays mapped. */
    private void awaitRelease() {
        long deadline = System.nanoTime() + RELEASE_WAIT_NS;
        for (PartitionLog partition : all) {
            while (!partition.upkeep().isReleased() && System.nanoTime() < deadline) {
                LockSupport.parkNanos(50_000);
            }
        }
    }

    /**
     * The steps of an end. Each is tried whatever became of the others, since a lock or a mapping
     * that one of them gives back would be held until the process ends. Java 17 may tell of a page
     * of a mapping that is gone in any code, also between two steps: then the next one follows. Not
     * thread-safe.
     */
    static final class CloseSteps {
        private Throwable first;

        /** Runs steps in their order; what they throw is kept. */
        void run(List<Runnable> steps) {
            each(steps, Runnable::run);
        }

        /** Runs a step for each of some subjects. */
        <T> void each(List<T> subjects, Consumer<? super T> step) {
            List<T> fixed = List.copyOf(subjects);
            int next = 0;
            while (next < fixed.size()) {
                try {
                    while (next < fixed.size()) {
                        step.accept(fixed.get(next++));
                    }
                } catch (Throwable e) {
                    keep(e);
                }
            }
        }

        /** Whether a step has failed. */
        boolean hasFailed() {
            return first != null;
        }

        private void keep(Throwable e) {
            if (first == null) {
                first = e;
            } else if (first != e) {
                first.addSuppressed(e);
            }
        }

        /**
         * Throws what the first step that failed threw, with that of others as suppressed.
         *
         * @throws RuntimeException or Error
         */
        void throwFirst() {
            if (first instanceof Error error) {
                throw error;
            }
            if (first != null) {
                throw (RuntimeException) first; // a Runnable throws nothing else
            }
        }
    }
}
