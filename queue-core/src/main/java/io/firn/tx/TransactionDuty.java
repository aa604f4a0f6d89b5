package io.firn.tx;

import io.firn.FirnException;
import io.firn.StoreFullException;
import io.firn.background.Duty;
import io.firn.log.LogContext;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What transactions need in the background: aborts that could not be written and markers that could
 * not be appended, transactions that are open for too long, a journal that has grown long, and
 * names that are not used.
 *
 * <p>Never waits for a producer's lock: its holder may wait for a block, which the same thread
 * reserves.
 */
final class TransactionDuty extends Duty {
    private static final long LOOK_EVERY_MS = 100;
    private static final long FULL_RETRY_MS = 1_000;
    private static final long EXPIRE_EVERY_MS = 3_600_000;

    private final LogContext context;
    private final Coordinator coordinator;
    private final ProducerRegistry producers;
    private final Decisions decisions;
    private final JournalTrim trim;
    private final NameExpiry expiry;
    private final Set<TxProducer> watched = ConcurrentHashMap.newKeySet();
    private long expiredMs;

    /** When the journal had no room for the tidying last. */
    private long fullMs;

    /** Whether it looks again before long without being called. */
    private volatile boolean isWatching;

    TransactionDuty(
            LogContext context,
            Coordinator coordinator,
            ProducerRegistry producers,
            Decisions decisions,
            TxStore store) {
        super(context.tidying(), context.subject(), "transactions");
        this.context = context;
        this.coordinator = coordinator;
        this.producers = producers;
        this.decisions = decisions;
        this.trim = new JournalTrim(producers, decisions, store);
        this.expiry = new NameExpiry(context, producers, decisions.journal(), store);
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
            if (isLate || each.isEnding() || each.isAbandoned() || each.failure().isUnwritten()) {
                done += end(each, isLate) ? 1 : 0;
            }
            if (!isToWatch(each)) {
                watched.remove(each);
                if (isToWatch(each)) {
                    watched.add(each); // it has begun a transaction just now
                } else if (!each.isNamed()) {
                    producers.release(each);
                }
            }
        }
        boolean looksAgain = !tidy() || !watched.isEmpty();
        isWatching = looksAgain;
        againAt(nowMs() + (looksAgain ? LOOK_EVERY_MS : EXPIRE_EVERY_MS));
        return done;
    }

    /**
     * Shortens the journal and forgets names, some of them; returns whether nothing is left to do.
     * On a full disk that waits, not the aborts: the pause after a failure would be theirs, too.
     */
    private boolean tidy() {
        if (nowMs() - fullMs < FULL_RETRY_MS && nowMs() >= fullMs) {
            return false;
        }
        try {
            boolean isDone = trim.step();
            if (nowMs() - expiredMs >= EXPIRE_EVERY_MS || nowMs() < expiredMs) {
                expiredMs = nowMs();
                expiry.begin();
            }
            return expiry.step() & isDone;
        } catch (StoreFullException e) {
            fullMs = nowMs();
            return false;
        }
    }

    private static boolean isToWatch(TxProducer producer) {
        return producer.failure().isUnwritten()
                || producer.startMs() >= 0
                || producer.isEnding()
                || producer.hasComingCommits();
    }

    private boolean end(TxProducer producer, boolean isLate) {
        if (!producer.tryLock()) {
            return false;
        }
        try {
            if (isLate) {
                coordinator.timeOut(producer);
            }
            if (producer.failure().isUnwritten()) {
                decisions.write(producer);
            }
            boolean isDone = decisions.carryOut(producer, producer.entryOffset());
            if (producer.isAbandoned()) {
                decisions.endAbandoned(producer); // last: markers do not wait for the journal
            }
            return isDone;
        } catch (FirnException e) {
            return false; // the next call of the producer says so
        } finally {
            producer.lock().unlock();
        }
    }
}
