package io.firn.tx;

import io.firn.FirnException;
import io.firn.background.Duty;
import io.firn.log.LogContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What transactions need in the background: markers that could not be appended, transactions that
 * are open for too long, a journal that has grown long, and names that nobody uses.
 *
 * <p>Never waits for a producer's lock: its holder may wait for a block, which the same thread
 * reserves.
 */
final class TxUpkeep extends Duty {
    private static final long LOOK_EVERY_MS = 100;
    private static final long EXPIRE_EVERY_MS = 3_600_000;
    private static final long EXPIRE_AFTER_MS = 7L * 24 * 3_600_000;
    private static final int TOGETHER = 256;

    private final LogContext context;
    private final Coordinator coordinator;
    private final TxProducers producers;
    private final Decisions decisions;
    private final Journal journal;
    private final TxStore store;
    private final Set<TxProducer> watched = ConcurrentHashMap.newKeySet();
    private long expiredMs;

    /** Whether it looks again before long without being called. */
    private volatile boolean isWatching;

    TxUpkeep(
            LogContext context,
            Coordinator coordinator,
            TxProducers producers,
            Decisions decisions,
            Journal journal,
            TxStore store) {
        super(context.tidying(), "store " + context.config().directory(), "transactions");
        this.context = context;
        this.coordinator = coordinator;
        this.producers = producers;
        this.decisions = decisions;
        this.journal = journal;
        this.store = store;
    }

    /** Called when a transaction with a time-out was begun, or one has no marker somewhere. */
    void watch(TxProducer producer) {
        watched.add(producer);
        if (!isWatching) {
            call();
        }
    }

    /** Called once, after recovery: the time of what it has left open has begun. */
    void begin() {
        watched.addAll(producers.all());
        call();
    }

    /** Returns the producers with such transactions, and perhaps some more. */
    Set<TxProducer> watched() {
        return watched;
    }

    @Override
    public int run() {
        isWatching = false; // before it looks: who begins a transaction from here on calls
        int done = 0;
        for (TxProducer each : watched) {
            boolean isLate = each.isOpenForTooLong(context.nowNs());
            if (isLate || !each.unmarked().isEmpty()) {
                done += end(each, isLate) ? 1 : 0;
            }
            if (!isToWatch(each)) {
                watched.remove(each);
                if (isToWatch(each)) {
                    watched.add(each); // it has begun a transaction just now
                }
            }
        }
        boolean looksAgain = !watched.isEmpty();
        if (journal.isLong() && !trim()) {
            looksAgain = true;
        }
        if (nowMs() - expiredMs >= EXPIRE_EVERY_MS || nowMs() < expiredMs) {
            expiredMs = nowMs();
            expire();
        }
        isWatching = looksAgain;
        againAt(nowMs() + (looksAgain ? LOOK_EVERY_MS : EXPIRE_EVERY_MS));
        return done;
    }

    private static boolean isToWatch(TxProducer producer) {
        return producer.startMs() >= 0
                || !producer.unmarked().isEmpty()
                || producer.hasComingMoves();
    }

    private boolean end(TxProducer producer, boolean isLate) {
        if (!producer.tryLock()) {
            return false;
        }
        try {
            if (isLate) {
                coordinator.timeOut(producer);
            }
            return decisions.carryOut(producer, producer.entryOffset());
        } catch (FirnException e) {
            return false; // the next call of the producer says so
        } finally {
            producer.lock().unlock();
        }
    }

    /**
     * Writes again what was not written for long, then drops what is before it.
     *
     * @return false when a producer is at work: try again
     */
    private boolean trim() {
        long from = journal.nextOffset();
        long alive = 0;
        List<TxProducer> group = new ArrayList<>();
        try {
            for (TxProducer each : producers.all()) {
                if (!each.tryLock()) {
                    return false;
                }
                group.add(each);
                if (each.entryOffset() < 0 || each.entryOffset() >= from || isForgotten(each)) {
                    group.remove(each);
                    each.lock().unlock();
                    continue;
                }
                alive += each.entry().encode().length;
                if (group.size() == TOGETHER) {
                    write(group);
                }
            }
            write(group);
            journal.dropBefore(from, alive);
            return true;
        } finally {
            group.forEach(each -> each.lock().unlock());
        }
    }

    private boolean isForgotten(TxProducer producer) {
        Decisions.prune(producer, store);
        if (!producer.isNamed() && producer.isIdle()) {
            producer.entryOffset(-1);
            return true;
        }
        return false;
    }

    private void write(List<TxProducer> group) {
        if (!group.isEmpty()) {
            decisions.write(group);
            group.forEach(each -> each.lock().unlock());
            group.clear();
        }
    }

    private void expire() {
        long before = context.timeMs() - EXPIRE_AFTER_MS;
        for (TxProducer each : producers.all()) {
            if (each.isNamed() && each.lastUsedMs() < before && each.tryLock()) {
                try {
                    if (each.isIdle() && each.lastUsedMs() < before) {
                        journal.appendForgotten(each.key());
                        producers.remove(each);
                    }
                } finally {
                    each.lock().unlock();
                }
            }
        }
    }
}
