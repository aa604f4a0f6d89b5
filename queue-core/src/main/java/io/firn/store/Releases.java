package io.firn.store;

import io.firn.spi.StorageTier;
import io.firn.spi.View;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What goes away when nobody reads it any more: views, and the blocks below them. Each is tried for
 * itself: one that a medium refuses to delete is reported, and tried again after a pause, while the
 * others go. {@link #free} is for any thread, the rest for the background.
 */
final class Releases extends Duty {
    private final PartitionLog log;
    private final List<Waiting> waiting = new ArrayList<>();
    private final Queue<Waiting> handedOver = new ConcurrentLinkedQueue<>();

    Releases(Duties duties, PartitionLog log) {
        super(duties, log, "releases");
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

    /**
     * With the next {@link #run} that finds the view free of pins.
     *
     * @param view retired; null for none
     * @param tier whose medium is asked; null for none
     */
    void later(View view, StorageTier tier, Release release) {
        waiting.add(new Waiting(view, tier, release));
        call();
    }

    /**
     * Any thread: now when nobody pins the view, else the background does it.
     *
     * @param view retired; null for none
     * @param tier whose medium is asked
     */
    void free(View view, StorageTier tier, Release release) {
        Waiting last = new Waiting(view, tier, release);
        if (last.tryFree()) {
            log.store().onFreed();
            return;
        }
        handedOver.add(last);
        call();
    }

    /** Frees what can be freed; returns how much that was. */
    @Override
    public int run() {
        for (Waiting next = handedOver.poll(); next != null; next = handedOver.poll()) {
            waiting.add(next);
        }
        int freed = 0;
        for (Iterator<Waiting> i = waiting.iterator(); i.hasNext(); ) {
            Waiting next = i.next();
            if (next.backOff.leftNs() <= 0 && next.tryFree()) {
                i.remove();
                freed++;
            }
        }
        if (freed > 0) {
            log.store().onFreed();
        }
        if (!waiting.isEmpty()) {
            againSoon(); // nobody tells when a pin goes
        }
        return freed;
    }

    /** Whether nothing waits for a reader any more, or for a medium that works. */
    boolean isEmpty() {
        return waiting.isEmpty() && handedOver.isEmpty();
    }

    /** Whether all that waits does so for a medium that works: no reader holds it. */
    boolean isStuck() {
        return handedOver.isEmpty() && waiting.stream().allMatch(each -> each.backOff.isFailing());
    }

    private final class Waiting {
        private final View view;
        private final StorageTier tier;
        private final Release release;
        private final BackOff backOff = new BackOff();

        Waiting(View view, StorageTier tier, Release release) {
            this.view = view;
            this.tier = tier;
            this.release = release;
        }

        /** False while somebody pins the view, and when the medium fails. */
        boolean tryFree() {
            try {
                boolean free = view == null || view.tryRelease();
                if (free) {
                    release.run();
                }
                return free;
            } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
                if (tier != null) {
                    log.store().stateOf(tier).noteError(e);
                }
                log.store().attempts().failed(this, e, backOff);
                return false;
            }
        }

        @Override
        public String toString() {
            return tier == null ? log + ": a view" : log + ": a segment in " + tier.name();
        }
    }
}
