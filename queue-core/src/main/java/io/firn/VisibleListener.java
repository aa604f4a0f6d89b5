package io.firn;

/** Called when a partition's visible end advances; see {@link Partition#addVisibleListener}. */
@FunctionalInterface
public interface VisibleListener {

    /**
     * Called when more records can be read, up to {@link Partition#visibleOffset}. Must be quick.
     * The call may come in the middle of an append, so the listener must not append to the
     * partition or close one of its appenders: both throw {@link IllegalStateException} or {@link
     * ConcurrentUseException} there. What the listener throws is logged and otherwise ignored.
     */
    void onVisible();
}
