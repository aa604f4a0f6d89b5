package io.firn;

/** A reader stands outside of what the partition holds. It may seek and go on. */
public final class OffsetOutOfRangeException extends FirnException {
    private static final long serialVersionUID = 1L;
    private final long offset;
    private final long logStartOffset;
    private final long nextOffset;

    /** Names the place and the range. */
    public OffsetOutOfRangeException(
            String where, long offset, long logStartOffset, long nextOffset) {
        super(
                where
                        + ": offset "
                        + offset
                        + " is outside of ["
                        + logStartOffset
                        + ", "
                        + nextOffset
                        + "]: seek to a place inside, for example seekToStart()");
        this.offset = offset;
        this.logStartOffset = logStartOffset;
        this.nextOffset = nextOffset;
    }

    /** Where the reader stands. */
    public long offset() {
        return offset;
    }

    /** The earliest offset that can be read. */
    public long logStartOffset() {
        return logStartOffset;
    }

    /** The offset after the last one. */
    public long nextOffset() {
        return nextOffset;
    }
}
