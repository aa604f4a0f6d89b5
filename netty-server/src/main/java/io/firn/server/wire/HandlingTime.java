package io.firn.server.wire;

import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import javax.annotation.concurrent.GuardedBy;

/**
 * The time that threads spend on a request: to decode and handle it, and to encode the response.
 * Not the time in which it waits. As in Kafka, what was spent before the response decides whether
 * its client is muted, and what follows is only recorded. Thread-safe.
 */
final class HandlingTime {
    /** Of a request whose time does not count. */
    static final HandlingTime UNCOUNTED = new HandlingTime();

    private final LongUnaryOperator quota;
    private final LongSupplier clock;

    /** By the thread of the connection; and by another one, of which there is one at a time. */
    @GuardedBy("this")
    private final Part[] parts = {new Part(), new Part()};

    @GuardedBy("this")
    private long ns;

    @GuardedBy("this")
    private boolean settled;

    private static final class Part {
        private int depth;
        private long sinceNs;
    }

    private HandlingTime() {
        quota = null;
        clock = null;
    }

    /**
     * Begins with nothing spent.
     *
     * @param quota records time in ns; returns for how many ms the client has to be muted
     * @param clock the present time in ns
     */
    HandlingTime(LongUnaryOperator quota, LongSupplier clock) {
        this.quota = quota;
        this.clock = clock;
    }

    /** Returns whether the time counts. */
    boolean isCounted() {
        return quota != null;
    }

    /**
     * Runs a part of the work, which may contain another one.
     *
     * @param onEventLoop whether the thread is that of the connection
     */
    void run(boolean onEventLoop, Runnable work) {
        if (!isCounted()) {
            work.run();
            return;
        }
        begin(onEventLoop);
        try {
            work.run();
        } finally {
            end(onEventLoop);
        }
    }

    private synchronized void begin(boolean onEventLoop) {
        Part part = parts[onEventLoop ? 0 : 1];
        if (part.depth++ == 0) {
            part.sinceNs = clock.getAsLong();
        }
    }

    private synchronized void end(boolean onEventLoop) {
        Part part = parts[onEventLoop ? 0 : 1];
        if (part.depth == 1) {
            add(part);
        }
        part.depth--;
        if (settled && part.depth == 0) {
            record();
        }
    }

    @GuardedBy("this")
    private void add(Part part) {
        long now = clock.getAsLong();
        ns += now - part.sinceNs;
        part.sinceNs = now;
    }

    @GuardedBy("this")
    private long record() {
        long spent = ns;
        ns = 0;
        return quota.applyAsLong(spent);
    }

    /**
     * Records what was spent. To be called once, before the response is sent.
     *
     * @return for how many ms the client has to be muted; 0 if it is within its quota
     */
    synchronized long settle() {
        if (!isCounted() || settled) {
            return 0;
        }
        for (Part each : parts) {
            if (each.depth > 0) {
                add(each); // the part that has answered
            }
        }
        settled = true;
        return record();
    }
}
