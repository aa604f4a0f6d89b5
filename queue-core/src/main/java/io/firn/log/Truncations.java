package io.firn.log;

import io.firn.metadata.CutFiles;
import io.firn.metadata.Cuts;
import java.io.IOException;
import java.security.SecureRandom;

/**
 * What a replicated log was truncated to. A reader remembers how many truncations it has seen, so
 * that it never takes new records for those that it stood before. Changed by one thread at a time;
 * any thread may read.
 *
 * <p>In the file of the partition a truncation is durable before any of it can be seen (O29), so
 * that readers in other processes, and those that come back after a crash, find out as well.
 */
public final class Truncations {
    private static final long LEAST_AFTER_LOSS = 1L << 40; // more than anybody counts up to
    private static final long MOST_AFTER_LOSS = 1L << 62;

    private final CutFiles files;
    private final int partition;
    private volatile Cuts cuts;

    /** The same and a truncation whose end is being shown, which readers do not count yet. */
    private volatile Cuts coming;

    Truncations(CutFiles files, int partition, Cuts cuts) {
        this.files = files;
        this.partition = partition;
        this.cuts = cuts;
        this.coming = cuts;
    }

    /** Returns how many there were. */
    public long count() {
        return cuts.count();
    }

    /** Returns the lowest offset of those after the first ones, see {@link Cuts#lowestSince}. */
    public long lowestSince(long seen) {
        return cuts.lowestSince(seen);
    }

    /**
     * Records that a truncation begins; durable on return.
     *
     * @return what readers are to be shown with the new end, see {@link #show}
     */
    public Cuts begin(long offset) throws IOException {
        Cuts next = cuts.begin(offset);
        files.write(partition, next);
        return next;
    }

    /**
     * As {@link #lowestSince}, also of a truncation that is being shown. A reader asks when its
     * offset is above the end: that is lowered first, so that who counts a truncation never takes
     * the end from before it for the new one.
     */
    public long lowestToComeSince(long seen) {
        return coming.lowestSince(seen);
    }

    /** Before readers can see anything of a truncation. */
    void announce(Cuts next) {
        coming = next;
    }

    /** Tells readers. */
    void show(Cuts next) {
        cuts = next;
    }

    /** Records that the last one is over; durable on return. */
    public void end() throws IOException {
        Cuts next = cuts.end();
        files.write(partition, next);
        cuts = next;
    }

    /**
     * Returns whether a truncation is in progress, or is over and its file does not say so. Readers
     * in other processes are held below it meanwhile.
     */
    public boolean isInProgress() {
        return cuts.isInProgress();
    }

    /**
     * Records before an append that a truncation is over for which {@link #recover} found no space.
     *
     * @return false when there still is none
     */
    public boolean endRecovered() throws IOException {
        Cuts next = cuts.end();
        boolean isRecorded = files.writeIfRoom(partition, next);
        if (isRecorded) {
            cuts = next;
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
     */
    public static Cuts recover(CutFiles files, int partition) throws IOException {
        Cuts found = files.read(partition);
        if (found.isUnknown()) {
            found = Cuts.afterLoss(new SecureRandom().nextLong(LEAST_AFTER_LOSS, MOST_AFTER_LOSS));
        } else if (found.count() > 0) {
            files.note(partition);
        }
        boolean isRecorded = found.isInProgress() && files.writeIfRoom(partition, found.end());
        return isRecorded ? found.end() : found;
    }
}
