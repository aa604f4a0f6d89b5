package io.firn;

/** A foreign batch is not a valid Kafka record batch of magic 2. */
public final class InvalidBatchException extends FirnException {
    private static final long serialVersionUID = 1L;

    private final boolean corrupt;

    /** With the whole story in the message. */
    public InvalidBatchException(String message) {
        this(message, false);
    }

    /** Says, too, whether the bytes are not those that their maker checksummed. */
    public InvalidBatchException(String message, boolean corrupt) {
        super(message);
        this.corrupt = corrupt;
    }

    /** Whether the checksum does not match; otherwise the batch was made like that. */
    public boolean isCorrupt() {
        return corrupt;
    }
}
