package io.firn;

/**
 * Thrown when what a call needs is in use: another appender of the partition excludes the requested
 * one, another reader is open at the same place of a cursor, a producer's last transaction is just
 * ending, or handlers that have not returned use all of {@link LogStoreBuilder#readMemory}: those
 * of other threads for 30 s, or one of this thread that reads another batch itself. The message
 * says which. A reader stays where it is.
 *
 * @see Appender
 */
public final class BusyException extends RetryableException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public BusyException(String message) {
        super(message);
    }
}
