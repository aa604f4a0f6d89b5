package io.firn.cursor;

import io.firn.FirnException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a cursor has by partition, and what its file may have: positions, offsets outside the log
 * that readers have committed, and the decisions of transactions that moved it. For the holder of
 * the cursor's monitor.
 *
 * <p>A write takes three steps: {@link #copy}, {@link #begin} before the file is replaced, {@link
 * #onWritten} when it is durable. In between, and after a write that failed, the file has the old
 * or the new, and retention goes by the older of both (O24).
 */
final class CursorPositions {
    /** No position. */
    static final long NEVER = -1;

    private static final long NO_DECISION = -1;

    private long[] offsets; // too short when partitions were added since

    /**
     * The smallest offset that the file may hold: of what was written last and of what is being
     * written, or failed to be. {@link #NEVER} when it certainly has none.
     */
    private long[] persisted;

    /** The partitions of which the file may have no offset although it may have one. */
    private final BitSet maybeNone = new BitSet();

    /**
     * The partitions whose position was lost with a damaged file, until a new one is set. The file
     * then says {@link #NEVER} of them.
     */
    private final BitSet lost = new BitSet();

    /**
     * Offsets that no cursor can have: below 0, or above the end of the log when they were
     * committed. Any number may be one. They are in the file as they are, whatever is durable.
     */
    private long[] outside = {};

    private final BitSet hasOutside = new BitSet();

    /**
     * Of each partition the last decision that moved the cursor. So a decision is carried out once,
     * also after a crash, and a later plain advance is never undone (O13).
     */
    private final Map<Integer, Long> decisions;

    private Map<Integer, Long> persistedDecisions;
    private long changes;
    private long persistedChanges;

    /** Creates those that were read from a cursor's file, for so many partitions. */
    CursorPositions(CursorFiles.Content stored, int partitions) {
        offsets = new long[partitions];
        decisions = new HashMap<>(stored.decisions());
        persistedDecisions = stored.decisions();
        replace(stored);
        persisted = countingLost(offsets);
    }

    /** Takes what is stored of the partitions that it has. */
    void replace(CursorFiles.Content stored) {
        Arrays.fill(offsets, NEVER);
        stored.offsets()
                .forEach(
                        (partition, offset) -> {
                            if (partition < offsets.length) {
                                offsets[partition] = offset;
                                lost.set(partition, offset == NEVER);
                            }
                        });
        hasOutside.clear();
        stored.outside()
                .forEach(
                        (partition, offset) -> {
                            if (partition < offsets.length) {
                                putOutside(partition, offset);
                            }
                        });
    }

    /** A lost position might have been 0. */
    private long[] countingLost(long[] inFile) {
        long[] counted = inFile.clone();
        for (int i = 0; i < counted.length; i++) {
            if (lost.get(i) && counted[i] == NEVER) {
                counted[i] = 0;
            }
        }
        return counted;
    }

    // ---- what the cursor has

    /** Returns the position in a partition; {@link #NEVER} when there is none. */
    long at(int partition) {
        return partition < offsets.length ? offsets[partition] : NEVER;
    }

    /** Returns whether there is nothing to write, and never was. */
    boolean isEmpty() {
        return changes == 0
                && decisions.isEmpty()
                && hasOutside.isEmpty()
                && lost.isEmpty()
                && Arrays.stream(offsets).allMatch(each -> each == NEVER);
    }

    /** Returns whether an offset outside the log was committed, and no position since. */
    boolean hasOutside(int partition) {
        return hasOutside.get(partition);
    }

    /** Returns the offset in a partition that {@link #hasOutside}. */
    long outside(int partition) {
        return outside[partition];
    }

    /**
     * Returns whether an offset that was outside the log is one that a cursor can have for good.
     */
    boolean hasReachedOutside(int partition, long durableOffset) {
        return hasOutside.get(partition)
                && outside[partition] >= 0
                && outside[partition] <= durableOffset;
    }

    /**
     * Sets a position.
     *
     * @param partitions how many there are now
     * @return whether that is a change
     */
    boolean set(int partition, long offset, int partitions) {
        if (partition >= offsets.length) {
            offsets = grown(offsets, partitions);
            persisted = grown(persisted, partitions);
        }
        boolean wasOutside = hasOutside.get(partition);
        boolean wasLost = lost.get(partition);
        hasOutside.clear(partition);
        lost.clear(partition);
        if (offsets[partition] == offset && !wasLost && !wasOutside) {
            return false;
        }
        offsets[partition] = offset;
        changes++;
        return true;
    }

    private static long[] grown(long[] before, int partitions) {
        long[] after = Arrays.copyOf(before, partitions);
        Arrays.fill(after, before.length, after.length, NEVER);
        return after;
    }

    /** Keeps an offset outside the log beside the position. */
    void keepOutside(int partition, long offset) {
        putOutside(partition, offset);
        changes++;
    }

    private void putOutside(int partition, long offset) {
        if (partition >= outside.length) {
            outside = Arrays.copyOf(outside, partition + 1);
        }
        outside[partition] = offset;
        hasOutside.set(partition);
    }

    /** Notes a decision; returns false when it, or a later one, has moved the cursor before. */
    boolean note(int partition, long decision) {
        if (decisions.getOrDefault(partition, NO_DECISION) >= decision) {
            return false;
        }
        decisions.put(partition, decision);
        changes++; // the file has to tell of it, even if the position stays
        return true;
    }

    // ---- what the file has

    /** Returns whether there is something to write. */
    boolean areChanged() {
        return changes != persistedChanges;
    }

    /** Returns whether the file contains the move by a decision. */
    boolean isPersisted(int partition, long decision) {
        return persistedDecisions.getOrDefault(partition, NO_DECISION) >= decision;
    }

    /**
     * Returns the offset from which on a reader may need records, after a crash, too: by what the
     * file may hold and by what it will hold. {@link #NEVER} when there is no position.
     */
    long unreadFrom(int partition) {
        if (partition >= offsets.length) {
            return NEVER;
        }
        long now = offsets[partition];
        long then = persisted[partition];
        if (now == NEVER) {
            return then;
        }
        return then == NEVER || maybeNone.get(partition) ? 0 : Math.min(now, then);
    }

    /** What a write of the file stores. For the thread that writes. */
    static final class Write {
        private final long[] offsets;
        private final BitSet lost;
        private final Map<Integer, Long> outside;
        private final Map<Integer, Long> decisions;
        private final long changes;
        private FirnException failure;

        private Write(CursorPositions of) {
            offsets = of.offsets.clone();
            lost = (BitSet) of.lost.clone();
            outside = new TreeMap<>();
            of.hasOutside.stream().forEach(i -> outside.put(i, of.outside[i]));
            decisions = new HashMap<>(of.decisions);
            changes = of.changes;
        }

        /** By partition, and {@link #NEVER}; lowered to what is durable (O7). */
        long[] offsets() {
            return offsets;
        }

        /** Returns why some offset is not the cursor's; null when all are. */
        FirnException failure() {
            return failure;
        }

        /** Returns what the file will contain. */
        CursorFiles.Content content(String name) {
            Map<Integer, Long> positions = new TreeMap<>();
            lost.stream().forEach(partition -> positions.put(partition, NEVER));
            for (int i = 0; i < offsets.length; i++) {
                if (offsets[i] != NEVER) {
                    positions.put(i, offsets[i]);
                }
            }
            return new CursorFiles.Content(name, positions, outside, decisions);
        }
    }

    /** Returns a write of what there is now. */
    Write copy() {
        return new Write(this);
    }

    /** Takes back from a write that a decision moved the cursor, since its offset is lowered. */
    void onFailure(Write write, int partition, FirnException failure) {
        write.failure = failure; // the offsets of the other partitions are written nevertheless
        long before = persistedDecisions.getOrDefault(partition, NO_DECISION);
        write.decisions.put(partition, before);
    }

    /**
     * Notes what the file may contain from now on.
     *
     * @return false when it must not be written, since it has something newer
     */
    boolean begin(Write write) {
        if (write.changes <= persistedChanges) {
            return false;
        }
        mayPersist(write.offsets);
        return true;
    }

    /** Until the write has returned, and if it fails, the file may have the old or the new. */
    private void mayPersist(long[] now) {
        for (int i = 0; i < now.length; i++) {
            if (now[i] == NEVER || persisted[i] == NEVER) {
                maybeNone.set(i, now[i] != persisted[i] || maybeNone.get(i));
                persisted[i] = Math.max(persisted[i], now[i]); // the one that is an offset
            } else {
                persisted[i] = Math.min(persisted[i], now[i]);
            }
        }
    }

    /** The file is durable. Adds the partitions where it says something else than before. */
    void onWritten(Write write, BitSet moved) {
        persistedChanges = Math.max(persistedChanges, write.failure == null ? write.changes : 0);
        long[] counted = countingLost(write.offsets);
        for (int i = 0; i < counted.length; i++) {
            if (persisted[i] != counted[i] || maybeNone.get(i)) {
                moved.set(i);
            }
            persisted[i] = counted[i];
        }
        persistedDecisions = write.decisions;
        maybeNone.clear();
    }
}
