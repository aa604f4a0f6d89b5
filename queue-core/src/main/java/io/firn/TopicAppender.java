package io.firn;

/**
 * Appends to a topic. Chooses the partition as Kafka's Java producer does: by murmur2 of the key.
 * Records without a key go to one partition until about a batch of bytes went there, then to
 * another one. Thread-safe; it holds a shared appender on each partition.
 */
public interface TopicAppender extends AutoCloseable {

    /**
     * Appends one record and waits as {@link Appender#append(Batch)} does.
     *
     * @param key or null
     * @param value or null
     * @return the partition and offset of the record
     */
    RecordId append(byte[] key, byte[] value);

    /** Returns the partition that a key goes to. */
    int partitionFor(byte[] key);

    /** Returns the appender of one partition, for everything else; closed with this one. */
    Appender partition(int partition);

    /** Closes the appenders of all partitions. Idempotent. */
    @Override
    void close();
}
