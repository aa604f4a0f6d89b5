package io.firn.tools;

import io.firn.StoredRecord;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** The records of a topic in a store or on a server, of some partitions. For one thread. */
interface RecordSource extends Position.Offsets, AutoCloseable {

    /** Returns the numbers of the partitions. */
    List<Integer> partitions();

    /** Moves to an offset, or to the nearest one that the partition has. */
    void seek(int partition, long offset);

    /** Returns the smallest offset that the next record can have. */
    long position(int partition);

    /**
     * Hands out the next records, and says what cannot be read and is passed over.
     *
     * @param timeout how long to wait for the first one at most
     */
    void poll(Consumer<StoredRecord> records, Consumer<String> gaps, Duration timeout);

    /** Returns whether nothing more can come now of what is before some ends, one of each partition. */
    boolean isAt(long[] ends);

    @Override
    void close();
}
