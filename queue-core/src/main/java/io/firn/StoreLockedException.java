package io.firn;

/**
 * Thrown when another process, or this one, has the store or tier open for writing, or may have it
 * open because its lock file was deleted or replaced.
 *
 * @see LogStore
 */
public final class StoreLockedException extends RetryableException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public StoreLockedException(String message) {
        super(message);
    }
}
