package io.firn.store;

import io.firn.spi.View;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What goes away when nobody reads it any more: views, and the blocks below them. {@link #free} is
 * for any thread, the rest for the background.
 */
final class Releases {
    private static final System.Logger LOG = System.getLogger("io.firn");

    private final PartitionLog log;
    private final List<Waiting> waiting = new ArrayList<>();
    private final Queue<Waiting> handedOver = new ConcurrentLinkedQueue<>();

    Releases(PartitionLog log) {
        this.log = log;
    }

    /** What is done when nobody pins the view; repeated when it fails. */
    @FunctionalInterface
    interface Release {
        /** Nothing but the release of the view. */
        Release NOTHING = () -> {};

        /** Does it. */
        void run() throws IOException;
    }

    /** With the next {@link #run} that finds the view free of pins. */
    void later(View view, Release release) {
        waiting.add(new Waiting(view, release));
    }

    /**
     * Any thread: now when nobody pins the view, else the background does it.
     *
     * @param view retired; null for none
     */
    void free(View view, Release release) {
        Waiting last = new Waiting(view, release);
        try {
            if (last.tryFree()) {
                return;
            }
        } catch (IOException | InternalError e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    log + ": what a move left could not be freed, tried again: " + e.getMessage(),
                    e);
        }
        handedOver.add(last);
        log.store().call(log.upkeep());
    }

    /** Frees what can be freed; returns how much that was. */
    int run() throws IOException {
        for (Waiting next = handedOver.poll(); next != null; next = handedOver.poll()) {
            waiting.add(next);
        }
        if (waiting.isEmpty()) {
            return 0; // in every duty cycle, and an iterator is an allocation
        }
        int freed = 0;
        for (Iterator<Waiting> i = waiting.iterator(); i.hasNext(); ) {
            if (i.next().tryFree()) {
                i.remove();
                freed++;
            }
        }
        return freed;
    }

    boolean isEmpty() {
        return waiting.isEmpty() && handedOver.isEmpty();
    }

    private record Waiting(View view, Release release) {
        /** False while somebody pins the view. */
        boolean tryFree() throws IOException {
            boolean free = view == null || view.tryRelease();
            if (free) {
                release.run();
            }
            return free;
        }
    }
}
