package io.firn.append;

import io.firn.Batch;
import io.firn.ExclusiveAppender;
import io.firn.RecordId;
import io.firn.log.SegmentedLog;
import java.util.concurrent.CompletableFuture;

/** The appends of an appender that are made of others: those with futures. */
abstract class RecordAppender implements ExclusiveAppender {
    private final OpenAppenders appenders;
    private final SegmentedLog log;

    RecordAppender(OpenAppenders appenders) {
        this.appenders = appenders;
        this.log = appenders.log();
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
