package io.firn.tx;

import io.firn.InvalidOptionException;
import io.firn.ProducerFencedException;
import io.firn.host.ProducerIdentity;
import io.firn.log.LogContext;
import java.time.Duration;
import java.util.Objects;

/** Opens named producers, which fences the ones that were opened before. Thread-safe. */
final class ProducerOpener {
    /** The largest epoch that is given to a producer: the next one gets another id. */
    private static final int LAST_EPOCH = Short.MAX_VALUE - 1;

    private static final int MOST_NAME_CHARS = 249;

    private final LogContext context;
    private final TxStore store;
    private final ProducerRegistry producers;
    private final Decisions decisions;

    ProducerOpener(
            LogContext context, TxStore store, ProducerRegistry producers, Decisions decisions) {
        this.context = context;
        this.store = store;
        this.producers = producers;
        this.decisions = decisions;
    }

    /** A producer and what it was opened as. */
    record Opening(TxProducer producer, ProducerIdentity identity) {}

    /**
     * Opens a producer.
     *
     * @param expected the present identity, for one that goes on after an error; null for any
     */
    @SuppressWarnings("ReferenceEquality") // this very producer
    Opening open(String name, Duration timeout, ProducerIdentity expected) {
        context.checkWritable();
        checkName(name);
        int timeoutMs = checkTimeout(timeout);
        while (true) {
            TxProducer producer = producers.findOrAdd(name, this::newProducer);
            producer.lock().lock();
            try {
                if (producers.byName(name) == producer) { // else it has expired meanwhile
                    return new Opening(producer, open(producer, timeoutMs, expected));
                }
            } finally {
                producer.lock().unlock();
            }
        }
    }

    private ProducerIdentity open(TxProducer producer, int timeoutMs, ProducerIdentity expected) {
        producer.checkUsable();
        ProducerIdentity before = producer.identity();
        boolean isKnown = before.id() >= 0;
        if (expected != null && isKnown && !expected.equals(before)) {
            if (producer.isReopened(expected)) {
                decisions.write(producer); // there may have been no room for it before
                return before; // the answer was lost, and it asks again
            }
            throw new ProducerFencedException(
                    producer + " was opened again, " + expected + " is not the present one");
        }
        ProducerIdentity next = next(before);
        ProducerIdentity continued = isKnown ? expected : null;
        while (!producer.reopen(next, timeoutMs, context.timeMs(), continued)) {
            decisions.end(producer, false, before.epoch() + 1, next);
        }
        producers.onIdentity(producer);
        decisions.write(producer);
        return next;
    }

    private TxProducer newProducer(String name) {
        // Its first epoch is the one after this.
        return new TxProducer(
                ProducerRegistry.keyOf(name),
                name,
                new ProducerIdentity(-1, -1),
                1,
                context.timeMs());
    }

    /** Returns the identity that fences one. */
    ProducerIdentity next(ProducerIdentity now) {
        return now.id() < 0 || now.epoch() >= LAST_EPOCH
                ? new ProducerIdentity(store.newProducerId(), 0)
                : new ProducerIdentity(now.id(), now.epoch() + 1);
    }

    private static void checkName(String name) {
        Objects.requireNonNull(name, "name");
        if (name.isEmpty() || name.length() > MOST_NAME_CHARS) {
            throw new InvalidOptionException(
                    "a producer's name has 1 to "
                            + MOST_NAME_CHARS
                            + " characters, this one "
                            + name.length());
        }
    }

    private static int checkTimeout(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        if (timeout.compareTo(Duration.ofMillis(1)) < 0
                || timeout.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
            throw new InvalidOptionException(
                    "a transaction's time-out is 1 ms to 24 days, not " + timeout);
        }
        return (int) timeout.toMillis();
    }
}
