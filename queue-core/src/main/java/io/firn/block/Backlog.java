package io.firn.block;

import io.firn.Finding.Kind;
import io.firn.TopicOptions;
import io.firn.findings.FindingKey;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the background has still to do for segments that were rolled: to seal them, to bring them
 * into their final form, to look whether retention keeps them, and to delete those that it does
 * not. While that is more than the limit, no further block is reserved, so that appends wait: a
 * medium that is slower than its producers would otherwise be filled with segments that nothing may
 * delete yet. Work that fails, and segments that are still read, are not waited for. Thread-safe.
 */
public final class Backlog {
    /** The limit, unless a segment has more bytes. */
    private static final long MOST_BYTES = 64 << 20;

    private static final long LEAST_BYTES = 1 << 20;

    /** The limit is at most this part (a tenth) of what retention keeps. */
    private static final int PART_OF_RETENTION = 10;

    /** Appends that wait now and then for so long are a finding. */
    private static final long SLOW_MS = 5_000;

    /** After so long without one that waits, it ends. */
    private static final long QUIET_MS = 10_000;

    private static final long LOOK_MS = 1_000;

    private final SegmentedLog log;
    private final FindingKey behind;
    private Runnable onRoom = () -> {};

    /** Retention has looked at the segments up to here, and they have their final form. */
    private volatile long settledEnd;

    private volatile boolean sealsFail;
    private volatile boolean retentionFails;
    private final AtomicLong deletingBytes = new AtomicLong();
    private volatile boolean holdsBack;

    // For the duty that reserves blocks.
    private long firstWaitMs;
    private long lastWaitMs = Long.MIN_VALUE;
    private boolean waited;
    private boolean isTold;

    /** Creates it for a log whose segments, as they were found at open, are no backlog. */
    public Backlog(SegmentedLog log) {
        this.log = log;
        this.settledEnd = log.nextOffset();
        this.behind = FindingKey.of(Kind.BACKGROUND_BEHIND, log.subject());
    }

    /** Sets what is called when blocks may be reserved again; once, before duties run. */
    public void onRoom(Runnable told) {
        onRoom = told;
    }

    /** Returns the bytes of segments that the background has not done with. */
    public long bytes() {
        long bytes = deletingBytes.get();
        LogSegment[] all = log.segments();
        for (int i = all.length - 1; i >= 0 && !isSettled(all[i]); i--) {
            bytes += all[i].endOffset() == LogSegment.OPEN ? 0 : all[i].written();
        }
        return bytes;
    }

    private boolean isSettled(LogSegment segment) {
        return segment.isSealed()
                && (sealsFail || retentionFails || segment.endOffset() <= settledEnd);
    }

    private long limit() {
        TopicOptions options = log.topic().options();
        long most = Math.max(MOST_BYTES, log.topic().segmentBytes());
        OptionalLong kept = options.retentionBytes();
        return kept.isPresent() && options.cleanup().isDeleting()
                ? Math.max(LEAST_BYTES, Math.min(most, kept.getAsLong() / PART_OF_RETENTION))
                : most;
    }

    // ---- for the duty that reserves blocks

    /** Whether no block is to be reserved now; when that changes, it is called. */
    boolean holdsBack() {
        holdsBack = true; // before the look: what changes after it finds this
        holdsBack = bytes() > limit();
        return holdsBack;
    }

    /**
     * Notes whether an append waits because of it.
     *
     * @return when to look again
     */
    long note(boolean waits, long nowMs) {
        if (waits) {
            firstWaitMs = !waited && isQuiet(nowMs) ? nowMs : firstWaitMs;
            waited = true;
            lastWaitMs = nowMs;
            if (nowMs - firstWaitMs >= SLOW_MS) {
                isTold = true;
                log.store().findings().begin(behind, text());
            }
            return nowMs + LOOK_MS;
        }
        waited = false;
        if (isTold && isQuiet(nowMs)) {
            end();
        }
        return isTold ? lastWaitMs + QUIET_MS : Long.MAX_VALUE;
    }

    private boolean isQuiet(long nowMs) {
        return nowMs < lastWaitMs || nowMs - QUIET_MS >= lastWaitMs;
    }

    private String text() {
        return log
                + ": appends wait because segments are filled faster than they are sealed and"
                + " deleted: "
                + bytes()
                + " bytes, at most "
                + limit()
                + " expected; use a faster medium, or append less";
    }

    /** Ends the finding. */
    void end() {
        isTold = false;
        log.store().findings().end(behind);
    }

    // ---- for the duties that work it off

    /** A segment was sealed. */
    public void onSealed() {
        look();
    }

    /** All that was sealed has its final form, or some of it could not get it. */
    public void onFinishing(boolean failed) {
        sealsFail = failed;
        look();
    }

    /** Retention has looked at all segments, or could not. */
    public void onRetention(boolean failed) {
        retentionFails = failed;
        LogSegment[] all = log.segments();
        int i = all.length - 1;
        while (i >= 0 && !(all[i].isSealed() && all[i].block().isFinished())) {
            i--;
        }
        settledEnd = i < 0 ? -1 : all[i].endOffset();
        look();
    }

    /** Bytes are to be deleted. */
    void onRetired(long bytes) {
        deletingBytes.addAndGet(bytes);
    }

    /** They were deleted, or are read, or could not be deleted. */
    void onDeletionTried(long bytes) {
        if (bytes != 0) {
            deletingBytes.addAndGet(-bytes);
            look();
        }
    }

    private void look() {
        if (holdsBack && bytes() <= limit()) {
            onRoom.run();
        }
    }
}
