package io.firn;

/**
 * Thrown when two threads use an object at the same time that is for one thread at a time. The call
 * that throws has done nothing; the call of the other thread is not affected.
 */
public final class ConcurrentUseException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public ConcurrentUseException(String message) {
        super(message);
    }
}
