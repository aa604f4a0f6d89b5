package io.firn.producer;

import io.firn.host.EpochEnd;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.util.Map;
import java.util.TreeMap;

/**
 * The leader epochs in a partition of a replicated topic, each with the offset of its first batch.
 * Derived from the batches, and kept with the checkpoint of the producers, so that not all batches
 * are read at open. Thread-safe.
 */
public final class LeaderEpochs {
    /** There is no epoch. */
    public static final int NONE = -1;

    private static final String PREFIX = "epoch.";

    private final TreeMap<Integer, Long> firsts = new TreeMap<>();

    /** Notes the epoch of a batch. Batches are noted in the order of their offsets. */
    public synchronized void add(int epoch, long offset) {
        if (epoch > last()) {
            firsts.put(epoch, offset);
        }
    }

    /** Forgets the batches at an offset and above it. */
    public synchronized void truncate(long offset) {
        firsts.values().removeIf(first -> first >= offset);
    }

    /** Returns the epoch of the last batch; {@link #NONE} if it has none. */
    public synchronized int last() {
        return firsts.isEmpty() ? NONE : firsts.lastKey();
    }

    /**
     * Returns where the largest epoch ends that is not above the given one.
     *
     * @param nextOffset where the last one ends
     */
    public synchronized EpochEnd endOf(int epoch, long nextOffset) {
        Integer found = firsts.floorKey(epoch);
        if (found == null) {
            return EpochEnd.NONE;
        }
        Map.Entry<Integer, Long> after = firsts.higherEntry(found);
        return new EpochEnd(found, after == null ? nextOffset : after.getValue());
    }

    synchronized void toText(Map<String, String> values) {
        firsts.forEach((epoch, first) -> values.put(PREFIX + epoch, first.toString()));
    }

    synchronized void addAll(Fields fields) throws DamagedFileException {
        Fields all = fields.below(PREFIX);
        for (String key : all.keys()) {
            int epoch = (int) all.numberIn(key, 0, Integer.MAX_VALUE);
            firsts.put(epoch, all.offset(key));
        }
    }

    static boolean isKey(String key) {
        return key.startsWith(PREFIX);
    }
}
