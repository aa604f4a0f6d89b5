package io.firn.bytes;

import io.firn.Batch;
import io.firn.RecordId;
import io.firn.TopicAppender;
import java.util.Objects;
import java.util.function.Supplier;
import net.openhft.chronicle.bytes.WriteBytesMarshallable;

/**
 * Appends typed records to a topic, in the partition of their key; otherwise as {@link
 * BytesAppender}.
 *
 * <pre>{@code
 * try (TopicBytesAppender appender = TopicBytesAppender.of(topic.openAppender())) {
 *     appender.write(key, b -> b.writeLong(id).writeDouble(price).writeUtf8(symbol));
 * }
 * }</pre>
 *
 * <p>For one thread at a time; open one for each thread.
 */
public final class TopicBytesAppender implements AutoCloseable {
    private final TopicAppender appender;
    private final FieldsEncoder encoder = new FieldsEncoder();
    private final Batch record;

    private TopicBytesAppender(TopicAppender appender) {
        this.appender = Objects.requireNonNull(appender, "appender");
        this.record = appender.newBatch();
    }

    /** Returns an appender of fields over an appender, which it closes when it is closed. */
    public static TopicBytesAppender of(TopicAppender appender) {
        return new TopicBytesAppender(appender);
    }

    /** Returns the appender of the records, for example to wait until one is durable. */
    public TopicAppender appender() {
        return appender;
    }

    /**
     * Appends a record to the partition of its key, and waits as {@link
     * TopicAppender#append(Batch)} does.
     *
     * @param key or null
     * @param fields writes the value, see {@link BytesAppender#write(WriteBytesMarshallable)}
     * @return the partition and offset of the record
     */
    public RecordId write(byte[] key, WriteBytesMarshallable fields) {
        int length = encoder.encode(fields);
        return append(record, key, encoder.array(), length);
    }

    private RecordId append(Batch batch, byte[] key, byte[] value, int length) {
        return appender.append(batch.clear().key(key).value(value, 0, length).add());
    }

    /**
     * Returns an implementation of an interface that appends a record for each call, and waits as
     * {@link #write} does; see {@link BytesAppender#methodWriter(Class)}.
     *
     * @param key asked at each call; it may return null
     */
    public <T> T methodWriter(Class<T> type, Supplier<byte[]> key) {
        Objects.requireNonNull(key, "key");
        Batch batch = appender.newBatch();
        return MethodWriters.create(
                type, (array, length) -> append(batch, key.get(), array, length));
    }

    /** Closes the appender. Idempotent. */
    @Override
    public void close() {
        appender.close();
    }
}
