package io.firn;

/** Another process, or this one, has the store or tier open for writing. */
public final class StoreLockedException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public StoreLockedException(String message) {
        super(message);
    }
}
