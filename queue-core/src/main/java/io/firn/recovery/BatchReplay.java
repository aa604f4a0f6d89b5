package io.firn.recovery;

import io.firn.log.LogSegment;
import java.io.IOException;
import java.util.List;

/** Finds out, when a partition is recovered, what its batches say besides their records. */
public interface BatchReplay {
    /**
     * Reads what was known when the partition was open before.
     *
     * @param logStart the offset below which nothing is needed
     * @return the offset as of which that was; −1 when nothing is known
     */
    long restore(long logStart) throws IOException;

    /** Reads all batches from that offset on, including those below the log start. */
    void replay(List<LogSegment> segments) throws IOException;
}
