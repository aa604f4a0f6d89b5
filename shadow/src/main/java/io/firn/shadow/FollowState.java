package io.firn.shadow;

/** What a {@link Shadow} does with a partition. */
public enum FollowState {
    /** It waits until the source can be reached and tells who leads the partition. */
    WAITING,
    /** It appends what the source has. */
    FOLLOWING,
    /** The last request or append failed; it is repeated after a pause. */
    RETRYING,
    /**
     * The source has other records than this copy, or no longer has its last ones. Nothing is
     * appended until the shadow is started again. See {@link OnDivergence}.
     */
    DIVERGED,
    /** Something else that needs a decision. Nothing is appended until it is started again. */
    STOPPED
}
