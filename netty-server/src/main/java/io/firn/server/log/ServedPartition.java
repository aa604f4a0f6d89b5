package io.firn.server.log;

import io.firn.BusyException;
import io.firn.UnknownTopicException;
import io.firn.host.AppenderHolder;
import io.firn.host.HostedAppender;
import io.firn.host.HostedPartition;
import io.firn.host.VisibleListener;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.concurrent.GuardedBy;

/**
 * A partition as clients see it: one shared appender for all producers, and the fetches that wait
 * for records. Thread-safe.
 */
public final class ServedPartition implements VisibleListener {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final int GIVEN_UP = -1;
    private static final long WARN_EVERY_NS = 10_000_000_000L;

    private final String topic;
    private final HostedPartition partition;
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

    /** Set under the monitor, while there are no uses of the one before. */
    private volatile HostedAppender appender;

    /** How many requests use the appender; {@code GIVEN_UP} if none is open. */
    private final AtomicInteger uses = new AtomicInteger(GIVEN_UP);

    @GuardedBy("this")
    private long nextWarningNs = System.nanoTime();

    @GuardedBy("this")
    private boolean listening;

    @GuardedBy("this")
    private boolean closed;

    ServedPartition(String topic, HostedPartition partition) {
        this.topic = topic;
        this.partition = partition;
    }

    public HostedPartition partition() {
        return partition;
    }

    /**
     * Returns the appender that all producers share, for one use, which {@link #release} ends.
     *
     * @throws BusyException if the application has an exclusive appender
     */
    HostedAppender acquire() {
        while (true) {
            int before = uses.get();
            if (before == GIVEN_UP) {
                openAppender();
            } else if (uses.compareAndSet(before, before + 1)) {
                return appender;
            }
        }
    }

    /** Ends a use of the appender: without one, the application may have an exclusive appender. */
    void release() {
        uses.decrementAndGet();
    }

    private synchronized void openAppender() {
        if (closed) {
            throw new UnknownTopicException("topic " + topic + " was deleted");
        }
        if (uses.get() == GIVEN_UP) {
            try {
                appender = partition.openAppender(new Holder());
            } catch (BusyException e) {
                throw refused();
            }
            uses.set(0);
        }
    }

    @GuardedBy("this")
    private BusyException refused() {
        String why =
                this
                        + " takes no records from clients, because the application that embeds the"
                        + " server has an exclusive appender open";
        long now = System.nanoTime();
        if (now - nextWarningNs >= 0) {
            nextWarningNs = now + WARN_EVERY_NS;
            LOG.log(
                    System.Logger.Level.WARNING,
                    why + ": they receive POLICY_VIOLATION until it is closed");
        }
        return new BusyException(why);
    }

    /** Gives the appender up while no request uses it. */
    private final class Holder implements AppenderHolder {
        @Override
        public boolean giveUp() {
            return uses.compareAndSet(0, GIVEN_UP);
        }

        @Override
        public String toString() {
            return "the FirnServer on this store";
        }
    }

    /** Registers a fetch, which is called whenever more is visible, until {@link #unwatch}. */
    synchronized void watch(Runnable wakeUp) {
        if (!listening && !closed) {
            listening = true;
            partition.addVisibleListener(this);
        }
        waiting.add(wakeUp);
    }

    /** Removes a fetch. Like {@link #watch}, costs the same however many others wait. */
    void unwatch(Runnable wakeUp) {
        waiting.remove(wakeUp);
    }

    @Override
    public void onVisible() {
        // The end was published with a release store. Without the fence this read could overtake
        // it, and miss a fetch that has just begun to wait and did not see the new end either.
        VarHandle.fullFence();
        if (!waiting.isEmpty()) { // an iterator is an allocation
            waiting.forEach(Runnable::run);
        }
    }

    /** Closes the appender and wakes all fetches. */
    synchronized void close() {
        closed = true;
        if (appender != null) {
            appender.close();
        }
        if (listening) {
            partition.removeVisibleListener(this);
        }
        waiting.forEach(Runnable::run);
    }

    @Override
    public String toString() {
        return topic + "-" + partition.index();
    }
}
