package io.firn.host;

import io.firn.IsolationLevel;
import io.firn.MediumException;

/**
 * Thrown when a reader of committed records has come to a transaction of a replicated topic whose
 * end is lost: the source has deleted the marker before it was replicated ({@link
 * io.firn.host.ReplicaAppender#endIsLost}). Without it the reader would wait for ever. Records that
 * are not committed can be read with {@link IsolationLevel#READ_UNCOMMITTED}.
 *
 * @see HostedStore
 */
public final class LostMarkerException extends MediumException {
    private static final long serialVersionUID = 1L;
    private final int partition;
    private final long offset;

    /** Creates the exception with the first offset of the transaction, and what was found. */
    public LostMarkerException(String where, int partition, long offset, String found) {
        super(where + ": readers of committed records end at offset " + offset + ": " + found);
        this.partition = partition;
        this.offset = offset;
    }

    /** Returns the partition. */
    public int partition() {
        return partition;
    }

    /** Returns the first offset of the transaction. */
    public long offset() {
        return offset;
    }
}
