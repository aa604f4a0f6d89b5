package io.firn.force;

import io.firn.Appender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.annotation.concurrent.GuardedBy;

/**
 * The futures that wait until something of a partition is durable. They are completed under no
 * lock, because users' callbacks run then. Thread-safe.
 */
final class DurableFutures {
    @GuardedBy("pending")
    private final List<Pending> pending = new ArrayList<>();

    private volatile boolean hasPending;

    private record Pending(long offset, CompletableFuture<Long> future, Appender appender) {}

    /** Whether a future waits. */
    boolean isAny() {
        return hasPending;
    }

    /**
     * Adds a future for everything below an offset.
     *
     * @param appender the appender that asks, see {@link #failUnwritten}
     */
    CompletableFuture<Long> add(long offset, Appender appender) {
        CompletableFuture<Long> future = new CompletableFuture<>();
        synchronized (pending) {
            pending.add(new Pending(offset, future, appender));
            hasPending = true;
        }
        return future;
    }

    /** Completes the futures of what is durable. */
    void complete(long durable) {
        List<Pending> done = new ArrayList<>();
        synchronized (pending) {
            pending.removeIf(p -> p.offset <= durable && done.add(p));
            hasPending = !pending.isEmpty();
        }
        done.forEach(p -> p.future.complete(durable));
    }

    /** Fails all of them. */
    void fail(RuntimeException why) {
        List<Pending> failed;
        synchronized (pending) {
            failed = List.copyOf(pending);
            pending.clear();
            hasPending = false;
        }
        failed.forEach(p -> p.future.completeExceptionally(why));
    }

    /**
     * Fails an appender's futures for records that are not written: it will not append them any
     * more.
     *
     * @param written the next offset
     */
    @SuppressWarnings("ReferenceEquality") // this very appender
    void failUnwritten(Appender appender, long written, RuntimeException why) {
        List<Pending> failed = new ArrayList<>();
        synchronized (pending) {
            pending.removeIf(p -> p.appender == appender && p.offset > written && failed.add(p));
            hasPending = !pending.isEmpty();
        }
        failed.forEach(p -> p.future.completeExceptionally(why));
    }
}
