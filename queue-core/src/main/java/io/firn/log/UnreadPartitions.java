package io.firn.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The partitions that may have something unread for one tailer, so that its poll does not visit the
 * others. Each partition has a place with a byte:
 *
 * <pre>
 *   NOTHING ──begin──▶ PUBLISHING ──end──▶ SOMETHING
 *      ▲                                       │
 *      └──────────────── clear ────────────────┘
 * </pre>
 *
 * <p>Who publishes a new visible end stores PUBLISHING, then the end, then SOMETHING, each a plain
 * store on x86, and never looks at the byte. The tailer reads up to the visible end, then changes
 * SOMETHING to NOTHING by compare-and-set, then looks at the end once more. If it overwrote a
 * SOMETHING, it sees the end that was published before that one; any other SOMETHING comes later,
 * and stays. While a byte is PUBLISHING the tailer visits the partition and leaves the byte alone,
 * so that a thread that knows of a new end never polls in vain.
 *
 * <p>{@link #begin} and {@link #end} are for the thread that publishes, the rest for the tailer.
 */
public final class UnreadPartitions {
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

    /** Returns whether nobody has the tailer any more, although it was not closed. */
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

    /** Returns the first place from one on that is noted, or the limit when there is none below. */
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
