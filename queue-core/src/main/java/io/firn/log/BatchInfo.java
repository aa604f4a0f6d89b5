package io.firn.log;

import io.firn.format.BatchFormat;
import io.firn.format.HeaderBytes;
import java.nio.ByteBuffer;

/** The fields of a batch's header that the log uses. Not thread-safe. */
public final class BatchInfo {
    private int count;
    private long maxTimestamp;
    private long producerId;
    private int producerEpoch;
    private int baseSequence;
    private int attributes;

    /** Reads the header of the batch at a position in a buffer. */
    public BatchInfo read(ByteBuffer b, int at) {
        count = b.getInt(at + BatchFormat.LAST_OFFSET_DELTA) + 1;
        maxTimestamp = b.getLong(at + BatchFormat.MAX_TIMESTAMP);
        producerId = b.getLong(at + BatchFormat.PRODUCER_ID);
        producerEpoch = b.getShort(at + BatchFormat.PRODUCER_EPOCH);
        baseSequence = b.getInt(at + BatchFormat.BASE_SEQUENCE);
        attributes = b.getShort(at + BatchFormat.ATTRIBUTES);
        return this;
    }

    /** Reads the header of the batch at the start of an array. */
    public BatchInfo read(byte[] b) {
        count = HeaderBytes.getInt(b, BatchFormat.LAST_OFFSET_DELTA) + 1;
        maxTimestamp = HeaderBytes.getLong(b, BatchFormat.MAX_TIMESTAMP);
        producerId = HeaderBytes.getLong(b, BatchFormat.PRODUCER_ID);
        producerEpoch = HeaderBytes.getShort(b, BatchFormat.PRODUCER_EPOCH);
        baseSequence = HeaderBytes.getInt(b, BatchFormat.BASE_SEQUENCE);
        attributes = HeaderBytes.getShort(b, BatchFormat.ATTRIBUTES);
        return this;
    }

    public int count() {
        return count;
    }

    public long maxTimestamp() {
        return maxTimestamp;
    }

    public long producerId() {
        return producerId;
    }

    public int producerEpoch() {
        return producerEpoch;
    }

    public int baseSequence() {
        return baseSequence;
    }

    /** Returns whether the batch belongs to a transaction. */
    public boolean isTransactional() {
        return (attributes & BatchFormat.TRANSACTIONAL_FLAG) != 0;
    }

    /** Returns whether the batch is no user's, but a marker. */
    public boolean isControl() {
        return (attributes & BatchFormat.CONTROL_FLAG) != 0;
    }
}
