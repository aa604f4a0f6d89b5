package io.firn.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.Appender;
import io.firn.Partition;
import io.firn.UnknownTopicException;
import io.firn.VisibleListener;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A partition as clients see it: one shared appender for all producers, and the fetches that wait
 * for records. Thread-safe.
 */
final class ServedPartition implements VisibleListener {
    private final String topic;
    private final Partition partition;
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

    /** Set once, under the monitor. */
    private volatile Appender appender;

    @GuardedBy("this")
    private boolean listening;

    @GuardedBy("this")
    private boolean closed;

    ServedPartition(String topic, Partition partition) {
        this.topic = topic;
        this.partition = partition;
    }

    Partition partition() {
        return partition;
    }

    /** Returns the appender that all producers share. */
    Appender appender() {
        Appender open = appender;
        return open == null ? openAppender() : open;
    }

    private synchronized Appender openAppender() {
        if (closed) {
            throw new UnknownTopicException("topic " + topic + " was deleted");
        }
        if (appender == null) {
            appender = partition.openSharedAppender();
        }
        return appender;
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
