package io.firn.log;

import java.util.Map;
import java.util.TreeMap;

/**
 * The transactions of a partition: the open ones, which hold up readers, and the aborted ones.
 *
 * <p>Readers of committed records stop at {@link #heldAt}. A thread that raises it by {@link
 * #release} has appended the marker before; one that lowers it, by {@link #hold}, does so before
 * the batch at that offset is published. So who first loads the end of the log and then this number
 * never passes an undecided record. Changed under the monitor of the partition's {@link Producers};
 * any thread may read.
 */
public final class PartitionTransactions {
    /** What {@link #heldAt} is when no transaction is open. */
    public static final long NOWHERE = Long.MAX_VALUE;

    static final String PREFIX_OPEN = "tx.";
    private static final String PREFIX_ABORTED = "aborted.";

    /** Producers by the first offsets of their transactions, as long as these hold up readers. */
    private final TreeMap<Long, Long> holding = new TreeMap<>();

    private final AbortedTransactions aborted = new AbortedTransactions();
    private volatile long heldAt = NOWHERE;

    /** Returns the first offset of a transaction that is not decided. */
    public long heldAt() {
        return heldAt;
    }

    /** Returns those whose records no reader of committed records is shown. */
    public AbortedTransactions aborted() {
        return aborted;
    }

    /** Returns whether no transaction is open. */
    public boolean isIdle() {
        return heldAt == NOWHERE;
    }

    /** Holds up readers, before a transaction's first batch is published. */
    public void hold(long first, long producerId) {
        holding.put(first, producerId);
        heldAt = holding.firstKey();
    }

    /** Called when a marker is recorded. Readers are held up until {@link #release}. */
    void ended(long first, long producerId, long marker, boolean isCommit) {
        if (!isCommit) {
            long lowest = holding.firstKey();
            Long other = lowest == first ? holding.higherKey(first) : Long.valueOf(lowest);
            aborted.add(producerId, first, marker, other == null ? marker + 1 : other);
        }
    }

    /**
     * Lets readers past a transaction that has ended. The caller wakes them.
     *
     * @param first its first offset
     */
    public void release(long first) {
        holding.remove(first);
        heldAt = holding.isEmpty() ? NOWHERE : holding.firstKey();
    }

    void abortedToText(Map<String, String> values) {
        for (int i = 0; i < aborted.size(); i++) {
            values.put(PREFIX_ABORTED + aborted.keyOf(i), aborted.toText(i));
        }
    }

    void abortedOfText(Map<String, String> values) {
        TreeMap<Long, String> inOrder = new TreeMap<>();
        values.forEach(
                (key, value) -> {
                    if (key.startsWith(PREFIX_ABORTED)) {
                        inOrder.put(Long.parseLong(key.substring(PREFIX_ABORTED.length())), value);
                    }
                });
        inOrder.forEach((last, text) -> aborted.addOfText(last.toString(), text));
    }

    static boolean isKey(String key) {
        return key.startsWith(PREFIX_OPEN) || key.startsWith(PREFIX_ABORTED);
    }
}
