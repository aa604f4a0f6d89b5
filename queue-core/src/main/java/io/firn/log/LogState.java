package io.firn.log;

import io.firn.ClosedException;
import io.firn.Finding.Kind;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.PoisonedException;
import io.firn.UnknownTopicException;
import io.firn.findings.FindingKey;
import io.firn.findings.Findings;
import io.firn.findings.Subject;
import java.util.concurrent.atomic.AtomicInteger;

/** Which operations a partition allows, and the error for the others. Thread-safe. */
public final class LogState {
    private enum State {
        OPEN,
        /** Open, but for records without a key: the topic is compacted. */
        NEEDS_KEYS,
        /** The medium failed, or the thread that forces has ended: reads only. */
        POISONED,
        /** No more appends; what has been appended is being forced. */
        CLOSING,
        DELETED,
        CLOSED
    }

    private final Subject partition;
    private final Findings findings;
    private final FindingKey poisoned;
    private final Object retaining = new Object();
    private volatile State state = State.OPEN;

    /**
     * The same for records without a key, so that their appends look at one field, as others do.
     */
    private volatile State stateForKeyless = State.OPEN;

    private volatile boolean movesPaused;
    private volatile boolean compactionHeld;
    private final AtomicInteger moves = new AtomicInteger();
    private volatile PoisonedException poison;

    /**
     * The store is being closed; a poisoned partition stays one, and its moves end all the same.
     */
    private volatile boolean closing;

    LogState(Subject partition, Findings findings) {
        this.partition = partition;
        this.findings = findings;
        this.poisoned = FindingKey.of(Kind.PARTITION_POISONED, partition);
    }

    /**
     * The lock that retention holds from when it looks how far cursors have come until it has
     * raised the log start, and that a cursor takes which goes back: then retention has either
     * raised the start before that returns, or it sees the new position (O24). Taken before the
     * locks of cursors.
     */
    public Object retaining() {
        return retaining;
    }

    /** Throws when appends are not allowed. */
    public void checkWritable() {
        if (state != State.OPEN) {
            throw refusal();
        }
    }

    /** Throws when a wait for a force would not end. */
    public void checkForceable() {
        if (poison != null || isGone()) {
            throw refusal();
        }
    }

    /** Throws when nothing can be read; a poisoned partition can. */
    public void checkReadable() {
        if (isGone()) {
            throw refusal();
        }
    }

    /** Throws when records without a key must not be appended. */
    public void checkTakesKeyless() {
        if (stateForKeyless != State.OPEN) {
            checkWritable();
            throw new InvalidOptionException(
                    partition
                            + " is compacted, so that each record needs a key: append it with one"
                            + " (append(key, value), or a batch); it has none, and nothing is"
                            + " appended");
        }
    }

    /** Says whether each record needs a key. */
    public synchronized void needKeys(boolean needsKeys) {
        if (state == State.OPEN) {
            stateForKeyless = needsKeys ? State.NEEDS_KEYS : State.OPEN;
        }
    }

    private void become(State next) {
        state = next;
        stateForKeyless = next;
    }

    public boolean isWritable() {
        return state == State.OPEN;
    }

    /** Throws when no move may begin. */
    public void checkMovable() {
        if (!mayMove()) {
            throw refusal();
        }
    }

    /**
     * Whether sealed segments may be moved; a poisoned partition is still read, so its segments may
     * be.
     */
    public boolean mayMove() {
        return !closing && !movesPaused && (state == State.OPEN || state == State.POISONED);
    }

    /** Makes moves give up, and refuses others; the log is being truncated. */
    public void pauseMoves() {
        movesPaused = true;
    }

    /** Allows moves again. */
    public void resumeMoves() {
        movesPaused = false;
    }

    /** Whether moves are refused for a while. */
    public boolean areMovesPaused() {
        return movesPaused;
    }

    /** Makes a compaction give up, and lets none begin, until {@link #releaseCompaction}. */
    public void holdCompaction() {
        compactionHeld = true;
    }

    public void releaseCompaction() {
        compactionHeld = false;
    }

    /** Whether the log may be compacted: not while a backup copies it. */
    public boolean mayCompact() {
        return mayMove() && !compactionHeld;
    }

    /** Called before a move looks at anything: close and deletion wait for its end. */
    public void beginMove() {
        moves.incrementAndGet();
    }

    public void endMove() {
        moves.decrementAndGet();
    }

    /** Moves in progress. */
    public int moves() {
        return moves.get();
    }

    public boolean isPoisoned() {
        return poison != null;
    }

    /** Why it is poisoned; null when it is not. */
    public PoisonedException poison() {
        return poison;
    }

    /** Says why it is poisoned, if it is. */
    public void throwPoison() {
        PoisonedException first = poison;
        if (first != null) {
            throw new PoisonedException(first.getMessage(), first);
        }
    }

    public boolean isGone() {
        State now = state;
        return now == State.CLOSED || now == State.DELETED;
    }

    /**
     * Notes why nothing can be appended any more; the first reason is reported.
     *
     * @param what what happened
     * @param todo what the user can do first; empty for nothing
     */
    public synchronized PoisonedException poison(
            String what, String todo, Throwable cause, long durableOffset) {
        boolean isFirst = poison == null;
        PoisonedException why = poisonWithStore(poisonText(what, todo, durableOffset), cause);
        if (isFirst && !isGone()) {
            findings.begin(poisoned, why.getMessage(), cause);
        }
        return why;
    }

    private static String poisonText(String what, String todo, long durableOffset) {
        return what
                + "; records below "
                + durableOffset
                + " are durable and stay readable, later ones were not acknowledged; "
                + todo
                + "open the store again";
    }

    /** As {@link #poison}, for a reason that another finding gives for all partitions. */
    PoisonedException poisonWithStore(String what, Throwable cause, long durableOffset) {
        return poisonWithStore(poisonText(what, "", durableOffset), cause);
    }

    /** The same, with all that there is to say. */
    synchronized PoisonedException poisonWithStore(String told, Throwable cause) {
        if (poison == null) {
            poison = new PoisonedException(partition + ": " + told, cause);
        }
        if (state == State.OPEN) {
            become(State.POISONED); // also if the first call had no stack left to do it
        }
        return poison;
    }

    public synchronized void markClosing() {
        closing = true;
        if (state == State.OPEN) {
            become(State.CLOSING);
        }
    }

    /** Ends everything; returns the error that all calls throw from then on. */
    synchronized FirnException markGone(boolean deleted) {
        if (!isGone()) {
            become(deleted ? State.DELETED : State.CLOSED);
        }
        return refusal();
    }

    private FirnException refusal() {
        PoisonedException first = poison;
        return switch (state) {
            case DELETED ->
                    new UnknownTopicException("topic " + partition.topic() + " was deleted");
            case CLOSED -> closed();
            default -> first == null ? closed() : new PoisonedException(first.getMessage(), first);
        };
    }

    private ClosedException closed() {
        return new ClosedException("the store of " + partition + " is closed");
    }
}
