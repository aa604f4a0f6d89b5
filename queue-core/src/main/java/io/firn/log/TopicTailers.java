package io.firn.log;

import io.firn.background.Signal;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
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

    /**
     * The partitions that may have something unread for one tailer, so that its poll does not visit
     * the others. Each partition has a place with a byte:
     *
     * <pre>
     *   NOTHING ──begin──▶ PUBLISHING ──end──▶ SOMETHING
     *      ▲                                       │
     *      └──────────────── clear ────────────────┘
     * </pre>
     *
     * <p>Who publishes a new visible end stores PUBLISHING, then the end, then SOMETHING, each a
     * plain store on x86, and never looks at the byte. The tailer reads up to the visible end, then
     * changes SOMETHING to NOTHING by compare-and-set, then looks at the end once more. If it
     * overwrote a SOMETHING, it sees the end that was published before that one; any other
     * SOMETHING comes later, and stays. While a byte is PUBLISHING the tailer visits the partition
     * and leaves the byte alone, so that a thread that knows of a new end never polls in vain.
     *
     * <p>{@link #begin} and {@link #end} are for the thread that publishes, the rest for the
     * tailer.
     */
    public static final class UnreadPartitions {
        private static final byte NOTHING = 0;
        private static final byte SOMETHING = 1;
        private static final byte PUBLISHING = 2;

        private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(byte[].class);
        private static final VarHandle EIGHT =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

        /** By partition; −1 for one that is not read. */
        private final int[] places;

        /** By place; the length is a multiple of eight. */
        private final byte[] states;

        private final WeakReference<Object> tailer;

        /**
         * Creates it with all partitions noted.
         *
         * @param tailer whose end is the end of this
         * @param partitions by place
         */
        public UnreadPartitions(Object tailer, int[] partitions) {
            this.tailer = new WeakReference<>(tailer);
            this.places = new int[Arrays.stream(partitions).max().orElse(-1) + 1];
            Arrays.fill(places, -1);
            for (int place = 0; place < partitions.length; place++) {
                places[partitions[place]] = place;
            }
            this.states = new byte[(partitions.length + Long.BYTES - 1) / Long.BYTES * Long.BYTES];
            Arrays.fill(states, 0, partitions.length, SOMETHING);
        }

        /** Returns a partition's place; −1 when the tailer does not read it. */
        public int place(int partition) {
            return partition >= 0 && partition < places.length ? places[partition] : -1;
        }

        /** Returns whether the tailer is unreachable, although it was not closed. */
        boolean isAbandoned() {
            return tailer.get() == null;
        }

        // ---- the thread that publishes

        /** Before a new visible end of a partition is published. */
        void begin(int partition) {
            int place = place(partition);
            if (place >= 0) {
                STATE.setOpaque(states, place, PUBLISHING); // the end is published with release
            }
        }

        /** After a new visible end of a partition was published. */
        void end(int partition) {
            int place = place(partition);
            if (place >= 0) {
                STATE.setRelease(states, place, SOMETHING);
            }
        }

        // ---- the tailer

        /**
         * Returns the first place from one on that is noted, or the limit when there is none below.
         */
        public int next(int from, int limit) {
            int place = from;
            while (place < limit) {
                if (place % Long.BYTES == 0 && (long) EIGHT.get(states, place) == 0) {
                    place += Long.BYTES;
                } else if ((byte) STATE.getAcquire(states, place) != NOTHING) {
                    return place;
                } else {
                    place++;
                }
            }
            return limit;
        }

        /** Removes a note, unless a new end is being published; then looks at the end once more. */
        public void clear(int place) {
            STATE.compareAndSet(states, place, SOMETHING, NOTHING);
        }

        /** Notes a partition, for a reason of the tailer's own. */
        public void note(int place) {
            STATE.compareAndSet(states, place, NOTHING, SOMETHING);
        }
    }
}
