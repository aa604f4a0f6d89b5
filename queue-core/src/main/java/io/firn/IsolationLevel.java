package io.firn;

/**
 * Which records of transactions a reader is shown.
 *
 * @see Tailer
 */
public enum IsolationLevel {
    /**
     * Records of committed transactions and those outside of transactions, in the order of their
     * offsets: a reader stops at the first offset of a transaction that is not decided yet, and
     * records of aborted transactions are skipped.
     */
    READ_COMMITTED,

    /** All records, those of open and of aborted transactions, too. */
    READ_UNCOMMITTED
}
