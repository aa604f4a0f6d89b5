package io.firn;

/**
 * Thrown when a reader could not decompress a batch because handlers that have not returned use all
 * of {@link LogStoreBuilder#readMemory}: those of other threads for 30 s, or one of this thread
 * that reads another batch itself. The reader stays where it is; read again.
 */
public final class ReadMemoryException extends RetryableException {
    private static final long serialVersionUID = 1L;
    private final int partition;
    private final long offset;

    /** Creates the exception for the record that was to be read, and the bytes of all readers. */
    public ReadMemoryException(String where, int partition, long offset, long memory) {
        super(
                where
                        + ": no memory to decompress the batch with offset "
                        + offset
                        + ": handlers that have not returned use the "
                        + memory
                        + " bytes of readMemory. Nothing is lost: read again, let handlers return"
                        + " sooner or read on fewer threads, or open the store with more readMemory");
        this.partition = partition;
        this.offset = offset;
    }

    /** Returns the partition. */
    public int partition() {
        return partition;
    }

    /** Returns the offset of the record that was to be read. */
    public long offset() {
        return offset;
    }
}
