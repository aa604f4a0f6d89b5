package io.firn;

import java.util.ConcurrentModificationException;

/**
 * The only appender of a partition: its appends take no lock. For one thread at a time; the
 * appender may be handed from one thread to another. When two threads use it at the same time, one
 * of the calls throws {@link ConcurrentModificationException} and appends nothing.
 *
 * <pre>{@code
 * try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
 *     Claim claim = appender.claim(Long.BYTES); // the exact length
 *     claim.buffer().putLong(0, price);
 *     claim.commit(); // or claim.abort()
 * }
 * }</pre>
 */
public interface ExclusiveAppender extends Appender {

    /**
     * Claims room for a record whose value the caller then writes into {@link Claim#buffer()};
     * waits for the next block as {@code append} does. The claim is open until it is committed or
     * aborted; until then other appends by this appender throw. A crash before the commit leaves
     * nothing in the log.
     *
     * @param length bytes of the value, 0 or more
     * @return the appender's only claim
     * @throws InvalidOptionException when the length is negative, or the topic is compacted, so
     *     that each record needs a key, which a claimed one cannot have
     * @throws RecordTooLargeException when a value of that length is too large for the topic
     * @throws StoreFullException when no tier has room
     * @throws IllegalStateException when a claim is open
     * @throws ConcurrentModificationException when another thread is using the appender
     */
    Claim claim(int length);

    /**
     * Claims room as {@link #claim} does, or returns null when the next block is still being
     * prepared: nothing was claimed, try again.
     */
    Claim tryClaim(int length);
}
