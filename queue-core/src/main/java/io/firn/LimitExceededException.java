package io.firn;

/**
 * Thrown when a store has as much of something as it may; nothing was changed.
 *
 * @see LogStore
 */
public final class LimitExceededException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** What is limited. */
    public enum Limit {
        /** The partitions of a store: {@link LogStoreBuilder#maxPartitions}. */
        PARTITIONS,
        /**
         * The named producers of a store. Those that are not used for 7 days are forgotten, or
         * after another {@linkplain LogStoreBuilder#producerNameExpiry time}.
         */
        PRODUCERS
    }

    private final Limit limit;

    /** Creates the exception with a complete message. */
    public LimitExceededException(Limit limit, String message) {
        super(message);
        this.limit = limit;
    }

    /** Returns which limit was reached. */
    public Limit limit() {
        return limit;
    }
}
