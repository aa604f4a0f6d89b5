package io.firn.junit;

import io.firn.LogRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A copy of a record that a test looks at. Immutable, but for the arrays, which are its own. */
public final class ProducedRecord {
    private final int partition;
    private final long offset;
    private final long timestamp;
    private final byte[] key;
    private final byte[] value;
    private final Map<String, byte[]> headers = new LinkedHashMap<>();

    ProducedRecord(LogRecord record) {
        partition = record.partition();
        offset = record.offset();
        timestamp = record.timestamp();
        key = bytes(record.key());
        value = bytes(record.value());
        LogRecord.Headers each = record.headers();
        while (each.next()) {
            headers.put(each.key(), bytes(each.value()));
        }
    }

    private static byte[] bytes(ByteBuffer from) {
        if (from == null) {
            return null;
        }
        byte[] bytes = new byte[from.remaining()];
        from.duplicate().get(bytes);
        return bytes;
    }

    /** Returns the partition that it is in. */
    public int partition() {
        return partition;
    }

    /** Returns its offset in the partition. */
    public long offset() {
        return offset;
    }

    /** Returns its timestamp, in ms since 1970. */
    public long timestamp() {
        return timestamp;
    }

    /** Returns its key; null if it has none. */
    public byte[] key() {
        return key;
    }

    /** Returns its value; null if it has none (a tombstone). */
    public byte[] value() {
        return value;
    }

    /** Returns its key as UTF-8; null if it has none. */
    public String keyAsString() {
        return text(key);
    }

    /** Returns its value as UTF-8; null if it has none (a tombstone). */
    public String valueAsString() {
        return text(value);
    }

    /** Returns the last header with a key; empty if there is none, or it has no value. */
    public Optional<byte[]> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return partition
                + "/"
                + offset
                + " "
                + keyAsString()
                + "="
                + valueAsString()
                + (headers.isEmpty() ? "" : " " + Arrays.toString(headers.keySet().toArray()));
    }
}
