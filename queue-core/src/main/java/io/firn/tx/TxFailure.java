package io.firn.tx;

import io.firn.FirnException;

/** That the outcome of a producer's transaction is unknown, once that has happened. Thread-safe. */
final class TxFailure {
    private volatile FirnException failure;

    /** A decision may or may not be durable: it is found out when the store is opened again. */
    FirnException set(TxProducer producer, FirnException why) {
        failure =
                new FirnException(
                        producer
                                + ": the outcome of its transaction could not be written ("
                                + why.getMessage()
                                + "), so it is unknown until the store is opened again",
                        why);
        return failure;
    }

    boolean isSet() {
        return failure != null;
    }

    /** Throws what was set. */
    void check() {
        FirnException first = failure;
        if (first != null) {
            throw new FirnException(first.getMessage(), first);
        }
    }
}
