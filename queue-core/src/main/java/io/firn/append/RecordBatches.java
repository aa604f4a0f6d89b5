package io.firn.append;

import io.firn.Batch;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Batches of one record, for records that have more than a value: as many as threads append at
 * once, which are filled again and again. They do not belong to threads: those of an application
 * outlive the store, and would keep its classes from being unloaded. Thread-safe; allocates nothing
 * in the steady state.
 */
final class RecordBatches {
    private static final int MOST = 16;

    private final AtomicReferenceArray<Batch> free = new AtomicReferenceArray<>(MOST);
    private final Supplier<Batch> newBatch;

    RecordBatches(Supplier<Batch> newBatch) {
        this.newBatch = newBatch;
    }

    /** Returns a batch with one record in it, to be given back. */
    Batch take(byte[] key, byte[] value) {
        return takeAny().clear().add(key, value);
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
}
