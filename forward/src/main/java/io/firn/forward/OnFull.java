package io.firn.forward;

/**
 * What happens when the store has no room for more records because the cluster cannot be reached.
 *
 * @see Forward
 */
public enum OnFull {
    /** Records are kept until they are forwarded; appends are refused meanwhile. The default. */
    BACK_PRESSURE,
    /**
     * The oldest segment of the forwarded topics is deleted, until there is room. Records that were
     * not forwarded then are lost, and counted ({@link ForwardSnapshot.PartitionStatus#dropped}).
     */
    DROP_OLDEST
}
