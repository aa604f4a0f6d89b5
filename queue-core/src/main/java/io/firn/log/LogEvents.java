package io.firn.log;

import java.io.IOException;

/**
 * What a log tells the background work that is built on it. Each call only makes duties run; it is
 * cheap and allowed under any lock. Thread-safe.
 */
public interface LogEvents {
    /**
     * Something was appended; not called after each append.
     *
     * @param isFillingUp whether the next block is wanted
     */
    void onAppended(boolean isFillingUp);

    /** Small appends want prepared space. */
    void onSpaceWanted();

    /** A segment was taken out of the log before anything was written to it. */
    void onDiscarded(LogSegment segment);

    /** A segment was sealed. */
    void onSealed();

    /** The log start was raised, or the topic's options were changed. */
    void onNewLimits();

    /** The log was poisoned, and no duty runs any more that would end a wait. */
    void onLost();

    /** A reader has mapped a segment. */
    void onView();

    /**
     * Tells the background that something was appended, when it has asked for that. Thread-safe.
     */
    public interface AppendAlarm {
        /** Makes the next append call the background. */
        void callAtNextAppend();

        /** Whether the next append calls the background. */
        boolean isToCall();
    }

    /** Those who wait until something of a log is durable. Thread-safe. */
    public interface ForceWaiters {
        /** Makes the background look at them; allowed under any lock. */
        void call();

        /** Fails what waits, on the caller's thread, which holds no lock. */
        void failPending(RuntimeException why);
    }

    /** What is known of a log's batches and kept in a file, so that not all are read at open. */
    interface Checkpoint {
        /** Called when something was appended: it may have to be written. */
        void call();

        /**
         * Returns whether recovery can do without a segment's batches; writes the checkpoint when
         * it cannot. Any thread.
         */
        boolean covers(LogSegment segment) throws IOException;
    }
}
