package io.firn.append;

import io.firn.Batch;
import io.firn.StoredRecord.Header;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Batches of one record, for records that have more than a value: as many as threads append at
 * once, which are filled again and again. They do not belong to threads: those of an application
 * outlive the store, and would keep its classes from being unloaded. Thread-safe; allocates nothing
 * in the steady state.
 */
public final class RecordBatches {
    private static final int MOST = 16;

    private final AtomicReferenceArray<Batch> free = new AtomicReferenceArray<>(MOST);
    private final Supplier<Batch> newBatch;

    RecordBatches(Supplier<Batch> newBatch) {
        this.newBatch = newBatch;
    }

    /** Returns a batch with one record in it, to be given back. */
    Batch take(byte[] key, byte[] value, List<Header> headers) {
        return fill(takeAny(), key, value, headers);
    }

    private Batch takeAny() {
        for (int i = 0; i < MOST; i++) {
            Batch batch = free.getPlain(i) == null ? null : free.getAndSet(i, null);
            if (batch != null) {
                return batch;
            }
        }
        return newBatch.get();
    }

    /** Takes a batch back. */
    void give(Batch batch) {
        for (int i = 0; i < MOST; i++) {
            if (free.getPlain(i) == null && free.compareAndSet(i, null, batch)) {
                return;
            }
        }
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
