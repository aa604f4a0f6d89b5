package io.firn;

/**
 * Paces and observes a move. Called on the moving thread, outside of all locks. It must not close
 * the store or delete the topic, because both wait for the move, and must not begin a compaction.
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
