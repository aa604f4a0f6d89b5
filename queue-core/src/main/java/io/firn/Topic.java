package io.firn;

import java.util.List;
import java.util.UUID;

/** A named stream of records in one or more partitions. Thread-safe. */
public interface Topic {

    /** Its identity; a topic created again under the same name has another. */
    UUID id();

    /** Its name. */
    String name();

    /** What it was created with, or changed to. */
    TopicOptions options();

    /**
     * Changes the options, durably. Retention, roll age, compression and the force interval can be
     * changed; the number of partitions by {@link #addPartitions}; nothing else.
     *
     * @throws InvalidOptionException when something else differs from {@link #options}
     */
    void changeOptions(TopicOptions options);

    /**
     * Adds empty partitions, durably, up to a number of them. Appenders and tailers of the topic
     * that are open stay with those they know.
     *
     * @throws InvalidOptionException when the topic has that many already, or more
     */
    void addPartitions(int total);

    /** Number of partitions. */
    int partitionCount();

    /**
     * One of its partitions.
     *
     * @throws InvalidOptionException when there is no such partition
     */
    Partition partition(int index);

    /** Opens an appender that picks partitions. */
    TopicAppender openAppender();

    /** Opens a tailer over these partitions, or over all when none is named. */
    Tailer openTailer(int... partitions);

    /** The cursor of that name, made when there is none. */
    Cursor cursor(String name);

    /** The names of its cursors. */
    List<String> cursorNames();

    /** Deletes a cursor, durably; nothing happens when there is none. */
    void deleteCursor(String name);
}
