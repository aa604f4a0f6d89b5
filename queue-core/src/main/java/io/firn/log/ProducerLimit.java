package io.firn.log;

import io.firn.budget.HeapBudget;
import java.lang.ref.WeakReference;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many idempotent producers a store remembers in all its partitions: a client may take a new id
 * for each batch. Thread-safe.
 */
final class ProducerLimit {
    private static final int LEAST = 10_000;
    private static final int MOST = Integer.MAX_VALUE / 2;
    private static final int ADDED_BETWEEN_COUNTS = 4_096;

    private final int most;

    /** Partitions of deleted topics vanish from here when they are collected. */
    private final Queue<WeakReference<Producers>> all = new ConcurrentLinkedQueue<>();

    private final AtomicInteger partitions = new AtomicInteger();
    private final AtomicInteger total = new AtomicInteger();
    private final AtomicInteger added = new AtomicInteger();

    ProducerLimit(int most) {
        this.most = most;
    }

    /** Returns a limit of a share of the heap. */
    static ProducerLimit ofHeap() {
        return new ProducerLimit(HeapBudget.PRODUCERS.count(LEAST, MOST));
    }

    /** Counts what a partition remembers already. */
    void register(Producers producers) {
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
        for (Iterator<WeakReference<Producers>> each = all.iterator(); each.hasNext(); ) {
            Producers producers = each.next().get();
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
