package io.firn.shadow;

import io.firn.IsolationLevel;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import java.nio.ByteBuffer;

/** The copy of a partition, and from where it goes on. For one thread at a time. */
final class PartitionCopy implements AutoCloseable {
    private static final int UNKNOWN = -1;

    private final Topic topic;
    private final int partition;
    private final ReplicaAppender appender;
    private final FollowProgress progress;

    /** Where the source goes on, if it has deleted what comes next. */
    private long sourceContinuesAt;

    /** An older epoch than the last one, of which the source knows what comes next. */
    private int confirmedEpoch = UNKNOWN;

    /** What could not be appended yet; null if there is nothing. */
    private ByteBuffer rest;

    /**
     * Opens the partition.
     *
     * @throws io.firn.FirnException when its appender cannot be opened
     */
    PartitionCopy(Topic topic, int partition) {
        this.topic = topic;
        this.partition = partition;
        this.appender = HostedPartition.of(topic.partition(partition)).openReplicaAppender();
        this.progress = new FollowProgress(topic.name(), partition, appender.nextOffset());
    }

    FollowProgress progress() {
        return progress;
    }

    long nextOffset() {
        return appender.nextOffset();
    }

    /** Returns the epoch of the last batch; −1 if there is none. */
    int lastEpoch() {
        return appender.lastEpoch();
    }

    /** Returns the first offset of a transaction that readers wait for; −1 if there is none. */
    long firstOpen() {
        Partition copied = topic.partition(partition);
        long end = copied.visibleOffset(IsolationLevel.READ_UNCOMMITTED); // first: it grows
        long stable = copied.visibleOffset(IsolationLevel.READ_COMMITTED);
        return stable < end ? stable : UNKNOWN;
    }

    /** Tells readers that wait for the end of a transaction that it will never come. */
    void endIsLost(long first, String found) {
        appender.endIsLost(first, found);
    }

    /** Returns the offset to fetch from. */
    long position() {
        return Math.max(sourceContinuesAt, appender.nextOffset());
    }

    /** Says that the source has nothing between the next offset and this one. */
    void continueAt(long offset) {
        sourceContinuesAt = offset;
    }

    /**
     * Returns the epoch of the batch before the position; −1 if the source has deleted that one.
     */
    int epochBeforePosition() {
        if (position() > appender.nextOffset()) {
            return UNKNOWN;
        }
        return confirmedEpoch == UNKNOWN ? appender.lastEpoch() : confirmedEpoch;
    }

    /** Sets an epoch to be shown to the source instead of the last one; −1 for none. */
    void confirmed(int epoch) {
        confirmedEpoch = epoch;
    }

    /** Returns where an epoch, or the largest one below it, ends here. */
    long endOfEpoch(int epoch) {
        long end = appender.endOfEpoch(epoch).endOffset();
        return end < 0 ? topic.partition(partition).logStartOffset() : end;
    }

    /**
     * Takes what was fetched; {@link #appendRest} appends it.
     *
     * @param checked its whole batches, from {@link WholeBatches#of}
     * @return false if it was nothing but the beginning of a batch
     */
    boolean take(ByteBuffer fetched, ByteBuffer checked) {
        ByteBuffer batches = WholeBatches.from(appender.nextOffset(), checked);
        boolean isCut = !batches.hasRemaining() && fetched.hasRemaining();
        if (!isCut || batches.position() > fetched.position()) {
            rest = batches;
        }
        return rest != null;
    }

    boolean hasRest() {
        return rest != null;
    }

    /** Forgets what could not be appended yet; it is fetched again. */
    void dropRest() {
        rest = null;
    }

    /** Returns whether all was appended; if not, space is being prepared. */
    boolean appendRest() {
        if (!endBeforeGap()) {
            return false;
        }
        while (rest.hasRemaining()) {
            int taken = appender.append(rest);
            if (taken == 0) {
                return false;
            }
            rest.position(rest.position() + taken);
            confirmedEpoch = UNKNOWN;
            progress.appended(taken, appender.nextOffset());
        }
        rest = null;
        closeGap();
        return true;
    }

    /**
     * Continues behind what the source has deleted: as the appender does between two batches, but
     * transactions of which the end was deleted end here, too. The batch at the source's log start
     * may begin before it.
     *
     * @return false when space is being prepared
     */
    private boolean endBeforeGap() {
        if (!rest.hasRemaining() || sourceContinuesAt <= appender.nextOffset()) {
            return true;
        }
        long end = Math.min(sourceContinuesAt, WholeBatches.firstOffset(rest));
        if (end > appender.nextOffset()) {
            appender.fillTo(end);
        }
        return appender.nextOffset() >= end;
    }

    /**
     * At the high watermark nothing will come any more below the position, so that a range without
     * records can be closed.
     */
    private void closeGap() {
        long nextOffset = appender.nextOffset();
        if (sourceContinuesAt > nextOffset && sourceContinuesAt == progress.highWatermark()) {
            appender.fillTo(sourceContinuesAt);
        }
    }

    /** Removes what begins at an offset, or at the log start if that is above it, durably. */
    void truncate(long offset) {
        rest = null;
        sourceContinuesAt = 0;
        confirmedEpoch = UNKNOWN;
        appender.truncate(Math.max(offset, topic.partition(partition).logStartOffset()));
        progress.appended(0, appender.nextOffset());
    }

    @Override
    public void close() {
        appender.close();
    }
}
