package io.firn.server;

import io.firn.Finding;
import io.firn.LogStore;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Whether the process should go on: no thread of the server or its store has stood still for long
 * or has ended, and no other process may write the store. Otherwise only a restart helps.
 *
 * <p>A thread counts as standing still only if this one has looked each second meanwhile: after a
 * pause of the whole process, all of them have. Thread-safe.
 */
final class Liveness implements AutoCloseable {
    static final long MOST_STILL_MS = 10_000;
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final long LONGEST_GAP_NS = TimeUnit.SECONDS.toNanos(3);

    /** Findings that last until the store is opened again. */
    private static final Set<Finding.Kind> ENDS =
            EnumSet.of(Finding.Kind.THREAD_ENDED, Finding.Kind.LOCK_LOST);

    private final ServerMetricsMXBean metrics;
    private final LogStore store;
    private final LongSupplier clockNs;

    /** Of its own: the others are those that it looks at. Its thread starts with the first task. */
    private final ScheduledExecutorService seconds;

    private long lookedNs;
    private long steadySinceNs;

    Liveness(ServerMetricsMXBean metrics, LogStore store, LongSupplier clockNs) {
        this.metrics = metrics;
        this.store = store;
        this.clockNs = clockNs;
        this.lookedNs = clockNs.getAsLong();
        this.steadySinceNs = lookedNs;
        this.seconds =
                Executors.newSingleThreadScheduledExecutor(
                        new NamedThreadFactory(NamedThreadFactory::daemon, "firn-live-"));
    }

    /**
     * Looks at the threads from now on, and each second passes on why the process should end;
     * nothing if it should go on.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the executor
    void eachSecond(Consumer<List<String>> listener) {
        seconds.scheduleWithFixedDelay(
                () -> {
                    try {
                        look();
                        listener.accept(reasonsToEnd());
                    } catch (RuntimeException e) {
                        LOG.log(System.Logger.Level.ERROR, "looking at the threads failed", e);
                    }
                },
                1,
                1,
                TimeUnit.SECONDS);
    }

    /** Returns what it looks at, besides the store. */
    ServerMetricsMXBean metrics() {
        return metrics;
    }

    /** Looks at the threads; to be called each second. */
    synchronized void look() {
        metrics.getThreadsStillMs();
        long now = clockNs.getAsLong();
        if (now - lookedNs > LONGEST_GAP_NS) {
            steadySinceNs = now;
        }
        lookedNs = now;
    }

    private synchronized long steadyMs() {
        long now = clockNs.getAsLong();
        return now - lookedNs > LONGEST_GAP_NS
                ? 0
                : TimeUnit.NANOSECONDS.toMillis(now - steadySinceNs);
    }

    /** Returns why only a restart helps, one reason each; empty if the process should go on. */
    List<String> reasonsToEnd() {
        List<String> reasons = new ArrayList<>();
        if (steadyMs() > MOST_STILL_MS) {
            metrics.getThreadsStillMs()
                    .forEach(
                            (thread, ms) -> {
                                if (ms > MOST_STILL_MS) {
                                    reasons.add(thread + " has stood still for " + ms + " ms");
                                }
                            });
        }
        for (Finding each : store.findings()) {
            if (ENDS.contains(each.kind())) {
                reasons.add(each.toString());
            }
        }
        return reasons;
    }

    @Override
    public void close() {
        seconds.shutdownNow();
    }
}
