package io.firn;

/**
 * A named producer of transactions. Whoever opens it again, also after a crash, fences the one
 * before: its open transaction is aborted, and its later appends and commits are refused.
 * Thread-safe, with one transaction at a time.
 */
public interface Producer extends AutoCloseable {

    /** Returns its name. */
    String name();

    /**
     * Begins a transaction. It is aborted when it is open for longer than the producer's time-out.
     *
     * @throws ProducerFencedException when the producer was opened again
     * @throws TransactionStateException when a transaction of it is open, or is just ending: an
     *     abort waits for room on a full disk, then try again
     */
    Transaction beginTransaction();

    /** Aborts the open transaction, if there is one. Idempotent. The name stays known. */
    @Override
    void close();
}
