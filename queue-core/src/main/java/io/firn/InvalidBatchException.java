package io.firn;

/** A foreign batch is not a valid Kafka record batch of magic 2. */
public final class InvalidBatchException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public InvalidBatchException(String message) {
        super(message);
    }
}
