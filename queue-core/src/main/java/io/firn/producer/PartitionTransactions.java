package io.firn.producer;

import io.firn.log.ReaderLimit;
import io.firn.log.WaitingReaders;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/**
 * The transactions of a partition: the open ones, which hold up readers, and the aborted ones.
 *
 * <p>Readers of committed records stop at {@link #heldAt}. A thread that raises it by {@link
 * #release} has appended the marker before; one that lowers it, by {@link #hold}, does so before
 * the batch at that offset is published. So who first loads the end of the log and then this number
 * never passes an undecided record. Changed under the monitor of the partition's {@link Producers};
 * any thread may read.
 */
public final class PartitionTransactions implements ReaderLimit {
    static final String PREFIX_OPEN = "tx.";
    private static final String PREFIX_ABORTED = "aborted.";
    private static final String FILED_TO = "abortedTo";

    /** Producers by the first offsets of their transactions, as long as these hold up readers. */
    private final TreeMap<Long, Long> holding = new TreeMap<>();

    private final AbortedTransactions aborted = new AbortedTransactions();

    /** Held for changes. */
    private final Object monitor;

    private volatile long heldAt = NOWHERE;

    /** The transaction of another log whose end will never come; null for none. */
    private volatile LostEnd lostEnd;

    /** The first offset of a transaction, and what was found of it. */
    private record LostEnd(long first, String found) {}

    /** In a read-only store: looks at what is new below an end. Set before the first read. */
    private LongConsumer follower;

    PartitionTransactions(Producers producers) {
        this.monitor = producers;
    }

    @Override
    public long heldAt() {
        return heldAt;
    }

    @Override
    public long stable(long end) {
        if (follower != null) {
            follower.accept(end);
        }
        return Math.min(end, heldAt);
    }

    /** Sets what finds out, in a read-only store, which transactions there are. */
    public void follow(LongConsumer newFollower) {
        follower = newFollower;
    }

    /** Returns those whose records no reader of committed records is shown. */
    public AbortedTransactions aborted() {
        return aborted;
    }

    @Override
    public boolean isAborted(long producerId, long offset) {
        return aborted.contains(producerId, offset);
    }

    /** Says that a transaction will never end, and wakes the readers that wait for it. */
    public void endIsLost(long first, String found, WaitingReaders readers) {
        readers.begin();
        lostEnd = new LostEnd(first, found);
        readers.tell();
    }

    @Override
    public String lostEnd() {
        LostEnd lost = lostEnd;
        return lost == null || lost.first != heldAt ? null : lost.found;
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
    public void ended(long first, long producerId, long marker, boolean isCommit) {
        if (!isCommit) {
            long lowest = holding.firstKey();
            Long other = lowest == first ? holding.higherKey(first) : Long.valueOf(lowest);
            aborted.add(producerId, first, marker, other == null ? marker + 1 : other);
        }
    }

    /**
     * Lets readers past a transaction that has ended, and wakes them.
     *
     * @param first its first offset
     */
    public void release(long first, WaitingReaders readers) {
        readers.begin();
        synchronized (monitor) {
            release(first);
        }
        readers.tell();
    }

    /** Lets readers past a transaction that has ended, when none waits, or it was not stored. */
    public void release(long first) {
        holding.remove(first);
        heldAt = holding.isEmpty() ? NOWHERE : holding.firstKey();
    }

    /** Lets readers past all transactions but those whose first offsets are still open. */
    void holdOnly(LongPredicate isOpen) {
        holding.keySet().removeIf(first -> !isOpen.test(first));
        heldAt = holding.isEmpty() ? NOWHERE : holding.firstKey();
    }

    /** Holds up all readers of committed records, until {@link #adopt}. */
    @Override
    public void suspend() {
        synchronized (monitor) {
            lostEnd = null;
            heldAt = 0;
        }
    }

    /** Replaces everything by what was found anew. */
    void adopt(PartitionTransactions found) {
        aborted.adopt(found.aborted);
        holding.clear();
        holding.putAll(found.holding);
        heldAt = found.heldAt;
    }

    /** Adds those that are in no file of their own, and up to where there are such files. */
    void abortedToText(Map<String, String> values) {
        for (int i = aborted.filed(); i < aborted.size(); i++) {
            values.put(PREFIX_ABORTED + aborted.keyOf(i), aborted.toText(i));
        }
        if (aborted.lastFiled() >= 0) {
            values.put(FILED_TO, Long.toString(aborted.lastFiled()));
        }
    }

    /** Returns the aborted transactions in a checkpoint, in the form of a file of their own. */
    public static Map<String, String> abortedIn(Map<String, String> checkpoint) {
        Map<String, String> found = new HashMap<>();
        checkpoint.forEach(
                (key, value) -> {
                    if (key.startsWith(PREFIX_ABORTED)) {
                        found.put(key, value);
                    }
                });
        return found;
    }

    /** Returns the last offset of what {@link #abortedIn} returned, which is not empty. */
    public static long lastOf(Map<String, String> aborted) {
        return aborted.keySet().stream()
                .mapToLong(PartitionTransactions::offsetIn)
                .max()
                .orElse(-1);
    }

    private static long offsetIn(String key) {
        return Long.parseLong(key.substring(PREFIX_ABORTED.length()));
    }

    /** Returns up to which offset a checkpoint relies on files of their own; −1 for none. */
    public static long filedTo(Fields checkpoint) throws DamagedFileException {
        return checkpoint.has(FILED_TO) ? checkpoint.offset(FILED_TO) : -1;
    }

    /** Replaces, in a checkpoint, what was written into a file of its own. */
    public void onFiled(Map<String, String> checkpoint, Map<String, String> written) {
        long last = lastOf(written);
        aborted.filedTo(last);
        checkpoint.keySet().removeAll(written.keySet());
        checkpoint.put(FILED_TO, Long.toString(last));
    }

    /** Forgets what cannot be asked for any more. */
    public void dropBelow(long logStart) {
        aborted.dropBelow(logStart);
    }

    void filedTo(long last) {
        aborted.filedTo(last);
    }

    void addAborted(Fields fields) throws DamagedFileException {
        Fields all = fields.below(PREFIX_ABORTED);
        TreeMap<Long, String> inOrder = new TreeMap<>();
        for (String key : all.keys()) {
            inOrder.put(all.numberIn(key, 0, Fields.MOST), key);
        }
        for (String key : inOrder.values()) {
            aborted.add(all, key);
        }
    }

    static boolean isKey(String key) {
        return key.startsWith(PREFIX_OPEN)
                || key.startsWith(PREFIX_ABORTED)
                || key.equals(FILED_TO);
    }
}
