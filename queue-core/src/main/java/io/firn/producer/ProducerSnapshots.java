package io.firn.producer;

import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the partitions of a topic knew of their producers when the store was closed, in one file for
 * all of them: a force for each of a thousand files takes seconds. For one thread.
 */
public final class ProducerSnapshots {
    /** The key of a snapshot's value that says as of which offset it is. */
    public static final String NEXT_OFFSET = "nextOffset";

    /** Far below what a small file may have, since keys and separators come on top. */
    private static final int MOST_CHARS = 4 << 20;

    private final Map<Integer, Map<String, String>> byPartition = new HashMap<>();
    private int chars;

    /**
     * Adds a partition's snapshot, in place of an older one.
     *
     * @return false when there is no room for it: it needs a file of its own
     */
    public boolean add(int partition, Map<String, String> snapshot) {
        int all = chars + lengthOf(snapshot) - lengthOf(byPartition.get(partition));
        if (all > MOST_CHARS) {
            return false;
        }
        chars = all;
        byPartition.put(partition, snapshot);
        return true;
    }

    /** Removes a partition's snapshot; false when there is none. */
    boolean remove(int partition) {
        Map<String, String> removed = byPartition.remove(partition);
        chars -= lengthOf(removed);
        return removed != null;
    }

    private static int lengthOf(Map<String, String> snapshot) {
        int chars = 0;
        if (snapshot != null) {
            for (Map.Entry<String, String> e : snapshot.entrySet()) {
                chars += e.getKey().length() + e.getValue().length();
            }
        }
        return chars;
    }

    /** Returns a partition's snapshot; null when there is none. */
    Map<String, String> of(int partition) {
        return byPartition.get(partition);
    }

    /** Returns all of them as they are stored. */
    Map<String, String> toText() {
        Map<String, String> values = new LinkedHashMap<>();
        byPartition.forEach(
                (partition, snapshot) ->
                        snapshot.forEach((key, value) -> values.put(partition + "." + key, value)));
        return values;
    }

    /** Reads what {@link #toText} returned. */
    static ProducerSnapshots of(Fields fields) throws DamagedFileException {
        ProducerSnapshots all = new ProducerSnapshots();
        for (Map.Entry<String, String> e : fields.values().entrySet()) {
            String key = e.getKey();
            int dot = Math.max(0, key.indexOf('.'));
            String partition = key.substring(0, dot);
            all.byPartition
                    .computeIfAbsent(
                            (int) fields.numberIn(partition, 0, Integer.MAX_VALUE),
                            each -> new LinkedHashMap<>())
                    .put(key.substring(dot + 1), e.getValue());
        }
        for (Map<String, String> each : all.byPartition.values()) {
            offsetOf(Fields.of(fields.file(), each));
            all.chars += lengthOf(each);
        }
        return all;
    }

    /** Returns the later one of two snapshots, each of which may be null; the first of equals. */
    static Fields later(Fields one, Fields other) throws DamagedFileException {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return offsetOf(other) > offsetOf(one) ? other : one;
    }

    /** Returns the offset as of which a snapshot is. */
    public static long offsetOf(Fields snapshot) throws DamagedFileException {
        return snapshot.offset(NEXT_OFFSET);
    }
}
