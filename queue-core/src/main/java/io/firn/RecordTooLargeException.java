package io.firn;

/** A record or batch is larger than the topic or its blocks allow. */
public final class RecordTooLargeException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public RecordTooLargeException(String message) {
        super(message);
    }
}
