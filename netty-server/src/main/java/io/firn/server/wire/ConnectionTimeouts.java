package io.firn.server.wire;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection that is idle for too long, whose client does not read its responses, or whose
 * time has come. It checks when one of these can be the case and not before, so an idle connection
 * costs no CPU time. Used on the event loop.
 */
final class ConnectionTimeouts {
    private static final long MAX_IDLE_NS = Long.MAX_VALUE / 4;

    private final EventExecutor loop;
    private final RequestQueue requests;
    private final ResponseQueue responses;
    private final TimeoutListener listener;
    private final DeadlineTimer timer;
    private final long idleNs;
    private final long stallMs;
    private long lastActivityNs;
    private long endNs;
    private boolean hasEnd;
    private boolean stopped;

    /** Is told that a timeout has passed. */
    interface TimeoutListener {

        /** Called when the client has received nothing for so long, although there is data. */
        void onWriteStall(long ms);

        /** Called when nothing was requested for too long. */
        void onIdle();

        /** Called when the connection has to end. */
        void onEnd();
    }

    ConnectionTimeouts(
            ServerLimits limits,
            RequestQueue requests,
            ResponseQueue responses,
            TimeoutListener listener,
            EventExecutor loop) {
        this.loop = loop;
        this.requests = requests;
        this.responses = responses;
        this.listener = listener;
        this.timer = new DeadlineTimer(loop, this::nowNs, this::check);
        this.idleNs = Math.min(MAX_IDLE_NS, TimeUnit.MILLISECONDS.toNanos(limits.idleMs()));
        this.stallMs = limits.writeStallMs();
        this.lastActivityNs = nowNs();
    }

    private long nowNs() {
        return loop.ticker().nanoTime();
    }

    /** Starts to watch the connection. */
    void start() {
        timer.runBy(lastActivityNs + idleNs);
    }

    /** Called when a request arrives or a response is written. */
    void onActivity() {
        lastActivityNs = nowNs();
    }

    /** Called when responses were flushed. */
    void onFlush() {
        if (responses.hasUnsent() && !stopped) {
            timer.runBy(stalledAtNs());
        }
    }

    /** Ends the connection at a time, idle or not. */
    void endAt(long atNs) {
        endNs = atNs;
        hasEnd = true;
        timer.runBy(endNs);
    }

    private long stalledAtNs() {
        return responses.lastWriteNs() + TimeUnit.MILLISECONDS.toNanos(stallMs);
    }

    private void check(long run) {
        if (!timer.accept(run)) {
            return;
        }
        long now = nowNs();
        boolean busy = responses.isBusy();
        lastActivityNs = requests.endOfThrottling(lastActivityNs); // until then it had to be silent
        if (hasEnd && now - endNs >= 0) {
            listener.onEnd();
        } else if (responses.isStalled(now, stallMs)) {
            listener.onWriteStall(stallMs);
        } else if (!busy && now - lastActivityNs >= idleNs) {
            listener.onIdle();
        } else {
            timer.runBy((busy ? now : lastActivityNs) + idleNs);
            if (hasEnd) {
                timer.runBy(endNs);
            }
            onFlush();
        }
    }

    /** Stops for good. */
    void stop() {
        stopped = true;
        timer.cancel();
    }
}
