package io.firn;

/** An option is unknown or out of its range. */
public final class InvalidOptionException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public InvalidOptionException(String message) {
        super(message);
    }
}
