package io.firn.bytes;

import io.firn.LogRecord;
import net.openhft.chronicle.bytes.BytesIn;

/**
 * Reads the fields of a record's value; for those who also want its key, offset or headers.
 *
 * @see BytesTailer
 */
@FunctionalInterface
public interface RecordFields {

    /**
     * Reads the fields of a record. Both arguments are valid until it returns.
     *
     * @param fields at the first byte of the value; empty when the record has no value
     */
    void read(LogRecord record, BytesIn<?> fields);
}
