package io.firn;

/**
 * Thrown when a newer epoch of the same producer has appended.
 *
 * @see Transaction
 */
public final class ProducerFencedException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public ProducerFencedException(String message) {
        super(message);
    }
}
