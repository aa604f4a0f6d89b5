package io.firn;

import java.util.List;
import java.util.UUID;

/** A named stream of records in one or more partitions. Thread-safe. */
public interface Topic {

    /** Returns its id; a topic that is created again under the same name has another one. */
    UUID id();

    /** Returns its name. */
    String name();

    /** Returns the options that it was created with, or changed to. */
    TopicOptions options();

    /**
     * Changes the options, durably. Retention, roll age, compression and the force interval can be
     * changed; the number of partitions by {@link #addPartitions}; nothing else.
     *
     * @throws InvalidOptionException when something else differs from {@link #options}
     */
    void changeOptions(TopicOptions options);

    /**
     * Adds empty partitions, durably, up to a total number. Open appenders and tailers of the topic
     * keep to the partitions they know.
     *
     * @throws InvalidOptionException when the topic already has that many, or more
     */
    void addPartitions(int total);

    /** Returns the number of partitions. */
    int partitionCount();

    /**
     * Returns one of its partitions.
     *
     * @throws InvalidOptionException when there is no such partition
     */
    Partition partition(int index);

    /** Opens an appender that chooses the partition of each record. */
    TopicAppender openAppender();

    /** Opens a tailer over these partitions, or over all if none is given. */
    Tailer openTailer(int... partitions);

    /** Returns the cursor of that name; creates it if there is none. */
    Cursor cursor(String name);

    /** Returns the names of its cursors. */
    List<String> cursorNames();

    /** Deletes a cursor, durably; nothing happens when there is none. */
    void deleteCursor(String name);
}
