package io.firn.shadow;

/**
 * What happens when the source no longer has what this copy has: records were lost by an unclean
 * leader election or with a disk, or the topic was deleted and created again.
 *
 * @see Shadow
 */
public enum OnDivergence {
    /** The partition stops and keeps its records; an application decides. The default. */
    STOP,
    /**
     * The copy is made like the source again: records that the source does not have are removed. A
     * topic that was created again is deleted here, with its cursors, and copied from its start.
     */
    TRUNCATE
}
