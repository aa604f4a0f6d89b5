package io.firn.tx;

import io.firn.Cursor;
import io.firn.Partition;
import io.firn.Topic;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/** What transactions need of the store. Thread-safe. */
public interface TxStore {

    /**
     * Returns the partition that the journal is in, and creates it if there is none; durable on
     * return, as is a note in the store's file that keeps older versions out.
     */
    TxPartition journal() throws IOException;

    /**
     * Returns whether there is a journal.
     *
     * @throws IOException when it may be among the topics that cannot be read
     */
    boolean hasJournal() throws IOException;

    /** Returns a partition of this store; throws for another store's, and for one that is gone. */
    TxPartition partition(Partition partition);

    /**
     * Returns a partition whose cursors are set, which may be a replicated one; null when there is
     * none any more.
     */
    TxPartition partition(UUID topicId, int index);

    /**
     * Checks that a topic is not among those that cannot be read.
     *
     * @throws IOException when it is
     */
    void checkReadable(UUID topicId) throws IOException;

    /** Returns all partitions. */
    List<TxPartition> partitions();

    /** Returns an id that no producer has had. */
    long newProducerId();

    /**
     * Returns the id of the topic that a cursor belongs to; throws for another store's cursor, and
     * when the topic is gone.
     */
    UUID topicOf(Cursor cursor);

    /**
     * Returns the id of a topic; throws for another store's topic, when it is gone, and for a name
     * that none of its cursors can have.
     */
    UUID topicOf(Topic topic, String cursor);

    /**
     * Sets a cursor by a durable decision, unless that was done before. Nothing happens when the
     * topic is gone.
     */
    void commit(CursorCommit commit);

    /** Returns whether the file of a cursor contains a commit, or will never need it. */
    boolean isPersisted(CursorCommit commit);
}
