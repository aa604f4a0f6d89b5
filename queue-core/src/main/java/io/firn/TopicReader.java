package io.firn;

import io.firn.CursorReader.CursorMetrics;
import java.util.List;
import java.util.UUID;

/**
 * A named stream of records in one or more partitions, for those that read it. {@link Topic} also
 * has what writes. Thread-safe.
 *
 * @see Tailer
 */
public interface TopicReader {

    /** Returns its id; a topic that is created again under the same name has another one. */
    UUID id();

    /** Returns its name. */
    String name();

    /** Returns the options that it was created with, or changed to. */
    TopicOptions options();

    /** Returns the number of partitions. */
    int partitionCount();

    /**
     * Returns one of its partitions.
     *
     * @throws InvalidOptionException when there is no such partition
     */
    PartitionReader partition(int index);

    /** Opens a tailer over all partitions, at the earliest record, without a cursor. */
    default Tailer openTailer() {
        return openTailer(TailerOptions.defaults());
    }

    /**
     * Opens a tailer. At a cursor, it reads on from its positions and commits it. Where the cursor
     * has no position yet, it gets the one where the tailer begins, durably. Each call adds the
     * cursor to those for which {@link TopicOptions#retainUntilRead} waits, if that is all. One
     * cursor may have tailers for different partitions.
     *
     * @throws BusyException when a tailer of this cursor for one of these partitions is open: each
     *     would move the cursor past records that the other one has not read
     * @throws InvalidOptionException when there is no such partition, or the store is open
     *     read-only and there is a cursor: cursors are committed by the writing process
     */
    Tailer openTailer(TailerOptions options);

    /**
     * Returns the cursor of that name, with the positions that the writing process has persisted. A
     * cursor that does not exist, or whose file is damaged, has no position.
     *
     * @throws MediumException when its file cannot be read; a later call may succeed, unless a
     *     newer version of Firn wrote it
     */
    CursorReader cursor(String name);

    /**
     * Returns whether it has a cursor of that name, without creating one. However many there are,
     * at most one file is read.
     *
     * @throws MediumException when that file cannot be read; a later call may succeed
     */
    boolean hasCursor(String name);

    /** Returns the names of its cursors. */
    List<String> cursorNames();

    /**
     * Returns how far its cursors are behind, for each partition in which they have a position. Of
     * a cursor that was moved since the last call, the next record is read.
     */
    List<CursorMetrics> cursorMetrics();
}
