package io.firn.replica;

import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;

/**
 * Records what a replicated log is truncated to. In the file of the partition a truncation is
 * durable before any of it can be seen (O29), so that readers in other processes, and those that
 * come back after a crash, find out as well. For one thread at a time; any thread may ask whether
 * one is in progress.
 */
final class Truncations {
    private static final long LEAST_AFTER_LOSS = 1L << 40; // more than anybody counts up to
    private static final long MOST_AFTER_LOSS = 1L << 62;

    private final SegmentedLog log;
    private final TruncationFiles files;
    private volatile TruncationHistory history;

    /**
     * Creates the record of a log, before another thread sees that.
     *
     * @param recovered what it was truncated to in earlier runs
     */
    Truncations(SegmentedLog log, TruncationHistory recovered) {
        this.log = log;
        this.files = new TruncationFiles(log.topic().directory());
        this.history = recovered;
        log.truncations().begin(recovered);
    }

    /**
     * Records that a truncation begins, durably; then shows readers the earlier end.
     *
     * @return the segments of which nothing stays, in order
     */
    List<LogSegment> begin(TruncationPoint point) throws IOException {
        TruncationHistory next = history.begin(point.offset());
        files.write(log.index(), next);
        List<LogSegment> gone = log.withdraw(point.offset(), point.hasTransactions(), next);
        history = next;
        return gone;
    }

    /** Records that the last one is over; durable on return. */
    void end() throws IOException {
        TruncationHistory next = history.end();
        files.write(log.index(), next);
        history = next;
    }

    /**
     * Returns whether a truncation is in progress, or is over and its file does not say so. Readers
     * in other processes are held below it meanwhile.
     */
    boolean isInProgress() {
        return history.isInProgress();
    }

    /**
     * Records before an append that a truncation is over for which {@link #recover} found no space.
     *
     * @return false when there still is none
     */
    boolean endRecovered() throws IOException {
        TruncationHistory next = history.end();
        boolean isRecorded = files.writeIfRoom(log.index(), next);
        if (isRecorded) {
            history = next;
        }
        return isRecorded;
    }

    /**
     * Records at open that a truncation is over which a crash has interrupted. On a full disk that
     * is left to the next append: a store has to open there, so that something can be deleted.
     *
     * <p>Where it was lost what was truncated, that counts as an interrupted truncation of
     * everything, with a random number: after any number of losses, and whatever the clock says, no
     * reader has seen it.
     *
     * @return what the partition was truncated to
     */
    static TruncationHistory recover(TopicContext topic, int partition) throws IOException {
        TruncationFiles files = new TruncationFiles(topic.directory());
        TruncationHistory found = files.read(partition);
        if (found.isUnknown()) {
            found =
                    TruncationHistory.afterLoss(
                            new SecureRandom().nextLong(LEAST_AFTER_LOSS, MOST_AFTER_LOSS));
        } else if (found.count() > 0) {
            files.note(partition);
        }
        boolean isRecorded = found.isInProgress() && files.writeIfRoom(partition, found.end());
        return isRecorded ? found.end() : found;
    }
}
