package io.firn.log;

import java.io.IOException;

/** What is known of a log's batches and kept in a file, so that not all are read at open. */
public interface Checkpoint {
    /** Called when something was appended: it may have to be written. */
    void call();

    /**
     * Returns whether recovery can do without a segment's batches; writes the checkpoint when it
     * cannot. Any thread.
     */
    boolean covers(LogSegment segment) throws IOException;
}
