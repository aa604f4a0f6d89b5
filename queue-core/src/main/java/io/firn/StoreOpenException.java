package io.firn;

/** A store cannot be opened as it is: foreign, damaged, newer, incomplete or unreachable. */
public final class StoreOpenException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public StoreOpenException(String message) {
        super(message);
    }

    /** With what lies beneath it. */
    public StoreOpenException(String message, Throwable cause) {
        super(message, cause);
    }
}
