package io.firn.backup;

import io.firn.cursor.Cursors;
import io.firn.force.PartitionForcer;
import io.firn.log.LogContext;
import io.firn.log.TopicContext;
import io.firn.metadata.StoreIdentity;
import java.util.List;
import java.util.function.IntConsumer;

/** What a backup needs of a store. Thread-safe. */
public interface BackupSource {

    /** Returns what the parts of the store share. */
    LogContext context();

    /** Returns what names the store. */
    StoreIdentity identity();

    /**
     * Returns the topics that are served, after the journal of transactions if there is one.
     *
     * @throws io.firn.UnreadableTopicException when there are others
     */
    List<SourceTopic> topics();

    /** Looks at the store while no transaction is decided. */
    void whileStill(Runnable look);

    /**
     * A topic of the store.
     *
     * @param partitions those that it has now
     * @param onReleased called with the number of a partition that may be compacted again
     */
    record SourceTopic(
            TopicContext context,
            Cursors cursors,
            List<PartitionForcer> partitions,
            IntConsumer onReleased) {}
}
