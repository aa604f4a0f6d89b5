package io.firn;

/** Thrown when the partition has an open appender that excludes the requested one. */
public final class AppenderBusyException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public AppenderBusyException(String message) {
        super(message);
    }
}
