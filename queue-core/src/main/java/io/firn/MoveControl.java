package io.firn;

/**
 * Paces and observes a move. Called on the moving thread, outside of all locks. It must not close
 * the store, because closing waits for the move.
 */
@FunctionalInterface
public interface MoveControl {
    /** Returned by {@link #pauseNs} to cancel the move. */
    long CANCEL = -1;

    /** Moves at full speed. */
    MoveControl UNLIMITED = (copied, total, next) -> 0;

    /**
     * Called before each piece is copied.
     *
     * @param copiedBytes bytes that have been copied
     * @param totalBytes bytes to copy in total
     * @param nextBytes bytes of the next piece
     * @return how long to wait before the piece, in ns; {@link #CANCEL} to cancel the move
     */
    long pauseNs(long copiedBytes, long totalBytes, int nextBytes);
}
