package io.firn;

import java.util.List;

/**
 * A copy of a record, independent of the log.
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

    /**
     * A header of a record.
     *
     * @param key the header's key
     * @param value or null
     */
    public record Header(String key, byte[] value) {}
}
