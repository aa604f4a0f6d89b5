package io.firn;

/**
 * Paces and watches a move. Called by the thread that moves, outside of all locks; it must not
 * close the store, which waits for the move.
 */
@FunctionalInterface
public interface MoveControl {
    /** What {@link #pauseNs} says to give up. */
    long CANCEL = -1;

    /** At full speed. */
    MoveControl UNLIMITED = (copied, total, next) -> 0;

    /**
     * Asked before each piece is copied.
     *
     * @param copiedBytes how far it is
     * @param totalBytes how much there is
     * @param nextBytes how much comes next
     * @return how long to wait before, in ns; {@link #CANCEL} to give up
     */
    long pauseNs(long copiedBytes, long totalBytes, int nextBytes);
}
