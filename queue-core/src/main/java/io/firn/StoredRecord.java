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
 * @param partition the partition it was read from
 * @param offset the offset in the partition
 * @param timestamp ms since 1970
 * @param key or null
 * @param value or null
 * @param headers the headers, in order
 */
public record StoredRecord(
        int partition,
        long offset,
        long timestamp,
        byte[] key,
        byte[] value,
        List<Header> headers) {
    private static final int SHOWN_BYTES = 64;

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

    /**
     * A header of a record. Two are equal when their keys and the bytes of their values are.
     *
     * @param key the header's key
     * @param value or null
     */
    public record Header(String key, byte[] value) {
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
