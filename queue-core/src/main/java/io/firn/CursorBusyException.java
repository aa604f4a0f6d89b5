package io.firn;

/** Thrown when another reader that is open reads a partition at the same cursor. */
public final class CursorBusyException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public CursorBusyException(String message) {
        super(message);
    }
}
