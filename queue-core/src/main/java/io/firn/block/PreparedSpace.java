package io.firn.block;

import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.medium.MediumFile.Mapping;
import io.firn.spi.View;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How much of a segment is prepared for stores into memory, which cost a small batch less than a
 * call. The background prepares it ahead of the writer, as far as the {@link SpaceWindow} says, so
 * that a segment begins small.
 *
 * <pre>
 *  0        written       from          done              to
 *  | batches | calls ...   | stores      | being zeroed    | calls ...
 * </pre>
 *
 * <p>Zeros never overwrite a batch (O18): the writer decides the range, above the batch that it
 * appends, and publishes it before the background is called. A batch that would reach into it is
 * back-pressured while the zeros are being written; before that, the writer takes the range back.
 */
public final class PreparedSpace {
    /** Small batches are written by calls until they have so many bytes in a segment. */
    private static final int PREPARE_AFTER = 4096;

    /** The writer is this far away from zeros, so that it seldom meets them. */
    private static final int DISTANCE = 8192;

    private static final int IDLE = 0;
    private static final int WANTED = 1;
    private static final int ZEROING = 2;

    private static final int PIECE = 256 * 1024;

    /** So much is prepared in a run, so that other partitions do not wait for all of it. */
    static final int STEP = 4 << 20;

    /**
     * So much while the writer has plenty left. Where all cores are busy, a run takes the core of
     * the writer: for about 2 ms if the step is whole (measured).
     */
    static final int SMALL_STEP = PIECE;

    /** Between two small steps. */
    static final long PAUSE_MS = 1;

    private final LogSegment segment;
    private final SpaceWindow window;
    private final LogContext store;
    private final AtomicInteger state = new AtomicInteger(IDLE);
    private int called;
    private volatile int from;
    private volatile int done;
    private volatile int to;

    /** Above this position the writer asks for more. */
    private volatile int askAbove;

    public PreparedSpace(LogSegment segment, SpaceWindow window, LogContext store) {
        this.segment = segment;
        this.window = window;
        this.store = store;
        this.done = segment.preparedTo();
        this.to = done;
        this.askAbove = Math.min(done, SpaceWindow.step(window.fixed()));
    }

    // ---- the writer's side

    /** Whether bytes may be stored into memory. */
    public boolean holds(int at, int end) {
        return end <= done && at >= from;
    }

    /**
     * Whether bytes would meet zeros that are being written. If the background has not begun, the
     * range is taken back: the writer does not wait for a background that is busy elsewhere.
     */
    public boolean isZeroed(int at, int end) {
        if (done >= to || at >= to || end <= done) {
            return false;
        }
        if (state.compareAndSet(WANTED, IDLE)) {
            askAbove = done;
            to = done;
        }
        return done < to;
    }

    /** Up to here the writer need not ask for more. */
    public int quietUpTo() {
        return Math.min(askAbove, done);
    }

    public int done() {
        return done;
    }

    /**
     * Notes a batch for which nothing is prepared.
     *
     * @return whether the background is to be called
     */
    public boolean isWantedAfter(int at, int end) {
        if (at < from) {
            return false; // it is prepared further on
        }
        called = Math.min(called + Math.min(end - at, PREPARE_AFTER), PREPARE_AFTER);
        return (called == PREPARE_AFTER || window.isWide()) && want(end);
    }

    /**
     * Asks for more, and decides where, beyond the batch that is appended now.
     *
     * @param end of that batch; zeros must not meet it (O18)
     * @return false when the background is at it already, when enough is prepared, and when the
     *     segment has no more space
     */
    public boolean want(int end) {
        if (state.get() != IDLE || done == segment.capacity() || !begin(end)) {
            return false;
        }
        state.set(WANTED);
        return true;
    }

    /** Decides where; false when enough is prepared. */
    private boolean begin(int batchEnd) {
        int written = segment.written();
        int beyond = Math.min(Math.max(written + DISTANCE, batchEnd), segment.capacity());
        boolean continues = beyond <= done;
        int start = continues ? done : Math.min(pageAfter(beyond), segment.capacity());
        if (start == segment.capacity()) {
            return false;
        }
        int share = store.preparedShare().ofEach();
        int ahead = window.ask(store.clock().time(), written, share);
        askAbove = beyond + SpaceWindow.step(ahead);
        int end = beyond + Math.min(ahead, segment.capacity() - beyond);
        if (end <= start) {
            return false;
        }
        to = Math.min(segment.capacity(), pageAfter(end));
        if (!continues) {
            from = start;
        }
        done = start;
        return true;
    }

    /** Whole pages of memory: a store into one that is partly a hole takes space (O17). */
    static int pageAfter(int position) {
        return (position + Mapping.PAGE - 1) / Mapping.PAGE * Mapping.PAGE;
    }

    // ---- the background's side

    public boolean isWanted() {
        return state.get() == WANTED;
    }

    /** Whether the writer has used up half of what is to be ahead of it: the next step is large. */
    public boolean isUrgent() {
        int written = segment.written();
        return done - written < (to - written) / 2;
    }

    /**
     * Prepares a step of what was decided; more is wanted then if it was not the last. What fails
     * is left to calls.
     */
    public void prepare(boolean durably) throws IOException {
        if (!state.compareAndSet(WANTED, ZEROING)) {
            return; // the writer has taken it back
        }
        int next = WANTED; // after a failure nothing is left to do, but the next try comes later
        boolean goesOn = false;
        try {
            goesOn = zero(durably);
            next = goesOn ? WANTED : IDLE;
        } finally {
            if (!goesOn) {
                to = done;
            }
            state.set(next); // last: from now on the writer decides again
        }
    }

    /** Returns whether there is more to do. */
    private boolean zero(boolean durably) throws IOException {
        int stop = done + Math.min(isUrgent() ? STEP : SMALL_STEP, to - done);
        View view = segment.pin(); // the pages are touched
        try {
            while (done < stop && segment.endOffset() == LogSegment.OPEN) {
                int next = Math.min(stop, done + PIECE);
                segment.block().prepare(done, next, durably);
                done = next;
            }
            return done < to && segment.endOffset() == LogSegment.OPEN;
        } catch (IllegalStateException e) {
            if (segment.endOffset() == LogSegment.OPEN) {
                throw e; // otherwise it was sealed meanwhile
            }
            return false;
        } finally {
            view.unpin();
        }
    }

    /**
     * How far ahead of a partition's writer space is prepared, for the thread that has the turn. It
     * doubles while space is asked for again soon, so that it covers the bursts that a partition
     * has; and halves when that has taken long. A partition never prepares more by itself than it
     * has appended, or than its share.
     */
    public static final class SpaceWindow {
        static final int SMALLEST = 64 * 1024;

        /** When space is asked for again so soon, it lasts for less than a second. */
        private static final int SOON_MS = 100;

        private static final int LONG_MS = 10_000;

        private int fixed;
        private int grown = SMALLEST;
        private long askedMs;
        private long appendedBefore;

        /**
         * Goes to another segment.
         *
         * @param bytes what was appended to the last one
         * @param fixedBytes what the topic's options want to have prepared
         */
        public void roll(int bytes, int fixedBytes) {
            appendedBefore += bytes;
            fixed = fixedBytes;
        }

        /** The bytes that are to be prepared ahead whatever the rate is. */
        public int fixed() {
            return fixed;
        }

        /** Whether it is known that more than the least is needed. */
        boolean isWide() {
            return fixed > 0 || grown > SMALLEST;
        }

        /**
         * Space is asked for.
         *
         * @param written what was appended to this segment
         * @param share what the partition may prepare by itself
         * @return the bytes that are to be prepared ahead
         */
        int ask(long nowMs, int written, int share) {
            long since = nowMs - askedMs;
            long next = since < SOON_MS ? 2L * grown : since > LONG_MS ? grown / 2 : grown;
            long most = Math.min(share, appendedBefore + written);
            grown = (int) Math.max(SMALLEST, Math.min(most, next));
            askedMs = nowMs;
            return Math.max(fixed, grown);
        }

        /** After so many bytes of those prepared ahead, more are asked for. */
        static int step(int ahead) {
            return Math.max(SMALLEST / 2, ahead / 8);
        }
    }
}
