package io.firn.append;

/** Reserves blocks for a partition. Thread-safe. */
public interface BlockSource {
    /** Makes the background reserve a block, if one is wanted. */
    void call();

    /**
     * Reserves a block on the caller's thread, if one is wanted. Only for the thread that otherwise
     * reserves blocks.
     */
    void supplyNow();
}
