package io.firn;

/** Told that a partition's visible end moved; see {@link Partition#addVisibleListener}. */
@FunctionalInterface
public interface VisibleListener {

    /** There is more to be read, up to {@link Partition#visibleOffset}. */
    void onVisible();
}
