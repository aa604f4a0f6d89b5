package io.firn.tools;

import io.firn.StoredRecord;
import java.util.Map;

/** Where records are appended: a topic in a store or on a server. For one thread. */
interface RecordSink extends AutoCloseable {

    /**
     * Appends a record, soon.
     *
     * @param record its partition is −1 where the key is to choose it, its offset means nothing,
     *     and a negative timestamp is now
     */
    void append(StoredRecord record);

    /** Waits until everything is durable; returns the number of records by partition. */
    Map<Integer, Long> flush();

    @Override
    void close();
}
