package io.firn.log;

import io.firn.background.Signal;
import java.util.ArrayList;
import java.util.List;

/**
 * The tailers over several partitions of a topic, which are told which of them have a new visible
 * end. Without any, that costs a publishing thread three reads. Thread-safe.
 *
 * <p>A thread that publishes an end just when a tailer is opened may not know the tailer yet; the
 * tailer therefore visits all partitions for some time, see {@link #KNOWN_AFTER_NS}.
 */
public final class TopicTailers {
    /**
     * The time after which all threads that publish know a tailer. Each reads the list after its
     * store of the new end, without a fence, and a store leaves a processor's store buffer within
     * microseconds.
     */
    public static final long KNOWN_AFTER_NS = 10_000_000;

    private static final UnreadPartitions[] NONE = {};

    private final Signal published = new Signal();
    private volatile UnreadPartitions[] open = NONE;

    /** Wakes threads that wait for records of several partitions. */
    public Signal published() {
        return published;
    }

    /** Adds a tailer; removes those that were abandoned. */
    public synchronized void add(UnreadPartitions opened) {
        List<UnreadPartitions> all = without(opened);
        all.add(opened);
        open = all.toArray(NONE);
    }

    /** Removes a tailer. */
    public synchronized void remove(UnreadPartitions closed) {
        open = without(closed).toArray(NONE);
    }

    private List<UnreadPartitions> without(UnreadPartitions one) {
        List<UnreadPartitions> all = new ArrayList<>(List.of(open));
        all.removeIf(each -> each.equals(one) || each.isAbandoned());
        return all;
    }

    /** Before a partition's new visible end is published. */
    void begin(int partition) {
        for (UnreadPartitions each : open) {
            each.begin(partition);
        }
    }

    /** After a partition's new visible end was published. */
    void end(int partition) {
        for (UnreadPartitions each : open) {
            each.end(partition);
        }
        published.wake();
    }
}
