package io.firn.append;

import io.firn.Batch;
import io.firn.ExclusiveAppender;
import io.firn.RecordId;
import io.firn.log.SegmentedLog;
import java.util.concurrent.CompletableFuture;

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
}
