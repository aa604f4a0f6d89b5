package io.firn.shadow;

/**
 * Finds out that a transaction is open in the copy of which the source has deleted the end. A
 * compaction removes the marker of a transaction when none of its records are left and {@code
 * delete.retention.ms} have passed. If they were copied before, and the marker was not, readers of
 * committed records would wait for it for ever. For one thread at a time.
 *
 * <p>Every transaction that begins below the last stable offset of the source has ended, by a
 * marker below its high watermark. A broker does not tell both as of one moment, so that the high
 * watermark of the next answer counts: when all below it is copied, and the transaction is still
 * open here, its marker is gone.
 */
final class LostMarkers {
    private static final long NONE = -1;

    private final FollowContext context;
    private final PartitionCopy copy;
    private final FollowEvents events;

    private long first = NONE;
    private long goneAt = NONE;
    private boolean hasEnded;
    private long toldOf = NONE;
    private String message;

    LostMarkers(FollowContext context, PartitionCopy copy, FollowEvents events) {
        this.context = context;
        this.copy = copy;
        this.events = events;
    }

    /** Takes what an answer of the source says. */
    void answered(long lastStableOffset, long highWatermark) {
        if (hasEnded && goneAt == NONE) {
            goneAt = highWatermark;
        }
        hasEnded |= first != NONE && lastStableOffset > first;
    }

    /** Forgets what a source has said whose batches may be others. */
    void forget() {
        open(NONE);
    }

    /** What became of the copy. */
    enum Found {
        NOTHING,
        /** The copy was truncated. */
        TRUNCATED,
        /** A marker is lost, and nothing was done: {@link #message}. */
        LOST
    }

    /**
     * Looks whether a marker is lost, after an answer was appended. The source shows nothing of
     * such a transaction, whether it was committed or aborted, and nobody can tell which. So the
     * copy does not decide it either: it takes from there on what the source still has, if that is
     * wanted. Otherwise it stops, and readers that wait for the transaction are told.
     */
    Found look() {
        long firstOpen = copy.firstOpen();
        if (firstOpen != first) {
            open(firstOpen);
        }
        long end = copy.nextOffset();
        if (first == NONE || goneAt == NONE || end < goneAt) {
            return Found.NOTHING;
        }
        String found =
                "the transaction that begins at offset "
                        + first
                        + " has ended at the source, which has compacted away its marker before it"
                        + " was copied";
        boolean isNew = first != toldOf;
        toldOf = first; // once: a source that contradicts itself would be copied for ever
        if (isNew && context.onDivergence() == OnDivergence.TRUNCATE) {
            copy.truncate(first);
            events.truncated(copy.nextOffset(), end, found);
            return Found.TRUNCATED;
        }
        message = events.lostMarker(first, end, found);
        copy.endIsLost(first, message);
        return Found.LOST;
    }

    /** Returns what was told of the marker that is lost. */
    String message() {
        return message;
    }

    private void open(long firstOpen) {
        first = firstOpen;
        hasEnded = false;
        goneAt = NONE;
    }
}
