package io.firn;

/**
 * Thrown when a topic would give the store more partitions than its limit; nothing was changed. See
 * {@link LogStoreBuilder#maxPartitions}.
 */
public final class TooManyPartitionsException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public TooManyPartitionsException(String message) {
        super(message);
    }
}
