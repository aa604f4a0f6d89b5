package io.firn.log;

import io.firn.background.Signal;
import io.firn.host.VisibleListener;
import io.firn.medium.GuardedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Who waits for the visible end of a partition to move: threads in its tailers, tailers over
 * several partitions of its topic, and listeners. Thread-safe.
 *
 * <p>The thread that moves the end calls {@link #begin} before and {@link #tell} after it.
 */
public final class WaitingReaders {
    private static final GuardedLog LOG = GuardedLog.get();

    private final SegmentedLog log;
    private final TopicTailers tailers;
    private final Signal published = new Signal();

    /** Taken inside of an append by a listener that removes itself, so under no other lock. */
    private final Object changing = new Object();

    private volatile VisibleListener[] listeners = {};

    /** For one thread to change: who tells has the turn to append. */
    private volatile boolean isTelling;

    WaitingReaders(SegmentedLog log) {
        this.log = log;
        this.tailers = log.topic().tailers();
    }

    /** Lets tailers of the topic know that the end is about to move. */
    public void begin() {
        tailers.begin(log.index());
    }

    /** Wakes the threads that wait. */
    void wake() {
        tailers.end(log.index());
        published.wake();
    }

    /** Wakes the threads that wait, and calls the listeners. */
    public void tell() {
        wake();
        tellListeners();
    }

    /** Tells the listeners, after the others were woken. */
    void tellListeners() {
        VisibleListener[] told = listeners;
        if (told.length > 0) {
            isTelling = true;
            tell(told);
            isTelling = false;
        }
    }

    private void tell(VisibleListener[] told) {
        for (VisibleListener listener : told) {
            try {
                listener.onVisible();
            } catch (Throwable e) {
                // The records are there, whatever a listener does.
                LOG.log(System.Logger.Level.ERROR, log + ": a VisibleListener failed", e);
            }
        }
    }

    /** Returns whether listeners are being told. */
    boolean isTelling() {
        return isTelling;
    }

    /** Returns whether there are listeners, which are called for each new end. */
    public boolean hasListeners() {
        return listeners.length > 0;
    }

    /** Returns what wakes threads that wait for records of this partition. */
    public Signal published() {
        return published;
    }

    /** Adds a listener. */
    public void add(VisibleListener listener) {
        Objects.requireNonNull(listener, "listener");
        synchronized (changing) {
            List<VisibleListener> now = new ArrayList<>(List.of(listeners));
            now.add(listener);
            listeners = now.toArray(new VisibleListener[0]);
        }
        log.store().noteListener();
    }

    /** Removes a listener. */
    public void remove(VisibleListener listener) {
        Objects.requireNonNull(listener, "listener");
        synchronized (changing) {
            List<VisibleListener> now = new ArrayList<>(List.of(listeners));
            now.remove(listener);
            listeners = now.toArray(new VisibleListener[0]);
        }
    }
}
