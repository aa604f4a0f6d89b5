package io.firn;

/** Called when a partition's visible end advances; see {@link Partition#addVisibleListener}. */
@FunctionalInterface
public interface VisibleListener {

    /** There is more to be read, up to {@link Partition#visibleOffset}. */
    void onVisible();
}
