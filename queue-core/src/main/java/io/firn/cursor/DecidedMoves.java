package io.firn.cursor;

import java.util.HashMap;
import java.util.Map;

/**
 * Which decisions of transactions have moved a cursor: for each partition the last one, in memory
 * and in the file. So a decision is carried out once, also after a crash, and a later plain advance
 * is never undone (O13). For the holder of the cursor's monitor.
 */
final class DecidedMoves {
    private static final long NONE = -1;

    private final Map<Integer, Long> made;
    private Map<Integer, Long> persisted;

    DecidedMoves(Map<Integer, Long> inFile) {
        this.made = new HashMap<>(inFile);
        this.persisted = inFile;
    }

    /** Notes a decision; returns false when it, or a later one, has moved the cursor before. */
    boolean note(int partition, long decision) {
        if (made.getOrDefault(partition, NONE) >= decision) {
            return false;
        }
        made.put(partition, decision);
        return true;
    }

    /** Returns what a file that contains the present offsets says. */
    Map<Integer, Long> now() {
        return new HashMap<>(made);
    }

    /** Takes back from a content what is not in the offsets after all. */
    void keepPersisted(Map<Integer, Long> content, int partition) {
        content.put(partition, persisted.getOrDefault(partition, NONE));
    }

    void persisted(Map<Integer, Long> inFile) {
        persisted = inFile;
    }

    /** Returns whether the file contains the move by a decision. */
    boolean isPersisted(int partition, long decision) {
        return persisted.getOrDefault(partition, NONE) >= decision;
    }
}
