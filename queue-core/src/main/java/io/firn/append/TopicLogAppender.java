package io.firn.append;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.InvalidOptionException;
import io.firn.Partition;
import io.firn.RecordId;
import io.firn.TopicAppender;
import io.firn.format.BatchEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** Chooses partitions, over one shared appender for each. */
public final class TopicLogAppender implements TopicAppender {
    private static final int STICKY_BYTES = 16 * 1024;

    private final List<Appender> appenders = new ArrayList<>();
    private final Supplier<Batch> newBatch;
    private final RecordBatches records;
    private int stickyPartition;
    private int stickyBytes;

    /**
     * Opens a shared appender on each partition.
     *
     * @param newBatch makes batches as the topic wants them
     * @param newRecordBatch makes batches for single records
     */
    public TopicLogAppender(
            List<? extends Partition> partitions,
            Supplier<Batch> newBatch,
            Supplier<Batch> newRecordBatch) {
        try {
            for (Partition partition : partitions) {
                appenders.add(partition.openAppender());
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        this.newBatch = newBatch;
        records = new RecordBatches(newRecordBatch);
        stickyPartition = ThreadLocalRandom.current().nextInt(appenders.size());
    }

    @Override
    public RecordId append(byte[] key, byte[] value) {
        int partition = choose(key, value);
        Batch batch = records.take(key, value);
        try {
            return new RecordId(partition, appenders.get(partition).append(batch));
        } finally {
            records.give(batch);
        }
    }

    @Override
    public RecordId append(Batch batch) {
        int partition = choose(batch);
        return new RecordId(partition, appenders.get(partition).append(batch));
    }

    @Override
    public CompletableFuture<RecordId> appendFuture(Batch batch) {
        return appenders.get(choose(batch)).appendFuture(batch);
    }

    @Override
    public Batch newBatch() {
        return newBatch.get();
    }

    private int choose(Batch batch) {
        int partition = KeyPartitioner.partitionFor(BatchEncoder.of(batch), appenders.size());
        return partition < 0 ? sticky(batch.sizeBytes()) : partition;
    }

    private int choose(byte[] key, byte[] value) {
        return key == null ? sticky(value == null ? 0 : value.length) : partitionFor(key);
    }

    @Override
    public int partitionFor(byte[] key) {
        return KeyPartitioner.partitionFor(key, appenders.size());
    }

    @Override
    public Appender partition(int partition) {
        if (partition < 0 || partition >= appenders.size()) {
            throw new InvalidOptionException(
                    "the topic has partitions 0 to "
                            + (appenders.size() - 1)
                            + ", not "
                            + partition);
        }
        return appenders.get(partition);
    }

    @Override
    public void close() {
        appenders.forEach(Appender::close);
    }

    private synchronized int sticky(int bytes) {
        if (stickyBytes >= STICKY_BYTES) {
            stickyBytes = 0;
            int others = appenders.size() - 1;
            if (others > 0) {
                int step = 1 + ThreadLocalRandom.current().nextInt(others);
                stickyPartition = (stickyPartition + step) % appenders.size();
            }
        }
        stickyBytes += bytes;
        return stickyPartition;
    }
}
