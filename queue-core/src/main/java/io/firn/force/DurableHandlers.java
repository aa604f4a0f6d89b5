package io.firn.force;

import io.firn.Appender.DurableHandler;
import io.firn.background.Gate;
import io.firn.log.SegmentedLog;
import io.firn.medium.GuardedLog;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells users' handlers and listeners what is durable: outside of the gate, one thread at a time.
 * Thread-safe.
 */
public final class DurableHandlers {
    private static final GuardedLog LOG = GuardedLog.get();

    private final SegmentedLog log;
    private final Object changing = new Object();
    private volatile DurableHandler[] handlers = {};

    /** Who has it calls the handlers and listeners. */
    private final Gate telling = new Gate();

    private volatile Thread teller;
    private long told; // belongs to the teller

    DurableHandlers(SegmentedLog log) {
        this.log = log;
    }

    public void add(DurableHandler handler) {
        synchronized (changing) {
            List<DurableHandler> all = new ArrayList<>(List.of(handlers));
            all.add(handler);
            handlers = all.toArray(new DurableHandler[0]);
        }
    }

    public void remove(DurableHandler handler) {
        synchronized (changing) {
            List<DurableHandler> all = new ArrayList<>(List.of(handlers));
            all.remove(handler);
            handlers = all.toArray(new DurableHandler[0]);
        }
    }

    /** Whether the caller is in a handler or listener that is told of a force here. */
    public boolean isTelling() {
        return teller == Thread.currentThread();
    }

    /** Whether {@link #tell} has a handler to call. */
    boolean isAny() {
        return handlers.length > 0 || log.hasListenersToForces();
    }

    /**
     * Tells what is durable by now, one thread at a time; who finds another one at it leaves it to
     * that one. Of two threads, one that publishes and then looks for a teller, and one that stops
     * telling and then looks for news, at least one sees the other: hence the fences.
     */
    void tell() {
        VarHandle.fullFence();
        long last = 0;
        while (last < log.durableOffset() && telling.tryEnter()) {
            teller = Thread.currentThread();
            try {
                last = log.durableOffset();
                if (last > told) {
                    told = last;
                    log.tellListenersOfForce();
                    for (DurableHandler handler : handlers) {
                        tell(handler, last);
                    }
                }
            } finally {
                teller = null;
                try {
                    telling.leave();
                } catch (StackOverflowError e) {
                    telling.isLeftBehind = true;
                }
            }
            VarHandle.fullFence();
        }
    }

    private void tell(DurableHandler handler, long offset) {
        try {
            handler.onDurable(log.index(), offset);
        } catch (Throwable e) {
            // The records are durable whatever a handler does, and the medium did not fail.
            LOG.log(System.Logger.Level.ERROR, log + ": a DurableHandler failed", e);
        }
    }
}
