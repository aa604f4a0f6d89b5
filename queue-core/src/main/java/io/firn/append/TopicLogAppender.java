package io.firn.append;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.InvalidOptionException;
import io.firn.Partition;
import io.firn.RecordId;
import io.firn.TopicAppender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** Chooses partitions, over one shared appender for each. */
public final class TopicLogAppender implements TopicAppender {
    private static final int STICKY_BYTES = 16 * 1024;

    private final List<Appender> appenders = new ArrayList<>();
    private final ThreadLocal<Batch> batches;
    private int stickyPartition;
    private int stickyBytes;

    public TopicLogAppender(List<? extends Partition> partitions, Supplier<Batch> newBatch) {
        try {
            for (Partition partition : partitions) {
                appenders.add(partition.openSharedAppender());
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        batches = ThreadLocal.withInitial(newBatch);
        stickyPartition = ThreadLocalRandom.current().nextInt(appenders.size());
    }

    @Override
    public RecordId append(byte[] key, byte[] value) {
        int partition = key == null ? sticky(value == null ? 0 : value.length) : partitionFor(key);
        Batch batch = batches.get().clear().add(key, value);
        return new RecordId(partition, appenders.get(partition).append(batch));
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
