package io.firn;

/** The outcome of moving a segment to another tier. */
public enum MoveOutcome {
    /** It is durably in the other tier; its old space is freed when no reader holds it. */
    MOVED,
    /** It was already in that tier. */
    ALREADY_THERE,
    /** There is no such segment: it never existed, or it was deleted, perhaps just now. */
    GONE,
    /** It is still written to, or not yet in its final form: try again later. */
    NOT_SEALED,
    /** Another thread is moving it, or readers still hold its old bytes after the last move. */
    BUSY,
    /** The {@link MoveControl} cancelled it, or the store is being closed; nothing changed. */
    CANCELLED
}
