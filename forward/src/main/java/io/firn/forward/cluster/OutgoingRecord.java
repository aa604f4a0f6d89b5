package io.firn.forward.cluster;

import io.firn.LogRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.header.Header;

/** A copy of a record on its way. Immutable. */
public final class OutgoingRecord {
    private final long offset;
    private final int partition;
    private final long timestamp;
    private final byte[] key;
    private final byte[] value;
    private final List<Header> headers;
    private final int bytes;

    private OutgoingRecord(LogRecord record, int partition) {
        this.offset = record.offset();
        this.partition = partition;
        this.timestamp = record.timestamp();
        this.key = bytes(record.key());
        this.value = record.hasValue() ? new byte[record.valueLength()] : null;
        if (value != null) {
            record.getValue(value, 0);
        }
        this.headers = headers(record);
        int sum = lengthOf(key) + lengthOf(value);
        for (Header each : headers) {
            sum += each.key().length() + lengthOf(each.value());
        }
        this.bytes = sum;
    }

    /**
     * Copies a record.
     *
     * @param partition the partition of the target that it goes to
     */
    public static OutgoingRecord copyOf(LogRecord record, int partition) {
        return new OutgoingRecord(record, partition);
    }

    private static List<Header> headers(LogRecord record) {
        if (record.headerCount() == 0) {
            return List.of();
        }
        List<Header> copies = new ArrayList<>(record.headerCount());
        LogRecord.Headers each = record.headers();
        while (each.next()) {
            copies.add(new SentHeader(each.key(), bytes(each.value())));
        }
        return copies;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] copy = new byte[buffer.remaining()];
        buffer.get(buffer.position(), copy);
        return copy;
    }

    private static int lengthOf(byte[] array) {
        return array == null ? 0 : array.length;
    }

    /** Returns its offset in the store. */
    public long offset() {
        return offset;
    }

    /** Returns the bytes of key, value and headers. */
    public int bytes() {
        return bytes;
    }

    int partition() {
        return partition;
    }

    /** Kafka has no timestamps below 0: such a record gets the time at which it is sent. */
    Long timestamp() {
        return timestamp < 0 ? null : timestamp;
    }

    byte[] key() {
        return key;
    }

    byte[] value() {
        return value;
    }

    List<Header> headers() {
        return headers;
    }

    /** Returns a checksum of what is sent. */
    public int checksum() {
        return checksum(timestamp, key, value, headers);
    }

    static int checksum(long timestamp, byte[] key, byte[] value, Iterable<Header> headers) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(timestamp).flip());
        update(crc, key);
        update(crc, value);
        for (Header each : headers) {
            update(crc, each.key().getBytes(StandardCharsets.UTF_8));
            update(crc, each.value());
        }
        return (int) crc.getValue();
    }

    private static void update(CRC32C crc, byte[] array) {
        int length = array == null ? -1 : array.length;
        crc.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).flip());
        if (array != null) {
            crc.update(array);
        }
    }

    private static final class SentHeader implements Header {
        private final String key;
        private final byte[] value;

        SentHeader(String key, byte[] value) {
            this.key = key;
            this.value = value;
        }

        @Override
        public String key() {
            return key;
        }

        @Override
        public byte[] value() {
            return value;
        }
    }
}
