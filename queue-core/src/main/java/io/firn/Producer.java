package io.firn;

/**
 * A named producer of transactions. Opening it again, also after a crash, fences the earlier one:
 * its open transaction is aborted, and its later appends and commits are refused. Thread-safe, with
 * one transaction at a time.
 *
 * @see Transaction
 */
public interface Producer extends AutoCloseable {

    /** Returns its name. */
    String name();

    /**
     * Begins a transaction. It is aborted when it is open for longer than the producer's time-out.
     *
     * @throws ProducerFencedException when the producer was opened again
     * @throws IllegalStateException when a transaction of it is open
     * @throws BusyException when its last one is just ending, because its abort waits for room on a
     *     full disk: try again
     * @throws ClosedException after close
     */
    Transaction beginTransaction();

    /** Aborts the open transaction, if there is one. Idempotent. The name stays known. */
    @Override
    void close();
}
