package io.firn;

/**
 * Thrown when a store has as many named producers as there may be; nothing was changed. Those that
 * are not used for 7 days are forgotten, or after another {@linkplain
 * LogStoreBuilder#producerNameExpiry time}.
 */
public final class TooManyProducersException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public TooManyProducersException(String message) {
        super(message);
    }
}
