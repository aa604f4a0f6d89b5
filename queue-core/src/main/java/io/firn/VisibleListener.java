package io.firn;

/** Called when a partition's visible end advances; see {@link Partition#addVisibleListener}. */
@FunctionalInterface
public interface VisibleListener {

    /** Called when there is more to read, up to {@link Partition#visibleOffset}. */
    void onVisible();
}
