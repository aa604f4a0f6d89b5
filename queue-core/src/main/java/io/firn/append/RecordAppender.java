package io.firn.append;

import io.firn.Batch;
import io.firn.ExclusiveAppender;
import io.firn.RecordId;
import io.firn.log.SegmentedLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/** The appends of an appender that are made of others: a record with a key, and futures. */
abstract class RecordAppender implements ExclusiveAppender {
    private final OpenAppenders appenders;
    private final SegmentedLog log;
    private final RecordBatches records;

    RecordAppender(OpenAppenders appenders) {
        this.appenders = appenders;
        this.log = appenders.log();
        this.records = new RecordBatches(log.topic()::newRecordBatch);
    }

    @Override
    public long append(byte[] key, byte[] value) {
        Batch batch = records.take(key, value);
        try {
            return append(batch);
        } finally {
            records.give(batch);
        }
    }

    @Override
    public CompletableFuture<RecordId> appendFuture(Batch batch) {
        long offset;
        while ((offset = tryAppend(batch)) < 0) {
            appenders.awaitBlock();
        }
        RecordId id = new RecordId(log.index(), offset);
        return log.isDurable()
                ? whenDurable(offset + batch.count() - 1).thenApply(durable -> id)
                : CompletableFuture.completedFuture(id);
    }

    /**
     * Batches of one record, for records that have more than a value: as many as threads append at
     * once, which are filled again and again. They do not belong to threads: those of an
     * application outlive the store, and would keep its classes from being unloaded. Thread-safe;
     * allocates nothing in the steady state.
     */
    static final class RecordBatches {
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
}
