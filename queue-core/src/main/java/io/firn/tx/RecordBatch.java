package io.firn.tx;

import io.firn.Batch;
import io.firn.format.BatchEncoder;
import io.firn.log.TopicContext;

/**
 * The batch of a record that a transaction appends by itself. It is used again, also by the next
 * transaction of the producer, since a new one allocates 2 KB. For one thread.
 */
final class RecordBatch {
    /** A larger one is not kept. */
    private static final int MOST_KEPT_BYTES = 64 * 1024;

    private TopicContext topic;
    private int maxRecordBytes; // of the topic when the batch was made
    private Batch batch;

    /** Returns a batch that has one record. */
    BatchEncoder of(TopicContext wanted, byte[] key, byte[] value) {
        int most = wanted.options().maxRecordBytes();
        boolean fits = topic == wanted && maxRecordBytes == most;
        Batch one = fits ? batch.clear() : wanted.newRecordBatch();
        one.add(key, value);
        boolean isKept = one.sizeBytes() <= MOST_KEPT_BYTES;
        topic = isKept ? wanted : null;
        maxRecordBytes = most;
        batch = isKept ? one : null;
        return BatchEncoder.of(one);
    }
}
