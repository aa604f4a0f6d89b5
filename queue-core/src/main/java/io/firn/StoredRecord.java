package io.firn;

import java.util.List;

/**
 * A record taken out of the log to keep.
 *
 * @param partition the partition it was read from
 * @param offset its number there
 * @param timestamp ms since 1970
 * @param key or null
 * @param value or null
 * @param headers in their order
 */
public record StoredRecord(
        int partition,
        long offset,
        long timestamp,
        byte[] key,
        byte[] value,
        List<Header> headers) {

    /**
     * A header of a record.
     *
     * @param key its name
     * @param value or null
     */
    public record Header(String key, byte[] value) {}
}
