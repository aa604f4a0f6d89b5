package io.firn.tx;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Keeps the journal short: writes again what was not written for long, then drops what is before
 * it. In steps, since who does it has other duties. For one thread.
 */
final class JournalTrim {
    private static final int TOGETHER = 256;
    private static final int LOOKS = 4_096;

    private final ProducerRegistry producers;
    private final Decisions decisions;
    private final TxStore store;

    /** The producers that it has not looked at yet; null between two of its runs. */
    private Iterator<TxProducer> left;

    /** One of them that was at work; null for none. */
    private TxProducer busy;

    /** Entries below this offset are dropped in the end. */
    private long from;

    private long aliveBytes;

    JournalTrim(ProducerRegistry producers, Decisions decisions, TxStore store) {
        this.producers = producers;
        this.decisions = decisions;
        this.store = store;
    }

    /** Does a part of it, if the journal is long; returns whether nothing is left to do. */
    boolean step() {
        Journal journal = decisions.journal();
        if (left == null) {
            if (!journal.isLong()) {
                return true;
            }
            from = journal.nextOffset(); // before the look at who there is: what comes is above
            aliveBytes = 0;
            left = producers.all().iterator();
        }
        boolean isGoingOn = false;
        try {
            isGoingOn = !writeSome();
        } finally {
            if (!isGoingOn) { // also when it failed: some may not have been written
                left = null;
                busy = null;
            }
        }
        if (!isGoingOn) {
            journal.dropBefore(from, aliveBytes);
        }
        return !isGoingOn;
    }

    /** Returns whether no producer is left. */
    private boolean writeSome() {
        List<TxProducer> group = new ArrayList<>();
        try {
            for (int i = 0; i < LOOKS && group.size() < TOGETHER; i++) {
                if (busy == null && !left.hasNext()) {
                    break;
                }
                TxProducer each = busy == null ? left.next() : busy;
                busy = each.tryLock() ? null : each;
                if (busy != null) {
                    break;
                }
                group.add(each);
                if (each.entryOffset() < 0 || each.entryOffset() >= from || isForgotten(each)) {
                    group.remove(group.size() - 1);
                    each.lock().unlock();
                } else {
                    aliveBytes += each.entry().encode().length;
                }
            }
            if (!group.isEmpty()) {
                decisions.write(group);
            }
            return busy == null && !left.hasNext();
        } finally {
            group.forEach(each -> each.lock().unlock());
        }
    }

    private boolean isForgotten(TxProducer producer) {
        producer.pending().prune(store);
        if (!producer.isNamed() && producer.isIdle()) {
            producer.entryOffset(-1);
            producers.release(producer);
            return true;
        }
        return false;
    }
}
