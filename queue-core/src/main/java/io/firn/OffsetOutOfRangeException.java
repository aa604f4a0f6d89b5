package io.firn;

/**
 * Thrown when a reader's offset is outside the partition's records. Seek to continue.
 *
 * @see Tailer
 */
public class OffsetOutOfRangeException extends RefusedException {
    private static final long serialVersionUID = 1L;
    private final int partition;
    private final long offset;
    private final long logStartOffset;
    private final long nextOffset;

    /** Creates the exception with the offset and the range of the log. */
    public OffsetOutOfRangeException(
            String where, int partition, long offset, long logStartOffset, long nextOffset) {
        super(
                where
                        + ": offset "
                        + offset
                        + " is outside of ["
                        + logStartOffset
                        + ", "
                        + nextOffset
                        + "]: seek to a place inside, for example seekToStart()");
        this.partition = partition;
        this.offset = offset;
        this.logStartOffset = logStartOffset;
        this.nextOffset = nextOffset;
    }

    /** Creates the exception with a complete message; for subclasses. */
    OffsetOutOfRangeException(
            int partition, long offset, long logStartOffset, long nextOffset, String message) {
        super(message);
        this.partition = partition;
        this.offset = offset;
        this.logStartOffset = logStartOffset;
        this.nextOffset = nextOffset;
    }

    /** Returns the partition. */
    public int partition() {
        return partition;
    }

    /** Returns the offset of the reader. */
    public long offset() {
        return offset;
    }

    /** Returns the earliest offset that can be read. */
    public long logStartOffset() {
        return logStartOffset;
    }

    /** Returns the offset after the last record. */
    public long nextOffset() {
        return nextOffset;
    }
}
