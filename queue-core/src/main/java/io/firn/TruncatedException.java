package io.firn;

/**
 * Thrown when the log was truncated below a reader's offset: what the reader has passed is gone,
 * and other records may get its offsets. Happens only in replicated topics ({@link
 * io.firn.host.ReplicaAppender#truncate}). Seek to continue, for example to {@link #truncatedTo}.
 *
 * @see Tailer
 */
public final class TruncatedException extends OffsetOutOfRangeException {
    private static final long serialVersionUID = 1L;
    private final long truncatedTo;

    /** Creates the exception with the offset, and the one that the log was truncated to. */
    public TruncatedException(
            String where, int partition, long offset, long truncatedTo, long start, long next) {
        super(
                partition,
                offset,
                start,
                next,
                where
                        + ": the log was truncated to "
                        + truncatedTo
                        + " while a reader was at "
                        + offset
                        + ": what it has read from there on is gone; seek to "
                        + truncatedTo
                        + " to read what has taken its place");
        this.truncatedTo = truncatedTo;
    }

    /** Returns the lowest offset that the log was truncated to since the reader's last seek. */
    public long truncatedTo() {
        return truncatedTo;
    }
}
