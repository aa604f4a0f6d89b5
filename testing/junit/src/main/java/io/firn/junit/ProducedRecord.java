package io.firn.junit;

import io.firn.LogRecord;
import io.firn.StoredRecord;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A copy of a record that a test looks at. Immutable, but for the arrays, which are its own.
 *
 * @see FirnKafka
 */
public final class ProducedRecord {
    private final StoredRecord record;

    ProducedRecord(LogRecord record) {
        this.record = record.copy();
    }

    /** Returns the partition that it is in. */
    public int partition() {
        return record.partition();
    }

    /** Returns its offset in the partition. */
    public long offset() {
        return record.offset();
    }

    /** Returns its timestamp, in ms since 1970. */
    public long timestamp() {
        return record.timestamp();
    }

    /** Returns its key; null if it has none. */
    public byte[] key() {
        return record.key();
    }

    /** Returns its value; null if it has none (a tombstone). */
    public byte[] value() {
        return record.value();
    }

    /** Returns its key as UTF-8; null if it has none. */
    public String keyAsString() {
        return text(key());
    }

    /** Returns its value as UTF-8; null if it has none (a tombstone). */
    public String valueAsString() {
        return text(value());
    }

    /** Returns the last header with a key; empty if there is none, or it has no value. */
    public Optional<byte[]> header(String name) {
        return record.headers().stream()
                .filter(each -> each.key().equals(name))
                .reduce((first, last) -> last)
                .map(StoredRecord.Header::value);
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return record.toString();
    }
}
