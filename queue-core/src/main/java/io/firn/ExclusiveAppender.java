package io.firn;

/**
 * The only appender of a partition: its appends take no lock. For one thread at a time; the
 * appender may be handed from one thread to another. Two threads that use it at the same time are
 * told by a {@link ConcurrentUseException}, and nothing is appended for the one that gets it.
 */
public interface ExclusiveAppender extends Appender {

    /**
     * Claims room for a record whose value the caller then writes into {@link Claim#buffer()}. The
     * claim is open until its commit or abort; this appender takes no other append meanwhile. A
     * crash in between leaves nothing.
     *
     * @param length bytes of the value, 0 or more
     * @return the appender's only claim; or null when the next block is still being prepared
     *     ({@link #BACK_PRESSURED}): try again
     * @throws InvalidOptionException when the length is negative
     * @throws RecordTooLargeException when the topic does not take a value of that length
     * @throws StoreFullException when no tier has room
     * @throws IllegalStateException when a claim is open
     * @throws ConcurrentUseException when another thread is using the appender
     */
    Claim tryClaim(int length);
}
