package io.firn.server;

import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.StoreMetrics.Drain;
import io.firn.StoreMetrics.TierMetrics;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.annotation.concurrent.GuardedBy;

/**
 * Drains tiers on a thread of its own, which exists while one is drained. What fails is tried again
 * every minute. A drain that a restart has interrupted is continued. Thread-safe.
 */
final class TierDrains implements TiersMXBean, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final long AGAIN_MS = 60_000;

    private final LogStore store;
    private final Map<String, String> failures = new ConcurrentHashMap<>();
    private volatile boolean isClosed;

    @GuardedBy("this")
    private Thread thread;

    TierDrains(LogStore store) {
        this.store = store;
        ensureThread();
    }

    @Override
    public Map<String, String> getDrains() {
        Map<String, String> drains = new TreeMap<>();
        for (TierMetrics tier : store.metrics().tiers()) {
            String failure = failures.get(tier.label());
            boolean isWaiting = failure != null && tier.drain() == Drain.IN_PROGRESS;
            drains.put(tier.label(), tier.drain() + (isWaiting ? ": " + failure : ""));
        }
        return drains;
    }

    @Override
    public void drain(String tier) {
        // Begins it, durably, and moves nothing.
        call(() -> store.drain(tier, (copied, total, next) -> MoveControl.CANCEL));
        failures.remove(tier);
        ensureThread();
    }

    @Override
    public void cancelDrain(String tier) {
        call(() -> store.cancelDrain(tier));
    }

    /** A client of JMX does not have Firn's exceptions. */
    private static void call(Runnable change) {
        try {
            change.run();
        } catch (FirnException | InvalidOptionException e) {
            throw new IllegalStateException(e.getMessage());
        }
    }

    private synchronized void ensureThread() {
        if (isClosed || !isAnyInProgress()) {
            return;
        }
        if (thread == null) {
            thread = new Thread(this::run, "firn-drain");
            thread.setDaemon(true);
            thread.start();
        }
        notifyAll(); // another tier
    }

    private boolean isAnyInProgress() {
        return store.metrics().tiers().stream().anyMatch(t -> t.drain() == Drain.IN_PROGRESS);
    }

    private void run() {
        try {
            do {
                for (TierMetrics tier : store.metrics().tiers()) {
                    if (tier.drain() == Drain.IN_PROGRESS && !isClosed) {
                        continueDrain(tier.label());
                    }
                }
            } while (isToGoOn());
        } catch (ClosedException e) {
            LOG.log(System.Logger.Level.DEBUG, "the store was closed during a drain", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void continueDrain(String tier) {
        try {
            store.drain(tier, (copied, total, next) -> isClosed ? MoveControl.CANCEL : 0);
            failures.remove(tier);
        } catch (ClosedException e) {
            throw e;
        } catch (RuntimeException e) {
            String why = String.valueOf(e.getMessage());
            if (!why.equals(failures.put(tier, why))) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the drain of tier " + tier + " waits, and is tried again: " + why);
            }
        }
    }

    /** Waits if something is left, which has failed; otherwise ends the thread. */
    private synchronized boolean isToGoOn() throws InterruptedException {
        if (isClosed || !isAnyInProgress()) {
            thread = null;
            return false;
        }
        TimeUnit.MILLISECONDS.timedWait(this, AGAIN_MS);
        return true;
    }

    /** Ends the thread, which stops before the next piece of a segment. */
    @Override
    public void close() {
        isClosed = true;
        Thread running;
        synchronized (this) {
            running = thread;
            notifyAll();
        }
        boolean isInterrupted = false;
        while (running != null && running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
