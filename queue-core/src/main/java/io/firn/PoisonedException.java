package io.firn;

/**
 * Thrown when the medium of a partition has failed, or when this process is not the only writer of
 * the store any more; the cause is then a {@link StoreLockedException}. The partition refuses
 * appends until the store is opened again; reads continue.
 *
 * @see Appender
 */
public final class PoisonedException extends MediumException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public PoisonedException(String message) {
        super(message);
    }

    /** Creates the exception with its cause. */
    public PoisonedException(String message, Throwable cause) {
        super(message, cause);
    }
}
