package io.firn.read;

import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.spi.VerifiedRange;
import io.firn.spi.View;

/**
 * Which bytes of the segment that a reader has pinned need no CRC check: those that any reader of
 * this process has verified through the same view, and those that this process has stored. What
 * this reader verifies is shared when it leaves the segment, since a store for each batch would
 * slow down those that read the same one. Not thread-safe.
 *
 * <p>And of which bytes a reader of whole batches need not look at the headers: all of these, and
 * those that one has walked over through the same view.
 *
 * <p>Nothing is trusted
 *
 * <ul>
 *   <li>where another process may change the bytes: in a segment that it has not sealed yet, its
 *       recovery may replace the end after a crash (a copy of a block that may be reused is always
 *       verified, and never comes here);
 *   <li>in a poisoned partition: after a force that failed, the medium may still have what it had
 *       before, and the page cache may fetch that again;
 *   <li>in a store that verifies every read.
 * </ul>
 */
final class TrustedBytes {
    private final SegmentedLog log;
    private final boolean never;
    private VerifiedRange shared;
    private boolean isAllowed;
    private int sharedFrom;
    private int sharedTo;

    /** What this reader has verified. */
    private int from;

    private int to;
    private boolean hasGrown;

    private VerifiedRange walked;

    TrustedBytes(SegmentedLog log) {
        this.log = log;
        this.never = log.store().verifiesEveryRead();
    }

    /** Begins to read a segment whose view was pinned. */
    void enter(LogSegment segment, View view) {
        VerifiedRange verified = view.verified();
        isAllowed = !never && !isForeign(segment) && !log.state().isPoisoned();
        if (verified != shared || !isAllowed) {
            shared = verified;
            from = 0;
            to = 0;
        }
        long range = isAllowed ? verified.get() : 0;
        sharedFrom = VerifiedRange.from(range);
        sharedTo = VerifiedRange.to(range);
        walked = view.walked();
    }

    private static boolean isForeign(LogSegment segment) {
        return segment.isFollowed() && !segment.isSealed();
    }

    /** Returns whether a batch needs no CRC check. */
    boolean contain(int position, int end) {
        return (position >= sharedFrom && end <= sharedTo) || (position >= from && end <= to);
    }

    /** Adds a batch that was verified. */
    void add(int position, int end) {
        if (isAllowed) {
            from = position == to ? from : position;
            to = end;
            hasGrown = true;
        }
    }

    /** Shares what was verified. */
    void leave() {
        if (hasGrown) {
            hasGrown = false;
            shared.add(from, to);
        }
    }

    /**
     * Returns the position up to which no header need be looked at again, from the start of a batch
     * on; the start itself when its own header has to be.
     */
    int walkedTo(int start) {
        if (!isAllowed) {
            return start;
        }
        long range = walked.get();
        int end = reach(sharedFrom, sharedTo, start);
        end = reach(VerifiedRange.from(range), VerifiedRange.to(range), end);
        return reach(sharedFrom, sharedTo, end);
    }

    private static int reach(int rangeFrom, int rangeTo, int position) {
        return position >= rangeFrom ? Math.max(position, rangeTo) : position;
    }

    /** Adds and shares batches whose headers were looked at in order. */
    void addWalked(int start, int end) {
        if (isAllowed && end > walkedTo(start)) {
            walked.add(start, end);
        }
    }
}
