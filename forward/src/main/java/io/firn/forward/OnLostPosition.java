package io.firn.forward;

/**
 * What happens when it is not known up to where records were forwarded: the cluster has lost the
 * position (the group's offsets have expired, the topic was created again, or it is another
 * cluster), or the position is not one of this store's log (the store was replaced, or restored
 * from an older backup).
 *
 * @see Forward
 */
public enum OnLostPosition {
    /** Forward stops; an operator decides. The default. */
    FAIL,
    /**
     * Continues at the cursor in the store. It is never above what the cluster has committed, so
     * nothing is skipped, but records may be sent twice: those of the last transaction, or, in a
     * store that was restored, all since the backup.
     */
    FROM_CURSOR
}
