package io.firn.store;

import io.firn.Topic;
import io.firn.compact.Compactor;
import io.firn.metadata.TopicFiles;
import io.firn.producer.StoreProducers;
import java.io.IOException;

/** The collection of topics that a topic is in, for changes of the topic. Thread-safe. */
interface TopicOwner {
    /**
     * Changes a topic, unless it is being deleted: a tombstone must not be overwritten, and nothing
     * is added to a topic that a deletion has ended.
     *
     * @param morePartitions how many partitions the change adds
     * @param change writes the topic's file, then shows the change
     */
    void change(Topic topic, int morePartitions, TopicFiles.Change change) throws IOException;

    /** Returns what compacts partitions. */
    Compactor compactor();

    /** Returns what the producers of all partitions share. */
    StoreProducers producers();

    /** Partitions were added to a topic. */
    void onPartitionsAdded();
}
