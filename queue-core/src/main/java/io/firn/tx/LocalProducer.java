package io.firn.tx;

import io.firn.Producer;
import io.firn.Transaction;
import io.firn.TransactionStateException;
import io.firn.host.ProducerIdentity;

/** A named producer of this process. Thread-safe. */
final class LocalProducer implements Producer {
    private final LocalTransactions transactions;
    private final TxProducer producer;
    private final ProducerIdentity identity;
    private Transaction last;
    private boolean closed;

    LocalProducer(LocalTransactions transactions, TxProducer producer, ProducerIdentity identity) {
        this.transactions = transactions;
        this.producer = producer;
        this.identity = identity;
    }

    @Override
    public String name() {
        return producer.name();
    }

    @Override
    public synchronized Transaction beginTransaction() {
        if (closed) {
            throw new TransactionStateException(producer + " is closed");
        }
        last = transactions.begin(producer, identity);
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
