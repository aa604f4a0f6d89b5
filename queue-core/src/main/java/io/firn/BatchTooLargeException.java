package io.firn;

/**
 * Thrown when a compressed batch is too large to be decompressed: it is whole, but would need more
 * memory than {@link LogStoreBuilder#readMemory} allows. Batches before and after it, and other
 * partitions, can be read.
 *
 * @see Tailer
 */
public final class BatchTooLargeException extends RefusedException {
    private static final long serialVersionUID = 1L;
    private static final long MOST_OF_ANY = 128 << 20;

    private final int partition;
    private final long fromOffset;
    private final long toOffset;

    /**
     * Creates the exception.
     *
     * @param fromOffset the first offset of the batch that was still to be read
     * @param toOffset the offset after the batch
     * @param largest the most bytes that a batch may have when it is decompressed
     * @param memory how many bytes all readers may use
     */
    public BatchTooLargeException(
            String where,
            int partition,
            long fromOffset,
            long toOffset,
            long largest,
            long memory) {
        super(
                where
                        + ": the batch with the offsets ["
                        + fromOffset
                        + ", "
                        + toOffset
                        + ") takes more than "
                        + largest
                        + " bytes to be decompressed, "
                        + (largest < MOST_OF_ANY
                                ? "half of what the readers of this store may use; open it with more"
                                        + " readMemory, which is now "
                                        + memory
                                        + " bytes, to read the batch; "
                                : "which no reader accepts; ")
                        + "seek("
                        + toOffset
                        + ") continues after it");
        this.partition = partition;
        this.fromOffset = fromOffset;
        this.toOffset = toOffset;
    }

    /** Returns the partition. */
    public int partition() {
        return partition;
    }

    /** Returns the first offset of the batch that was still to be read. */
    public long fromOffset() {
        return fromOffset;
    }

    /** Returns the offset after the batch, at which reading can continue. */
    public long toOffset() {
        return toOffset;
    }
}
