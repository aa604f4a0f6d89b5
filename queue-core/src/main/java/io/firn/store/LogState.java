package io.firn.store;

import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.PoisonedException;
import io.firn.UnknownTopicException;

/** Which operations a partition allows, and the error for the others. Thread-safe. */
final class LogState {
    private static final System.Logger LOG = System.getLogger("io.firn");

    private enum State {
        OPEN,
        /** The medium failed, or the thread that forces has ended: reads only. */
        POISONED,
        /** No more appends; what has been appended is being forced. */
        CLOSING,
        DELETED,
        CLOSED
    }

    private final String topic;
    private final String partition;
    private volatile State state = State.OPEN;
    private volatile PoisonedException poison;

    LogState(String topic, int index) {
        this.topic = topic;
        this.partition = topic + "-" + index;
    }

    /** Throws when appends are not allowed. */
    void checkWritable() {
        if (state != State.OPEN) {
            throw refusal();
        }
    }

    /** Throws when a wait for a force would not end. */
    void checkForceable() {
        if (poison != null || isGone()) {
            throw refusal();
        }
    }

    /** Throws when nothing can be read; a poisoned partition can. */
    void checkReadable() {
        if (isGone()) {
            throw refusal();
        }
    }

    boolean isWritable() {
        return state == State.OPEN;
    }

    /** Throws when no move may begin. */
    void checkMovable() {
        if (!mayMove()) {
            throw refusal();
        }
    }

    /**
     * Whether sealed segments may be moved; a poisoned partition is still read, so its segments may
     * be.
     */
    boolean mayMove() {
        return state == State.OPEN || state == State.POISONED;
    }

    boolean isPoisoned() {
        return poison != null;
    }

    /** Why it is poisoned; null when it is not. */
    PoisonedException poison() {
        return poison;
    }

    /** Says why it is poisoned, if it is. */
    void throwPoison() {
        PoisonedException first = poison;
        if (first != null) {
            throw new PoisonedException(first.getMessage(), first);
        }
    }

    boolean isGone() {
        State now = state;
        return now == State.CLOSED || now == State.DELETED;
    }

    /**
     * Notes why nothing can be appended any more; the first reason is reported.
     *
     * @param what what happened
     * @param todo what the user can do first; empty for nothing
     */
    synchronized PoisonedException poison(
            String what, String todo, Throwable cause, long durableOffset) {
        if (poison == null) {
            poison =
                    new PoisonedException(
                            partition
                                    + ": "
                                    + what
                                    + "; records below "
                                    + durableOffset
                                    + " are durable and stay readable, later ones were not"
                                    + " acknowledged; "
                                    + todo
                                    + "open the store again",
                            cause);
            if (state == State.OPEN) {
                state = State.POISONED;
            }
            LOG.log(System.Logger.Level.ERROR, poison.getMessage(), cause);
        }
        return poison;
    }

    synchronized void markClosing() {
        if (state == State.OPEN) {
            state = State.CLOSING;
        }
    }

    /** Ends everything; returns the error that all calls throw from then on. */
    synchronized FirnException markGone(boolean deleted) {
        if (!isGone()) {
            state = deleted ? State.DELETED : State.CLOSED;
        }
        return refusal();
    }

    private FirnException refusal() {
        PoisonedException first = poison;
        return switch (state) {
            case DELETED -> new UnknownTopicException("topic " + topic + " was deleted");
            case CLOSED -> closed();
            default -> first == null ? closed() : new PoisonedException(first.getMessage(), first);
        };
    }

    private ClosedException closed() {
        return new ClosedException("the store of " + partition + " is closed");
    }
}
