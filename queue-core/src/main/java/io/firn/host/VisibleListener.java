package io.firn.host;

import java.util.ConcurrentModificationException;

/**
 * Called when a partition's visible end advances; see {@link HostedPartition#addVisibleListener}.
 *
 * @see HostedStore
 */
@FunctionalInterface
public interface VisibleListener {

    /**
     * Tells that there is more to be read, up to {@link HostedPartition#visibleOffset}. Must be
     * quick. It may be called in the middle of an append: it must not append to the partition and
     * must not close an appender, either of which throws {@link IllegalStateException} or {@link
     * ConcurrentModificationException} there. In a DURABLE topic it is called by a thread that
     * forced, and must not wait until more of the partition is durable: what waits throws {@link
     * IllegalStateException}. What it throws is logged and otherwise ignored.
     */
    void onVisible();
}
