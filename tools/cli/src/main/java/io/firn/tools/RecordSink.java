package io.firn.tools;

import io.firn.StoredRecord;
import java.io.IOException;
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

    /** Appends records to a sink. */
    @FunctionalInterface
    interface Work {
        /** Appends them all. */
        void appendTo(RecordSink sink) throws IOException;
    }

    /**
     * Opens a topic, and appends records. Those before one that is refused are durable, too.
     *
     * @return how many were appended
     */
    static Table appendAll(Place place, String topic, Work work) throws IOException {
        Map<Integer, Long> counts;
        try (RecordSink sink = place.sink(topic)) {
            try {
                work.appendTo(sink);
            } finally {
                counts = sink.flush();
            }
        }
        Table table = new Table("appended").numbers("partition", "records");
        counts.forEach(table::row);
        return table;
    }

    /** Waits until everything is durable; returns the number of records by partition. */
    Map<Integer, Long> flush();

    @Override
    void close();
}
