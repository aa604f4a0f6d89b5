package io.firn.tx;

import io.firn.log.LogContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/**
 * Forgets names of producers that were not used for long. In steps, since who does it has other
 * duties. For one thread.
 */
final class NameExpiry {
    private static final int TOGETHER = 256;
    private static final int LOOKS = 4_096;

    private final LogContext context;
    private final ProducerRegistry producers;
    private final Journal journal;
    private final TxStore store;
    private Iterator<TxProducer> left = Collections.emptyIterator();

    NameExpiry(LogContext context, ProducerRegistry producers, Journal journal, TxStore store) {
        this.context = context;
        this.producers = producers;
        this.journal = journal;
        this.store = store;
    }

    /** Begins to look at all of them. */
    void begin() {
        left = producers.all().iterator();
    }

    /** Looks at some of them; returns whether nothing is left to do. */
    boolean step() {
        long now = context.timeMs();
        long before = now - context.config().producerNameExpiryMs();
        List<TxProducer> group = new ArrayList<>();
        try {
            for (int i = 0; i < LOOKS && group.size() < TOGETHER && left.hasNext(); i++) {
                TxProducer each = left.next();
                if (each.isNamed() && each.lastUsedMs(now) < before && each.tryLock()) {
                    group.add(each);
                    each.pending().prune(store);
                    if (!each.isIdle() || each.lastUsedMs(now) >= before) {
                        group.remove(group.size() - 1);
                        each.lock().unlock();
                    }
                }
            }
            expire(group);
            return !left.hasNext();
        } finally {
            group.forEach(each -> each.lock().unlock());
        }
    }

    private void expire(List<TxProducer> group) {
        if (!group.isEmpty()) {
            journal.appendForgotten(group);
            group.forEach(producers::remove);
        }
    }
}
