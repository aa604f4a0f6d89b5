package io.firn;

/**
 * Appends to a topic. The partition is picked as Kafka's Java producer does: by murmur2 of the key;
 * records without a key stay with one partition until a batch's worth of bytes went there, then go
 * on with another. Thread-safe; it holds a shared appender on each partition.
 */
public interface TopicAppender extends AutoCloseable {

    /**
     * Appends one record and waits as {@link Appender#append(Batch)} does.
     *
     * @param key or null
     * @param value or null
     * @return where it went
     */
    RecordId append(byte[] key, byte[] value);

    /** The partition that a key goes to. */
    int partitionFor(byte[] key);

    /** The appender of one partition, for everything else; closed with this one. */
    Appender partition(int partition);

    /** Idempotent. */
    @Override
    void close();
}
