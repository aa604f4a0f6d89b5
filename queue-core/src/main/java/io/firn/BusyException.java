package io.firn;

/**
 * Thrown when something that only one may have is in use: another appender of the partition
 * excludes the requested one, or another reader is open at the same place of a cursor. The message
 * says which.
 */
public final class BusyException extends RetryableException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public BusyException(String message) {
        super(message);
    }
}
