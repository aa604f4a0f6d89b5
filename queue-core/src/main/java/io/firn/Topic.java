package io.firn;

import java.util.List;
import java.util.UUID;

/** A named stream of records in one or more partitions. Thread-safe. */
public interface Topic {

    /** Its identity; a topic created again under the same name has another. */
    UUID id();

    /** Its name. */
    String name();

    /** What it was created with. */
    TopicOptions options();

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
