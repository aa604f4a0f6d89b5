package io.firn.log;

import io.firn.host.VisibleListener;
import io.firn.medium.GuardedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The listeners that are told when readers see more of a partition. Thread-safe. */
final class VisibleListeners {
    private static final GuardedLog LOG = GuardedLog.get();

    private final Object partition;

    /** Taken inside of an append by a listener that removes itself, so under no other lock. */
    private final Object changing = new Object();

    private volatile VisibleListener[] all = {};

    /** For one thread to change: who tells has the turn to append. */
    private volatile boolean isTelling;

    /**
     * Creates an empty list.
     *
     * @param partition named when a listener fails
     */
    VisibleListeners(Object partition) {
        this.partition = partition;
    }

    void add(VisibleListener listener) {
        Objects.requireNonNull(listener, "listener");
        synchronized (changing) {
            List<VisibleListener> now = new ArrayList<>(List.of(all));
            now.add(listener);
            all = now.toArray(new VisibleListener[0]);
        }
    }

    void remove(VisibleListener listener) {
        Objects.requireNonNull(listener, "listener");
        synchronized (changing) {
            List<VisibleListener> now = new ArrayList<>(List.of(all));
            now.remove(listener);
            all = now.toArray(new VisibleListener[0]);
        }
    }

    boolean isEmpty() {
        return all.length == 0;
    }

    /** Whether they are being told. */
    boolean isTelling() {
        return isTelling;
    }

    /** Tells all of them; one that fails is logged. */
    void tell() {
        VisibleListener[] told = all;
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
                LOG.log(System.Logger.Level.ERROR, partition + ": a VisibleListener failed", e);
            }
        }
    }
}
