package io.firn;

/**
 * Two threads used something at the same time that is for one thread at a time. Nothing was done on
 * behalf of the caller that gets it; the other one's call is not disturbed.
 */
public final class ConcurrentUseException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public ConcurrentUseException(String message) {
        super(message);
    }
}
