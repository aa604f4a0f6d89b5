package io.firn;

/** A newer epoch of the same producer has appended. */
public final class ProducerFencedException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public ProducerFencedException(String message) {
        super(message);
    }
}
