package io.firn.tx;

import io.firn.RecordTooLargeException;

/**
 * What the journal takes of one producer. A transaction is refused whatever would make its decision
 * too large for an entry: else it could be neither committed nor aborted, and would hold up readers
 * for ever. Thread-safe.
 */
final class EntryRoom {
    private final TxStore store;
    private final Journal journal;

    EntryRoom(TxStore store, Journal journal) {
        this.store = store;
        this.journal = journal;
    }

    /** Makes room by forgetting what is durable, if that is necessary; may read files. */
    void prepare(TxProducer producer, long moreBytes) {
        if (producer.mostBytes() + moreBytes > journal.mostEntryBytes()) {
            Decisions.prune(producer, store);
        }
    }

    /**
     * Checks that a transaction to which something is added can be ended. For the holder of the
     * producer's monitor.
     *
     * @throws RecordTooLargeException if the entry of its decision would be too large
     */
    void check(TxProducer producer, long moreBytes) {
        long bytes = producer.mostBytes() + moreBytes;
        if (bytes > journal.mostEntryBytes()) {
            throw new RecordTooLargeException(
                    producer
                            + ": its transaction has too many partitions and cursors: with what"
                            + " earlier ones have still to do it would take "
                            + bytes
                            + " bytes in the journal, which takes "
                            + journal.mostEntryBytes()
                            + ". Commit in smaller transactions");
        }
    }
}
