package io.firn.store;

import io.firn.Finding.Kind;
import io.firn.background.Duty;
import io.firn.findings.FindingKey;
import io.firn.log.LogContext;
import java.io.IOException;

/**
 * Removes a deleted topic's segments, then its files, the tombstone last (O5), and then the
 * directories that are empty in the tiers.
 */
final class TopicDeletionDuty extends Duty {
    private final LogContext store;
    private final TopicLog topic;
    private final Runnable onEnd;

    /**
     * Creates the deletion of a topic whose tombstone is durable.
     *
     * @param onEnd called when nothing of it is left
     */
    TopicDeletionDuty(LogContext store, TopicLog topic, Runnable onEnd) {
        super(store.tidying(), keyOf(topic));
        this.store = store;
        this.topic = topic;
        this.onEnd = onEnd;
    }

    private static FindingKey keyOf(TopicLog topic) {
        return FindingKey.of(Kind.TOPIC_DELETION_FAILING, topic.context().subject(), "deletion");
    }

    @Override
    public int run() throws IOException {
        if (advance()) {
            return 1;
        }
        againSoon(); // readers, appenders or moves still hold something
        return 0;
    }

    /**
     * Removes what can be removed now.
     *
     * @return false when some of it is still held or a medium failed: call it again
     */
    boolean advance() throws IOException {
        boolean released = true;
        for (PartitionLog partition : topic.logs()) {
            // The thread that makes a copy removes it; no new copy begins.
            released &= partition.log().state().moves() == 0;
            // A force that is under way must not lose its mapping.
            partition.forcer().awaitForces();
            partition.upkeep().dropReserved();
            partition.upkeep().retireAll(true);
            // An append in progress may still add a segment.
            released &= partition.upkeep().isAllGone() && !partition.hasAppenders();
            released &= partition.log().segments().length == 0;
        }
        // Its blocks are still there if the store was lost meanwhile (O31): then they need its
        // files.
        released &= store.ownership().isOurs();
        if (released) {
            topic.context().files().delete();
            topic.segmentedLogs().forEach(log -> log.publisher().release());
            store.tiers().forEach(tier -> tier.forgetTopic(topic.id())); // nothing is begun there
            store.findings().endAllOf(topic.id());
            onEnd.run();
        }
        return released;
    }

    /** The topic that is being deleted. */
    TopicLog topic() {
        return topic;
    }
}
