package io.firn.bytes;

import io.firn.Appender;
import io.firn.Batch;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Supplier;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.WriteBytesMarshallable;

/**
 * Appends records whose values are written field by field into Chronicle's {@link Bytes}.
 *
 * <pre>{@code
 * try (BytesAppender appender = BytesAppender.of(partition.openAppender())) {
 *     appender.write(b -> b.writeLong(id).writeDouble(price).writeUtf8(symbol));
 * }
 * }</pre>
 *
 * <p>The fields go into an array that is used again by the next record, and from there into the
 * log, as the buffer of a claim does: without garbage, and the record may have any length that the
 * topic allows. Nothing is appended when the writer throws. What the {@code append} methods of
 * {@link Appender} throw, {@code write} throws.
 *
 * <p>{@link TopicBytesAppender} does the same for a topic with several partitions.
 *
 * <p>For one thread at a time, also over a shared appender; open one for each thread.
 */
public final class BytesAppender implements AutoCloseable {
    private final Appender appender;
    private final FieldsEncoder encoder = new FieldsEncoder();
    private final Batch keyed;
    private ByteBuffer plain = ByteBuffer.allocate(0);

    private BytesAppender(Appender appender) {
        this.appender = Objects.requireNonNull(appender, "appender");
        this.keyed = appender.newBatch();
    }

    /** Returns an appender of fields over an appender, which it closes when it is closed. */
    public static BytesAppender of(Appender appender) {
        return new BytesAppender(appender);
    }

    /** Returns the appender of the records, for example to wait until one is durable. */
    public Appender appender() {
        return appender;
    }

    /**
     * Appends a record without a key, and waits as {@link Appender#append(byte[])} does.
     *
     * @param fields writes the value; the {@code Bytes} are valid until it returns, and need no JVM
     *     flags as long as it writes binary fields: numbers, stop-bit numbers, text with its length
     * @return the offset
     */
    public long write(WriteBytesMarshallable fields) {
        int length = encoder.encode(fields);
        return appender.append(encodedIn(encoder.array(), length));
    }

    /** Appends a record with a key, which may be null; otherwise as the other form. */
    public long write(byte[] key, WriteBytesMarshallable fields) {
        int length = encoder.encode(fields);
        return appender.append(keyed.clear().key(key).value(encoder.array(), 0, length).add());
    }

    /**
     * As {@link #write(WriteBytesMarshallable)}, without waiting; or {@link
     * Appender#BACK_PRESSURED}.
     */
    public long tryWrite(WriteBytesMarshallable fields) {
        int length = encoder.encode(fields);
        return appender.tryAppend(keyed.clear().value(encoder.array(), 0, length).add());
    }

    /** Adds a record to a batch, whose key, headers and timestamp may be set before. */
    public void add(Batch batch, WriteBytesMarshallable fields) {
        int length = encoder.encode(fields);
        batch.value(encoder.array(), 0, length).add();
    }

    /**
     * Returns an implementation of an interface that appends a record for each call, and waits as
     * {@link #write(WriteBytesMarshallable)} does. {@link BytesTailer#methodReader} calls the
     * methods of the same or a similar interface.
     *
     * @param type an interface, not sealed, whose methods return nothing and have parameters of the
     *     primitive types, {@code String}, {@code CharSequence}, {@code byte[]}, enums, and classes
     *     that implement {@link net.openhft.chronicle.bytes.BytesMarshallable} by methods of their
     *     own. A method is written by its name, or by its number if it has a {@link
     *     net.openhft.chronicle.bytes.MethodId}
     * @throws io.firn.InvalidOptionException when the type is no such interface, or its package is
     *     not open to this library
     */
    public <T> T methodWriter(Class<T> type) {
        return MethodWriters.create(
                type, (array, length) -> appender.append(encodedIn(array, length)));
    }

    /** An encoder keeps its array as long as it is large enough. */
    @SuppressWarnings("ReferenceEquality") // another array needs another view
    private ByteBuffer encodedIn(byte[] array, int length) {
        if (plain.array() != array) {
            plain = ByteBuffer.wrap(array);
        }
        return plain.clear().limit(length);
    }

    /**
     * As {@link #methodWriter(Class)}, for records with keys.
     *
     * @param key asked at each call; it may return null
     */
    public <T> T methodWriter(Class<T> type, Supplier<byte[]> key) {
        Objects.requireNonNull(key, "key");
        Batch batch = appender.newBatch();
        return MethodWriters.create(
                type,
                (array, length) ->
                        appender.append(
                                batch.clear().key(key.get()).value(array, 0, length).add()));
    }

    /** As {@link #methodWriter(Class)}, but adds the records to a batch. */
    public <T> T methodWriter(Class<T> type, Batch batch) {
        Objects.requireNonNull(batch, "batch");
        return MethodWriters.create(type, (array, length) -> batch.value(array, 0, length).add());
    }

    /** Closes the appender. Idempotent. */
    @Override
    public void close() {
        appender.close();
    }
}
