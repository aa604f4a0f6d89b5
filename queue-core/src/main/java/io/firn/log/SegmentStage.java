package io.firn.log;

/** How far a move of a segment to another tier has come, and whether a deletion was faster. */
public enum SegmentStage {
    STAYING,
    /** It is being copied; it may be deleted. */
    MOVING,
    /** The copy is being published; a deletion has to wait for that. */
    PUBLISHING,
    /** It is to be deleted; no move begins or is published any more. */
    DOOMED
}
