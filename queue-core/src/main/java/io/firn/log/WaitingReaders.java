package io.firn.log;

import io.firn.background.Signal;
import io.firn.host.VisibleListener;

/**
 * Who waits for the visible end of a partition to move: threads in its tailers, tailers over
 * several partitions of its topic, and listeners. Thread-safe.
 *
 * <p>Whoever moves the end calls {@link #begin} before and {@link #tell} after it.
 */
public final class WaitingReaders {
    private final SegmentedLog log;
    private final TopicTailers tailers;
    private final Signal published = new Signal();
    private final VisibleListeners listeners;

    WaitingReaders(SegmentedLog log) {
        this.log = log;
        this.tailers = log.topic().tailers();
        this.listeners = new VisibleListeners(log);
    }

    /** Lets tailers of the topic know that the end is about to move. */
    public void begin() {
        tailers.begin(log.index());
    }

    /** Wakes whoever waits. */
    void wake() {
        tailers.end(log.index());
        published.wake();
    }

    /** Wakes whoever waits, and tells the listeners. */
    public void tell() {
        wake();
        listeners.tell();
    }

    /** Tells the listeners, after the others were woken. */
    void tellListeners() {
        listeners.tell();
    }

    /** Returns whether listeners are being told. */
    boolean isTelling() {
        return listeners.isTelling();
    }

    /** Returns whether somebody is told of new ends without asking. */
    public boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /** Returns what wakes threads that wait for records of this partition. */
    public Signal published() {
        return published;
    }

    /** Adds a listener. */
    public void add(VisibleListener listener) {
        listeners.add(listener);
        log.store().noteListener();
    }

    /** Removes a listener. */
    public void remove(VisibleListener listener) {
        listeners.remove(listener);
    }
}
