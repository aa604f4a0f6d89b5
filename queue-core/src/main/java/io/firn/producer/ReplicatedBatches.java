package io.firn.producer;

import io.firn.format.BatchFormat;
import io.firn.format.MarkerBatch;
import io.firn.log.BatchInfo;
import java.nio.ByteBuffer;

/**
 * Notes what the batches of a replicated partition say of leader epochs and of transactions, batch
 * by batch in the order of the log. The transactions are those of another log: their producers are
 * not this store's, and they are not decided here. What is noted is only which are open, and which
 * were aborted. Used under the monitor of the partition's {@link Producers}. Not thread-safe.
 */
public final class ReplicatedBatches {
    private static final long NONE = -1;

    private final Producers producers;
    private final BatchInfo info = new BatchInfo();

    public ReplicatedBatches(Producers producers) {
        this.producers = producers;
    }

    /** Holds up readers, if a batch begins a transaction; before it is published. */
    public void before(ByteBuffer bytes, int at) {
        if (isOfTransaction(bytes, at) && !info.isControl()) {
            producers.beginForeign(info, bytes.getLong(at + BatchFormat.BASE_OFFSET));
        }
    }

    /**
     * Notes a batch that is published.
     *
     * @return the first offset of the transaction that it ends, past which readers are then to be
     *     let; −1 when it ends none
     */
    public long after(ByteBuffer bytes, int at) {
        long offset = bytes.getLong(at + BatchFormat.BASE_OFFSET);
        producers.leaderEpochs().add(bytes.getInt(at + BatchFormat.EPOCH), offset);
        if (isOfTransaction(bytes, at) && info.isControl() && MarkerBatch.isAt(bytes, at)) {
            return producers.endForeign(info, MarkerBatch.isCommit(bytes, at), offset);
        }
        return NONE;
    }

    /** As both, for a batch that was published before. */
    public void note(ByteBuffer bytes, int at) {
        before(bytes, at);
        long first = after(bytes, at);
        if (first != NONE) {
            producers.transactions().release(first);
        }
    }

    private boolean isOfTransaction(ByteBuffer bytes, int at) {
        info.read(bytes, at);
        return info.producerId() >= 0 && info.isTransactional();
    }
}
