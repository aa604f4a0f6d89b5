package io.firn.host;

import io.firn.BusyException;
import io.firn.ClosedException;
import io.firn.InvalidOptionException;
import io.firn.IsolationLevel;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.TopicOptions;
import java.util.List;

/**
 * A partition as a server or a replica sees it: whole batches instead of records. Every partition
 * of a store that Firn opened is one. Thread-safe.
 *
 * @see HostedStore
 */
public interface HostedPartition extends Partition {

    /**
     * Returns a partition with the methods for programs that serve it.
     *
     * @throws InvalidOptionException when it is not one of a store that Firn opened
     */
    static HostedPartition of(PartitionReader partition) {
        return Hosted.as(HostedPartition.class, partition);
    }

    @Override
    HostedAppender openAppender();

    /**
     * As {@link #openAppender()}, for a holder that gives the appender up when an exclusive one is
     * wanted. After that its appends throw a {@link ClosedException}; another shared appender can
     * be opened when the exclusive one is closed.
     */
    HostedAppender openAppender(AppenderHolder holder);

    /**
     * Opens the one appender of a partition of a replicated topic.
     *
     * @throws ReplicatedTopicException when the topic is not replicated ({@link
     *     TopicOptions#isReplicated})
     * @throws BusyException when one is open
     */
    ReplicaAppender openReplicaAppender();

    /**
     * Opens a reader of whole batches up to the end of {@link IsolationLevel#READ_COMMITTED}
     * records.
     */
    default BatchReader openBatchReader() {
        return openBatchReader(IsolationLevel.READ_COMMITTED);
    }

    /**
     * Opens a reader of whole batches. It returns those of aborted transactions and their markers,
     * too: {@link #abortedTransactions} says which they are.
     *
     * @param isolation where it stops
     */
    BatchReader openBatchReader(IsolationLevel isolation);

    /**
     * Returns the aborted transactions that have offsets in a range, in the order of their last
     * offsets.
     *
     * @param from the first offset of the range
     * @param to the offset after it
     */
    List<AbortedTransaction> abortedTransactions(long from, long to);

    /**
     * Returns the base offset of the active segment: records from here on are in memory, earlier
     * ones may have to be read from a device. The next offset when there is no active segment.
     */
    long activeOffset();

    /**
     * Registers a listener that is called whenever the visible end advances, on the thread that
     * advanced it. See {@link VisibleListener#onVisible} for what it must not do.
     */
    void addVisibleListener(VisibleListener listener);

    /** Removes a listener; a call in progress may still arrive. */
    void removeVisibleListener(VisibleListener listener);

    /**
     * Returns how often the partition was truncated; other than 0 only in a replicated topic. An
     * application that keeps an offset outside of this store, for example with a state that was
     * built from the records below it, keeps this number with it, see {@link #truncatedSince}.
     *
     * @return after the file with it was lost, it goes on from a large random number; −1 in a
     *     read-only store until a writer has opened the store after that
     */
    long truncations();

    /**
     * Returns the lowest offset that the partition was truncated to after the first truncations;
     * {@link Long#MAX_VALUE} if there were no more. What was read below it is still there; other
     * records may have the offsets from there on. A tailer that was open, also in another process,
     * gets a {@link io.firn.TruncatedException} instead.
     *
     * @param truncations an earlier result of {@link #truncations}, read before the records were
     * @return 0 if the partition does not know of that many: then its file was lost
     */
    long truncatedSince(long truncations);
}
