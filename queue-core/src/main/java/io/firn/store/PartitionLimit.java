package io.firn.store;

import io.firn.LimitExceededException;
import io.firn.budget.HeapBudget;
import java.io.IOException;

/**
 * How many partitions a store may have: each uses memory for as long as the store is open, so a
 * store with too many could be created, but not be opened again. Immutable.
 */
public final class PartitionLimit {
    /** What a partition may use of the heap, with an open appender and a long index. */
    private static final int BYTES_FOR_EACH = 16 << 10;

    /** What a partition without records uses at least. */
    private static final int LEAST_BYTES = 4 << 10;

    private static final int LEAST = 500;

    private final int most;

    private PartitionLimit(int most) {
        this.most = most;
    }

    /** Returns a limit; 0 stands for one that the heap can bear. */
    static PartitionLimit of(int configured) {
        return new PartitionLimit(
                configured > 0
                        ? configured
                        : HeapBudget.PARTITIONS.count(LEAST, Integer.MAX_VALUE));
    }

    private static long maxHeap() {
        return HeapBudget.heapBytes();
    }

    /**
     * Checks that there may be so many more.
     *
     * @param present how many there are, with those that are being deleted
     * @param deleted how many of them belong to deleted topics
     * @throws LimitExceededException otherwise
     */
    void checkRoom(String topic, long present, long deleted, int more) {
        if (present + more > most) {
            throw new LimitExceededException(
                    LimitExceededException.Limit.PARTITIONS,
                    "topic "
                            + topic
                            + " would have "
                            + more
                            + " more partitions; the store has "
                            + present
                            + " of at most "
                            + most
                            + (deleted == 0
                                    ? ""
                                    : ", "
                                            + deleted
                                            + " of them of deleted topics that are being removed"
                                            + " (try again)")
                            + ": create fewer, delete topics, or raise the limit (maxPartitions,"
                            + " by default a share of the heap)");
        }
    }

    /** Returns why a topic's file with so many partitions cannot be right; null if it may be. */
    public String whyImpossible(int partitions) {
        return isTooMany(partitions) ? "the topic file says that " + tooMany(partitions) : null;
    }

    private boolean isTooMany(long partitions) {
        return partitions > most && partitions > maxHeap() / LEAST_BYTES;
    }

    /**
     * Checks before anything is read of the partitions that the heap can hold them at all.
     *
     * @throws IOException otherwise
     */
    public void checkOpen(long partitions) throws IOException {
        if (isTooMany(partitions)) {
            throw new IOException(tooMany(partitions) + "; nothing was changed");
        }
    }

    /** Returns the message for a store whose partitions do not fit into the heap. */
    public static String tooMany(long partitions) {
        return "it has "
                + partitions
                + " partitions, more than a heap of "
                + (maxHeap() >> 20)
                + " MiB can hold: open it with a larger heap (-Xmx), about "
                + ((partitions * BYTES_FOR_EACH) >> 20)
                + " MiB";
    }
}
