package io.firn.append;

import io.firn.Batch;
import io.firn.StoredRecord.Header;
import java.util.List;
import java.util.function.Supplier;

/**
 * Batches of one record, for records that have more than a value: one for each thread, which is
 * filled again and again. Thread-safe.
 */
public final class RecordBatches {
    private final ThreadLocal<Batch> batches;

    RecordBatches(Supplier<Batch> newBatch) {
        batches = ThreadLocal.withInitial(newBatch);
    }

    /** Returns this thread's batch, with one record in it. */
    Batch of(byte[] key, byte[] value, List<Header> headers) {
        return fill(batches.get(), key, value, headers);
    }

    /** Makes a batch hold one record and nothing else. */
    public static Batch fill(Batch batch, byte[] key, byte[] value, List<Header> headers) {
        batch.clear();
        for (int i = 0; i < headers.size(); i++) { // an iterator would be an object
            Header header = headers.get(i);
            batch.header(header.key(), header.value());
        }
        return batch.add(key, value);
    }
}
