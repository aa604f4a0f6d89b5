package io.firn;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/**
 * A copy of a record, independent of the log. Two are equal when all of it is, keys and values byte
 * by byte; {@link #toString} shows the beginnings of both, as text if they are text.
 *
 * @see Tailer
 */
public final class StoredRecord {
    private static final int SHOWN_BYTES = 64;

    private final int partition;
    private final long offset;
    private final long timestamp;
    private final byte[] key;
    private final byte[] value;
    private final List<Header> headers;

    /**
     * Creates a record. Nothing is copied.
     *
     * @param partition the partition it was read from
     * @param offset the offset in the partition
     * @param timestamp ms since 1970
     * @param key or null
     * @param value or null
     * @param headers the headers, in order
     */
    public StoredRecord(
            int partition,
            long offset,
            long timestamp,
            byte[] key,
            byte[] value,
            List<Header> headers) {
        this.partition = partition;
        this.offset = offset;
        this.timestamp = timestamp;
        this.key = key;
        this.value = value;
        this.headers = headers;
    }

    /** Returns the partition it was read from. */
    public int partition() {
        return partition;
    }

    /** Returns the offset in the partition. */
    public long offset() {
        return offset;
    }

    /** Returns the timestamp, in ms since 1970. */
    public long timestamp() {
        return timestamp;
    }

    /** Returns the key, which is not copied; null for none. */
    public byte[] key() {
        return key;
    }

    /** Returns the value, which is not copied; null for none. */
    public byte[] value() {
        return value;
    }

    /** Returns the headers, in order. */
    public List<Header> headers() {
        return headers;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StoredRecord that
                && partition == that.partition
                && offset == that.offset
                && timestamp == that.timestamp
                && Arrays.equals(key, that.key)
                && Arrays.equals(value, that.value)
                && headers.equals(that.headers);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                partition,
                offset,
                timestamp,
                Arrays.hashCode(key),
                Arrays.hashCode(value),
                headers);
    }

    @Override
    public String toString() {
        return String.format(
                "StoredRecord[partition=%d, offset=%d, timestamp=%d, key=%s, value=%s, headers=%s]",
                partition, offset, timestamp, shown(key), shown(value), headers);
    }

    private static String shown(byte[] bytes) {
        if (bytes == null) {
            return "null";
        }
        byte[] first = bytes.length <= SHOWN_BYTES ? bytes : Arrays.copyOf(bytes, SHOWN_BYTES);
        String text = new String(first, StandardCharsets.US_ASCII);
        boolean isText = text.chars().allMatch(each -> each >= ' ' && each < 0x7F);
        return (isText ? '"' + text + '"' : "0x" + HexFormat.of().formatHex(first))
                + (first.length < bytes.length ? "... (" + bytes.length + " bytes)" : "");
    }

    /** A header of a record. Two are equal when their keys and the bytes of their values are. */
    public static final class Header {
        private final String key;
        private final byte[] value;

        /**
         * Creates a header. Nothing is copied.
         *
         * @param key the header's key
         * @param value or null
         */
        public Header(String key, byte[] value) {
            this.key = key;
            this.value = value;
        }

        /** Returns the header's key. */
        public String key() {
            return key;
        }

        /** Returns the value, which is not copied; null for none. */
        public byte[] value() {
            return value;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Header that
                    && key.equals(that.key)
                    && Arrays.equals(value, that.value);
        }

        @Override
        public int hashCode() {
            return Objects.hash(key, Arrays.hashCode(value));
        }

        @Override
        public String toString() {
            return key + "=" + shown(value);
        }
    }
}
