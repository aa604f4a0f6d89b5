package io.firn.append;

import io.firn.InvalidOptionException;
import io.firn.format.BatchEncoder;
import java.util.List;

/**
 * Murmur2 (Austin Appleby, MurmurHash2, 32 bits) with the seed that Kafka's Java producer uses, so
 * that a key goes to the same partition whoever appends it.
 */
public final class KeyPartitioner {
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
     * @throws InvalidOptionException when its keys belong to different partitions
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
                    throw new InvalidOptionException(
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
