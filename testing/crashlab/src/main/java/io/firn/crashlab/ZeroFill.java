package io.firn.crashlab;

/**
 * Recognizes the operations that fill a new pool with zeros. There are many of them, and between
 * them nothing changes that recovery could see; the first and the last one show what all show.
 */
final class ZeroFill {
    private ZeroFill() {}

    /** Whether an operation of a simulated medium's history is a write of zeros. */
    static boolean isIn(String operation) {
        return operation.startsWith("write 1048576 ");
    }
}
