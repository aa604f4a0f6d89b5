package io.firn.bytes;

import io.firn.RecordHandler;
import io.firn.Tailer;
import java.time.Duration;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.ReadBytesMarshallable;

/**
 * Reads records whose values were written field by field, through Chronicle's {@link Bytes}, which
 * show the log's own memory.
 *
 * <pre>{@code
 * BytesTailer tailer = BytesTailer.of(partition.openTailer());
 * tailer.read(b -> System.out.println(b.readLong() + " " + b.readDouble() + " " + b.readUtf8()));
 * }</pre>
 *
 * <p>Positions, cursors, several partitions and waiting are the {@link Tailer}'s. What its {@code
 * poll} throws, these methods throw; also {@link MalformedValueException} when a reader expects
 * more bytes than the value has, unless it says {@code lenient(true)} to the bytes: then missing
 * values are 0, false or null, so that records of an older version can be read. What the reader
 * throws is passed on. In all these cases the record counts as not handled. What follows the last
 * byte that the reader reads is skipped.
 *
 * <p>For one thread at a time.
 */
public final class BytesTailer implements AutoCloseable {
    private final Tailer tailer;
    private final FieldsHandler handler = new FieldsHandler();

    private BytesTailer(Tailer tailer) {
        this.tailer = Objects.requireNonNull(tailer, "tailer");
    }

    /** Returns a reader of fields over a tailer, which it closes when it is closed. */
    public static BytesTailer of(Tailer tailer) {
        return new BytesTailer(tailer);
    }

    /** Returns the tailer, for example to seek. */
    public Tailer tailer() {
        return tailer;
    }

    /**
     * Reads the next record, without waiting.
     *
     * @param fields reads the value; the {@code Bytes} are valid until it returns, and need no JVM
     *     flags as long as it reads binary fields: numbers, stop-bit numbers, text with its length
     * @return false when no record is visible
     */
    public boolean read(ReadBytesMarshallable fields) {
        Objects.requireNonNull(fields, "fields");
        return tailer.poll(handler.with(fields), 1) > 0;
    }

    /**
     * Reads records, without waiting.
     *
     * @param limit the most records, at least 1
     * @return the number of records read
     */
    public int read(RecordFields fields, int limit) {
        Objects.requireNonNull(fields, "fields");
        return tailer.poll(handler.with(fields), limit);
    }

    /** As {@link #read(RecordFields, int)}, but waits for the first record. */
    public int read(RecordFields fields, int limit, Duration timeout) {
        Objects.requireNonNull(fields, "fields");
        return tailer.poll(handler.with(fields), limit, timeout);
    }

    /** Returns a handler that reads fields, for {@link Tailer#run(RecordHandler)}. */
    public static RecordHandler handler(RecordFields fields) {
        return new FieldsHandler().with(Objects.requireNonNull(fields, "fields"));
    }

    /**
     * Returns a reader that calls an object's methods as they were called on a {@link
     * BytesAppender#methodWriter method writer}.
     *
     * @param implementation implements one or more interfaces as {@code methodWriter} takes them;
     *     their methods without a result are called. An argument that is a {@code
     *     BytesMarshallable} or a {@code CharSequence} is the same object at each call, and valid
     *     until the method returns
     * @throws io.firn.InvalidOptionException when it implements no such interface, two of the
     *     methods are written alike, or the package of an interface is not open to this library
     */
    public MethodReader methodReader(Object implementation) {
        return new MethodReader(tailer, implementation);
    }

    /** Closes the tailer. Idempotent. */
    @Override
    public void close() {
        tailer.close();
    }
}
