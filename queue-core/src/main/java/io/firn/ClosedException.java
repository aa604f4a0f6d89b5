package io.firn;

/** Used after close. */
public final class ClosedException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public ClosedException(String message) {
        super(message);
    }
}
