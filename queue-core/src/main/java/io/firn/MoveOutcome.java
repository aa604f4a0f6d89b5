package io.firn;

/** What became of a segment's move to another tier. */
public enum MoveOutcome {
    /** It lies in the other tier, durably; its old space comes back when no reader holds it. */
    MOVED,
    /** It lay there already. */
    ALREADY_THERE,
    /** There is no such segment: it was deleted, perhaps just now, or never was. */
    GONE,
    /** It is still written to, or not brought into its final form yet: try again later. */
    NOT_SEALED,
    /** It is being moved by somebody else, or readers still hold what the last move left. */
    BUSY,
    /** The {@link MoveControl} gave up, or the store is being closed; nothing changed. */
    CANCELLED
}
