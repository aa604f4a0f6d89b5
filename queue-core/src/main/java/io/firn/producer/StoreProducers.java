package io.firn.producer;

import io.firn.budget.HeapBudget;
import java.lang.ref.WeakReference;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the partitions of a store share for their producers: how many idempotent ones are remembered
 * in all of them, as a client may take a new id for each batch, and who knows which transactions
 * are open. Thread-safe.
 */
public final class StoreProducers {
    private static final int LEAST = 10_000;
    private static final int MOST = Integer.MAX_VALUE / 2;
    private static final int ADDED_BETWEEN_COUNTS = 4_096;

    private final int most;
    private volatile OpenTransactions openTransactions = OpenTransactions.NONE;

    /** Partitions of deleted topics vanish from here when they are collected. */
    private final Queue<WeakReference<ProducerStates>> all = new ConcurrentLinkedQueue<>();

    private final AtomicInteger partitions = new AtomicInteger();
    private final AtomicInteger total = new AtomicInteger();
    private final AtomicInteger added = new AtomicInteger();

    StoreProducers(int most) {
        this.most = most;
    }

    /** Remembers what takes a share of the heap. */
    public static StoreProducers ofHeap() {
        return new StoreProducers(HeapBudget.PRODUCERS.count(LEAST, MOST));
    }

    /** Sets who knows which transactions are open. */
    public void openTransactions(OpenTransactions known) {
        openTransactions = known;
    }

    /** Returns who knows which transactions are open. */
    public OpenTransactions openTransactions() {
        return openTransactions;
    }

    /** Counts what a partition remembers already. */
    void register(ProducerStates producers) {
        all.add(new WeakReference<>(producers));
        partitions.incrementAndGet();
        total.addAndGet(producers.size());
    }

    /**
     * Returns whether a partition is to forget some: there are too many, and it has not fewer than
     * others.
     *
     * @param size how many it remembers
     */
    boolean isExceededBy(int size) {
        int now = total.get();
        return now > most && (long) size * partitions.get() >= now;
    }

    /**
     * Called when a partition remembers another producer.
     *
     * @param size how many it remembers
     * @return whether it is to forget some: there are too many, and it has not fewer than others
     */
    boolean onAdded(int size) {
        if (added.incrementAndGet() % ADDED_BETWEEN_COUNTS == 0) {
            countAgain();
        }
        total.incrementAndGet();
        return isExceededBy(size);
    }

    void onForgotten(int count) {
        total.addAndGet(-count);
    }

    private void countAgain() {
        int sum = 0;
        for (Iterator<WeakReference<ProducerStates>> each = all.iterator(); each.hasNext(); ) {
            ProducerStates producers = each.next().get();
            if (producers == null) {
                each.remove();
                partitions.decrementAndGet();
            } else {
                sum += producers.size();
            }
        }
        total.set(sum);
    }
}
