package io.firn;

/** The only appender of a partition: no lock on its path. For one thread at a time. */
public interface ExclusiveAppender extends Appender {

    /**
     * Claims room for a value in the log itself, to be written by the caller. The claim is open
     * until its commit or abort, and this appender takes no other append meanwhile. A crash in
     * between leaves nothing.
     *
     * @param length bytes of the value
     * @return the appender's only claim, set to the room; or null when the next block is still
     *     being prepared ({@link #BACK_PRESSURED}): try again
     */
    Claim tryClaim(int length);
}
