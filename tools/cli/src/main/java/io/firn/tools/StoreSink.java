package io.firn.tools;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.RecordId;
import io.firn.StoredRecord;
import io.firn.Topic;
import io.firn.TopicAppender;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Appends to a topic in a store: some records at a time, so that one force is for all of them. */
final class StoreSink implements RecordSink {
    private static final int BATCH_RECORDS = 1_000;
    private static final int BATCH_BYTES = 256 << 10;

    /** The partition of records that may go anywhere. */
    private static final int ANY = -1;

    private final LogStore store;
    private final TopicAppender appender;
    private final int partitions;
    private final int mostBytes;
    private final Map<Integer, Batch> batches = new HashMap<>();
    private final Map<Integer, Long> counts = new TreeMap<>();

    private StoreSink(LogStore store, Topic topic) {
        this.store = store;
        this.appender = topic.openAppender();
        this.partitions = topic.partitionCount();
        this.mostBytes = Math.min(BATCH_BYTES, topic.options().maxRecordBytes());
    }

    static StoreSink open(Place place, String topic) {
        LogStore store = place.open();
        try {
            return new StoreSink(store, StoreTopics.find(store, topic));
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    @Override
    public void append(StoredRecord record) {
        int partition = record.partition();
        if (partition >= partitions) {
            throw new InvalidOptionException(
                    "there is no partition " + partition + ": the topic has " + partitions);
        }
        if (partition < 0 && record.key() != null) {
            partition = appender.partitionFor(record.key());
        }
        Batch batch = batches.computeIfAbsent(partition, any -> appender.newBatch());
        if (batch.count() > 0 && batch.sizeBytes() + sizeOf(record) > mostBytes) {
            append(partition, batch);
        }
        record.headers().forEach(each -> batch.header(each.key(), each.value()));
        if (record.timestamp() >= 0) {
            batch.timestamp(record.timestamp());
        }
        batch.key(record.key()).value(record.value()).add();
        if (batch.count() >= BATCH_RECORDS) {
            append(partition, batch);
        }
    }

    private static long sizeOf(StoredRecord record) {
        long size = length(record.key()) + length(record.value());
        for (StoredRecord.Header each : record.headers()) {
            size += each.key().length() + length(each.value());
        }
        return size;
    }

    private static long length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }

    private void append(int partition, Batch batch) {
        int count = batch.count();
        if (partition == ANY) {
            RecordId id = appender.append(batch);
            partition = id.partition();
        } else {
            Appender one = appender.partition(partition);
            one.append(batch);
        }
        counts.merge(partition, (long) count, Long::sum);
        batch.clear();
    }

    @Override
    public Map<Integer, Long> flush() {
        batches.forEach(
                (partition, batch) -> {
                    if (batch.count() > 0) {
                        append(partition, batch);
                    }
                });
        return counts;
    }

    @Override
    public void close() {
        appender.close();
        store.close();
    }
}
