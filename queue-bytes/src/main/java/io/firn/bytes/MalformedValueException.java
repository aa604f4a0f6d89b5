package io.firn.bytes;

import io.firn.RefusedException;

/**
 * Thrown when the value of a record is not what its reader expects: it was truncated, or written by
 * another schema. The record counts as not handled; seek behind its offset to continue.
 *
 * @see BytesTailer
 */
public final class MalformedValueException extends RefusedException {
    private static final long serialVersionUID = 1L;
    private final int partition;
    private final long offset;

    /** Creates the exception for a record; the reason says what was expected and found. */
    public MalformedValueException(int partition, long offset, String reason, Throwable cause) {
        super(
                "partition "
                        + partition
                        + ", offset "
                        + offset
                        + ": "
                        + reason
                        + "; seek("
                        + partition
                        + ", "
                        + (offset + 1)
                        + ") continues after it",
                cause);
        this.partition = partition;
        this.offset = offset;
    }

    /** Returns the record's partition. */
    public int partition() {
        return partition;
    }

    /** Returns the record's offset. */
    public long offset() {
        return offset;
    }
}
