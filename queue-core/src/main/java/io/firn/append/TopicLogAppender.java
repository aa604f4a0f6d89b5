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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** Chooses partitions, over one shared appender for each. */
public final class TopicLogAppender implements TopicAppender {
    private static final int STICKY_BYTES = 16 * 1024;

    private final List<Appender> appenders = new ArrayList<>();
    private final Supplier<Batch> newBatch;
    private int stickyPartition;
    private int stickyBytes;

    /**
     * Opens a shared appender on each partition.
     *
     * @param newBatch makes batches as the topic wants them
     */
    public TopicLogAppender(List<? extends Partition> partitions, Supplier<Batch> newBatch) {
        try {
            for (Partition partition : partitions) {
                appenders.add(partition.openAppender());
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        this.newBatch = newBatch;
        stickyPartition = ThreadLocalRandom.current().nextInt(appenders.size());
    }

    @Override
    public RecordId append(byte[] key, byte[] value) {
        int partition = choose(key, value);
        return new RecordId(partition, appenders.get(partition).append(key, value));
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
        Objects.requireNonNull(
                key, "a key is expected, found null: such records have no fixed partition");
        return KeyPartitioner.partitionFor(key, appenders.size());
    }

    @Override
    public Appender partition(int partition) {
        if (partition < 0 || partition >= appenders.size()) {
            throw new InvalidOptionException(
                    "this appender was opened for the partitions 0 to "
                            + (appenders.size() - 1)
                            + ", found "
                            + partition
                            + ": where partitions were added since, open another one");
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

    /**
     * Murmur2 (Austin Appleby, MurmurHash2, 32 bits) with the seed that Kafka's Java producer uses,
     * so that a key goes to the same partition wherever it is appended.
     */
    public static final class KeyPartitioner {
        private static final int SEED = 0x9747b28c;
        private static final int M = 0x5bd1e995;

        private KeyPartitioner() {}

        /** Returns the partition of a key. */
        public static int partitionFor(byte[] key, int partitions) {
            return (murmur2(key) & 0x7fffffff) % partitions;
        }

        /**
         * Returns the partition of a batch's keys; −1 when it has none.
         *
         * @throws IllegalArgumentException when its keys belong to different partitions
         */
        public static int partitionFor(BatchEncoder batch, int partitions) {
            if (partitions == 1) {
                return 0;
            }
            List<byte[]> keys = batch.keys();
            int first = -1;
            for (int i = 0; i < keys.size(); i++) {
                if (keys.get(i) != null) {
                    int partition = partitionFor(keys.get(i), partitions);
                    if (first >= 0 && partition != first) {
                        throw new IllegalArgumentException(
                                "the keys of a batch must belong to one partition; a key belongs to"
                                        + " partition "
                                        + first
                                        + ", that of record "
                                        + i
                                        + " to partition "
                                        + partition
                                        + ": make a batch for each partition (partitionFor), or append"
                                        + " the records one by one");
                    }
                    first = partition;
                }
            }
            return first;
        }

        static int murmur2(byte[] bytes) {
            int length = bytes.length;
            int hash = SEED ^ length;
            int at = 0;
            for (; at + 4 <= length; at += 4) {
                int word =
                        (bytes[at] & 0xff)
                                | ((bytes[at + 1] & 0xff) << 8)
                                | ((bytes[at + 2] & 0xff) << 16)
                                | ((bytes[at + 3] & 0xff) << 24);
                word *= M;
                word ^= word >>> 24;
                hash = (hash * M) ^ (word * M);
            }
            int left = length - at;
            if (left > 0) {
                for (int i = left - 1; i >= 0; i--) {
                    hash ^= (bytes[at + i] & 0xff) << (8 * i);
                }
                hash *= M;
            }
            hash ^= hash >>> 13;
            hash *= M;
            return hash ^ (hash >>> 15);
        }
    }
}
