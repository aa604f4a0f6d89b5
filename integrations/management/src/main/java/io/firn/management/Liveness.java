package io.firn.management;

import io.firn.Finding;
import io.firn.LogStore;
import io.firn.server.ServerMetricsMXBean;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Whether the process should go on: no thread of the server or its store has stood still for long
 * or has ended, and no other process may write the store. Otherwise only a restart helps.
 *
 * <p>A thread counts as standing still only if this one has looked each second meanwhile: after a
 * pause of the whole process, all of them have. Thread-safe.
 */
final class Liveness {
    static final long MOST_STILL_MS = 10_000;
    private static final long LONGEST_GAP_NS = TimeUnit.SECONDS.toNanos(3);

    /** Findings that last until the store is opened again. */
    private static final Set<Finding.Kind> ENDS =
            EnumSet.of(Finding.Kind.THREAD_ENDED, Finding.Kind.LOCK_LOST);

    private final ServerMetricsMXBean metrics;
    private final LogStore store;
    private final LongSupplier clockNs;
    private long lookedNs;
    private long steadySinceNs;

    Liveness(ServerMetricsMXBean metrics, LogStore store, LongSupplier clockNs) {
        this.metrics = metrics;
        this.store = store;
        this.clockNs = clockNs;
        this.lookedNs = clockNs.getAsLong();
        this.steadySinceNs = lookedNs;
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

    Answer answer() {
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
        return reasons.isEmpty()
                ? Answer.text(Answer.OK, "live")
                : Answer.text(Answer.UNAVAILABLE, String.join("\n", reasons));
    }
}
