package io.firn;

/** The partition has an appender that excludes the wanted one. */
public final class AppenderBusyException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public AppenderBusyException(String message) {
        super(message);
    }
}
