package io.firn.append;

/**
 * Murmur2 (Austin Appleby, MurmurHash2, 32 bits) with the seed that Kafka's Java producer uses, so
 * that a key goes to the same partition whoever appends it.
 */
final class KeyPartitioner {
    private static final int SEED = 0x9747b28c;
    private static final int M = 0x5bd1e995;

    private KeyPartitioner() {}

    static int partitionFor(byte[] key, int partitions) {
        return (murmur2(key) & 0x7fffffff) % partitions;
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
