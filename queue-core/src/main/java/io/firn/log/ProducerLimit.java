package io.firn.log;

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
    private static final int BYTES_FOR_EACH = 256;
    private static final int LEAST = 10_000;
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

    /** Returns a limit of an eighth of the heap. */
    static ProducerLimit ofHeap() {
        long most = Runtime.getRuntime().maxMemory() / 8 / BYTES_FOR_EACH;
        return new ProducerLimit((int) Math.max(LEAST, Math.min(Integer.MAX_VALUE / 2, most)));
    }

    void register(Producers producers) {
        all.add(new WeakReference<>(producers));
        partitions.incrementAndGet();
        total.addAndGet(producers.size());
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
        int now = total.incrementAndGet();
        return now > most && (long) size * partitions.get() >= now;
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
