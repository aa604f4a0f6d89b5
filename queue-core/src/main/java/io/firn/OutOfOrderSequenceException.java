package io.firn;

/** An idempotent append does not follow the last one of its producer. */
public final class OutOfOrderSequenceException extends FirnException {
    private static final long serialVersionUID = 1L;
    private final int expectedSequence;
    private final int foundSequence;

    /** Names the producer, and what was expected and found. */
    public OutOfOrderSequenceException(long producerId, int expectedSequence, int foundSequence) {
        super(
                "producer "
                        + producerId
                        + ": expected sequence "
                        + expectedSequence
                        + ", found "
                        + foundSequence
                        + ": an earlier append is missing, or this one is a duplicate of more than"
                        + " five batches ago");
        this.expectedSequence = expectedSequence;
        this.foundSequence = foundSequence;
    }

    /** The sequence that would follow. */
    public int expectedSequence() {
        return expectedSequence;
    }

    /** The sequence that came. */
    public int foundSequence() {
        return foundSequence;
    }
}
