package io.firn.background;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.concurrent.GuardedBy;

/**
 * The tailers of a read-only store that have waited long for records. Nothing in this process wakes
 * them, and a thread that wakes by itself a hundred times a second costs more than its looks: one
 * thread looks for all of them. Thread-safe.
 */
public final class LongWaits {
    private static final long LOOK_EVERY_NS = 10_000_000;

    /** Looks take at most this part of the time, where there is much to look at. */
    private static final int COST_SHARE = 400;

    private static final long LONGEST_PAUSE_NS = 250_000_000;

    /** A tailer looks for itself after this time, should the thread that looks have ended. */
    private static final long BY_ITSELF_NS = 60_000_000_000L;

    @GuardedBy("this")
    private Place first;

    @GuardedBy("this")
    private boolean closed;

    private volatile boolean isEmpty = true;

    /** The thread that looks; null before its first look. */
    private volatile Thread looker;

    private volatile long nextNs = System.nanoTime();

    /** What a tailer waits for. */
    public interface News {
        /**
         * Whether a poll would find something, also an error. Called by one thread at a time, the
         * one that waits or the one that looks, and only while the tailer waits.
         */
        boolean isThere();
    }

    /** A tailer's place in the list, used again for each of its waits. */
    public static final class Place {
        private final News news;

        @GuardedBy("this")
        private Thread waiting;

        // Of the list.
        private Place before;
        private Place after;

        /** Creates the place of a tailer. */
        public Place(News news) {
            this.news = news;
        }

        private synchronized void begin() {
            waiting = Thread.currentThread();
        }

        private synchronized boolean isNewsThere() {
            return news.isThere();
        }

        /** After this the tailer is not looked for. */
        private synchronized void end() {
            waiting = null;
        }

        /** Wakes the tailer if there is news, or in any case; it may have gone on already. */
        private synchronized void look(boolean inAnyCase) {
            if (waiting != null && (inAnyCase || hasNewsOrFails())) {
                LockSupport.unpark(waiting);
            }
        }

        @GuardedBy("this")
        private boolean hasNewsOrFails() {
            try {
                return news.isThere();
            } catch (RuntimeException | InternalError e) {
                return true; // its own poll will throw it
            }
        }
    }

    // ---- tailers

    /**
     * Waits until there is news, the time is over or the thread is interrupted; or shorter.
     *
     * @param place of the caller's tailer
     */
    void await(Place place, long mostNs) {
        boolean isFirst = isEmpty;
        if (!enter(place)) {
            return;
        }
        try {
            if (isFirst) {
                LockSupport.unpark(looker); // it may rest for longer
            }
            // After it is in the list: what comes from now on is seen by the thread that looks.
            if (!place.isNewsThere()) {
                LockSupport.parkNanos(this, Math.min(mostNs, BY_ITSELF_NS));
            }
        } finally {
            leave(place);
        }
    }

    private synchronized boolean enter(Place place) {
        if (closed) {
            return false;
        }
        place.begin();
        place.before = null;
        place.after = first;
        if (first != null) {
            first.before = place;
        }
        first = place;
        isEmpty = false;
        return true;
    }

    private void leave(Place place) {
        place.end();
        remove(place);
    }

    private synchronized void remove(Place place) {
        if (place.before == null) {
            first = place.after;
        } else {
            place.before.after = place.after;
        }
        if (place.after != null) {
            place.after.before = place.before;
        }
        isEmpty = first == null;
    }

    // ---- the thread that looks

    /** Whether no tailer waits long. */
    boolean isEmpty() {
        return isEmpty;
    }

    /** The time until the next look, in ns. */
    long untilLookNs() {
        return nextNs - System.nanoTime();
    }

    /** Looks for all, if it is time, and wakes those that have news. */
    void look() {
        looker = Thread.currentThread();
        if (isEmpty) {
            return;
        }
        long now = System.nanoTime();
        if (now - nextNs < 0) {
            return;
        }
        wake(false);
        long cost = System.nanoTime() - now;
        nextNs = now + Math.min(LONGEST_PAUSE_NS, Math.max(LOOK_EVERY_NS, COST_SHARE * cost));
    }

    /** Without the list's lock: a look may tell listeners, which may wait for other tailers. */
    private void wake(boolean all) {
        for (Place place : list()) {
            place.look(all);
        }
    }

    private synchronized List<Place> list() {
        List<Place> all = new ArrayList<>();
        for (Place place = first; place != null; place = place.after) {
            all.add(place);
        }
        return all;
    }

    /** Ends all waits; from now on none begins. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        wake(true);
    }
}
