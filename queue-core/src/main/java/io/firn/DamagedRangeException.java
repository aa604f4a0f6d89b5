package io.firn;

/** Records that were durable cannot be read any more. What lies before and behind them can. */
public final class DamagedRangeException extends FirnException {
    private static final long serialVersionUID = 1L;
    private final long fromOffset;
    private final long toOffset;

    /** Names the range, {@code toOffset} exclusive. */
    public DamagedRangeException(String where, long fromOffset, long toOffset, String why) {
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
                        + ") goes on behind them");
        this.fromOffset = fromOffset;
        this.toOffset = toOffset;
    }

    /** The first offset that is lost. */
    public long fromOffset() {
        return fromOffset;
    }

    /** The offset at which reading can go on. */
    public long toOffset() {
        return toOffset;
    }
}
