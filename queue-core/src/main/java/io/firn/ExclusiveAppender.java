package io.firn;

/** The only appender of a partition; appends without a lock. For one thread at a time. */
public interface ExclusiveAppender extends Appender {

    /**
     * Claims space in the log for a value that the caller writes in place. The claim is open until
     * its commit or abort; until then this appender refuses other appends. A crash in between
     * leaves nothing.
     *
     * @param length the length of the value in bytes
     * @return the appender's only claim, set to the space; or null when the next block is still
     *     being prepared (as {@link #BACK_PRESSURED}): try again
     */
    Claim tryClaim(int length);
}
