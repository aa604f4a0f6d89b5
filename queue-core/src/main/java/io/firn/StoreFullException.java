package io.firn;

/** No tier has room for another segment. Reads go on; appends work again when there is room. */
public final class StoreFullException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public StoreFullException(String message) {
        super(message);
    }

    /** With what lies beneath it. */
    public StoreFullException(String message, Throwable cause) {
        super(message, cause);
    }
}
