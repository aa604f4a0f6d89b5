package io.firn.server.log;

import io.firn.Appender;
import io.firn.Partition;
import io.firn.UnknownTopicException;
import io.firn.VisibleListener;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A partition as clients see it: one shared appender for all producers, and the fetches that wait
 * for more. Thread-safe.
 */
final class ServedPartition implements VisibleListener {
    private final ServedTopic topic;
    private final Partition partition;
    private volatile Appender appender;
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();
    private boolean listening;
    private boolean closed;

    ServedPartition(ServedTopic topic, Partition partition) {
        this.topic = topic;
        this.partition = partition;
    }

    ServedTopic topic() {
        return topic;
    }

    Partition partition() {
        return partition;
    }

    /** The producers' appender. */
    Appender appender() {
        Appender open = appender;
        return open == null ? openAppender() : open;
    }

    private synchronized Appender openAppender() {
        if (closed) {
            throw new UnknownTopicException("topic " + topic.name() + " was deleted");
        }
        if (appender == null) {
            appender = partition.openSharedAppender();
        }
        return appender;
    }

    /** Registers a fetch, which is called each time that more is visible, until {@link #leave}. */
    synchronized void watch(Runnable wakeUp) {
        if (!listening && !closed) {
            listening = true;
            partition.addVisibleListener(this);
        }
        waiting.add(wakeUp);
    }

    /** Costs the same however many others wait, as {@link #watch} does. */
    void leave(Runnable wakeUp) {
        waiting.remove(wakeUp);
    }

    @Override
    public void onVisible() {
        // The end was published with a release store. Without the fence this look could go ahead of
        // it, and miss someone who has just begun to wait and did not see the new end either.
        VarHandle.fullFence();
        if (!waiting.isEmpty()) { // an iterator is an allocation
            waiting.forEach(Runnable::run);
        }
    }

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
        return topic.name() + "-" + partition.index();
    }
}
