package io.firn.host;

import io.firn.RefusedException;

/**
 * Thrown when an idempotent append does not follow the last one of its producer.
 *
 * @see HostedStore
 */
public final class OutOfOrderSequenceException extends RefusedException {
    private static final long serialVersionUID = 1L;
    private final int expectedSequence;
    private final int foundSequence;

    /** Creates the exception with the expected and the found sequence. */
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

    /** Returns the sequence that would follow. */
    public int expectedSequence() {
        return expectedSequence;
    }

    /** Returns the sequence of the refused append. */
    public int foundSequence() {
        return foundSequence;
    }
}
