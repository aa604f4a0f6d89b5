package io.firn;

/**
 * Thrown when records that were durable cannot be read because they are corrupted. Records before
 * and after the range can be read.
 *
 * @see Tailer
 */
public final class DamagedRangeException extends MediumException {
    private static final long serialVersionUID = 1L;
    private final int partition;
    private final long fromOffset;
    private final long toOffset;

    /** Creates the exception for a range of offsets; {@code toOffset} is exclusive. */
    public DamagedRangeException(
            String where, int partition, long fromOffset, long toOffset, String why) {
        super(
                where
                        + ": offsets ["
                        + fromOffset
                        + ", "
                        + toOffset
                        + ") are damaged ("
                        + why
                        + "); seek("
                        + toOffset
                        + ") continues after them");
        this.partition = partition;
        this.fromOffset = fromOffset;
        this.toOffset = toOffset;
    }

    /** Returns the partition. */
    public int partition() {
        return partition;
    }

    /** Returns the first offset that is lost. */
    public long fromOffset() {
        return fromOffset;
    }

    /** Returns the offset at which reading can continue. */
    public long toOffset() {
        return toOffset;
    }
}
