package io.firn.tx;

import io.firn.Producer;
import io.firn.ProducerIdentity;
import io.firn.Transaction;
import io.firn.TransactionStateException;

/** A named producer of this process. Thread-safe. */
final class LocalProducer implements Producer {
    private final Coordinator coordinator;
    private final TxStore store;
    private final TxProducer producer;
    private final ProducerIdentity identity;
    private LocalTransaction last;
    private boolean closed;

    LocalProducer(
            Coordinator coordinator,
            TxStore store,
            TxProducer producer,
            ProducerIdentity identity) {
        this.coordinator = coordinator;
        this.store = store;
        this.producer = producer;
        this.identity = identity;
    }

    @Override
    public String name() {
        return producer.name();
    }

    @Override
    public ProducerIdentity identity() {
        return identity;
    }

    @Override
    public synchronized Transaction beginTransaction() {
        if (closed) {
            throw new TransactionStateException(producer + " is closed");
        }
        coordinator.begin(producer, identity);
        last = new LocalTransaction(coordinator, store, producer, identity);
        return last;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (last != null) {
            last.abort();
        }
    }
}
