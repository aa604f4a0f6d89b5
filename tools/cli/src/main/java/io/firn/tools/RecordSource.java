package io.firn.tools;

import io.firn.FirnException;
import io.firn.StoredRecord;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** The records of a topic in a store or on a server, of some partitions. For one thread. */
interface RecordSource extends Position.Offsets, AutoCloseable {

    /** Returns the numbers of the partitions. */
    List<Integer> partitions();

    /** Reads only this one of the partitions from now on. */
    void only(int partition);

    /** Moves to an offset, or to the nearest one that the partition has. */
    void seek(int partition, long offset);

    /** Returns the smallest offset that the next record can have. */
    long position(int partition);

    /**
     * Hands out the next records.
     *
     * @param gaps gets what cannot be read and is passed over, unless it throws it
     * @param timeout how long to wait for the first one at most
     */
    void poll(Consumer<StoredRecord> records, Consumer<FirnException> gaps, Duration timeout);

    /** Returns what cannot be read, without the call by which a program continues. */
    static String describe(FirnException gap) {
        return gap.getMessage().replaceFirst("; seek\\([0-9]+\\) .*", "");
    }

    /** Returns whether nothing more can come now of what is before an offset of a partition. */
    boolean isAt(int partition, long end);

    @Override
    void close();
}
