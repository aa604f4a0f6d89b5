package io.firn.store;

import io.firn.Cursor;
import io.firn.InvalidOptionException;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import io.firn.cursor.CursorLog;
import io.firn.cursor.Cursors;
import io.firn.host.ReplicatedTopicException;
import io.firn.log.LogContext;
import io.firn.log.TopicContext;
import io.firn.metadata.LeasedCounter;
import io.firn.metadata.StoreIdentity;
import io.firn.tx.CursorCommit;
import io.firn.tx.TxPartition;
import io.firn.tx.TxStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What transactions see of their store: its partitions, its cursors, and where the journal is. */
final class StoreTransactions implements TxStore {
    private final LogContext context;
    private final Topics topics;
    private StoreIdentity identity;
    private LeasedCounter producerIds;

    StoreTransactions(LogContext context, Topics topics) {
        this.context = context;
        this.topics = topics;
    }

    /** Sets what names the store, and what numbers producers. */
    void own(StoreIdentity ofStore, LeasedCounter producerIdCounter) {
        identity = ofStore;
        producerIds = producerIdCounter;
    }

    @Override
    public TxPartition journal() throws IOException {
        TopicLog journal = topics.journal();
        if (journal == null) {
            identity.addFeature(StoreIdentity.TRANSACTIONS); // before anything of them is written
            journal = topics.createJournal();
        }
        return shown(journal.partitionLog(0));
    }

    @Override
    public boolean hasJournal() throws IOException {
        if (topics.journal() != null) {
            return true;
        }
        if (identity.has(StoreIdentity.TRANSACTIONS) && !topics.unreadable().isEmpty()) {
            throw new IOException(
                    "the journal of transactions is not among the topics that can be read, so"
                            + " nobody knows which transactions were committed: "
                            + topics.unreadable().listed()
                            + topics.unreadable().remedy());
        }
        return false;
    }

    @Override
    public void checkReadable(UUID topicId) throws IOException {
        if (topics.unreadable().all().stream().anyMatch(each -> each.id().equals(topicId))) {
            throw new IOException(
                    "transactions have ended, or move cursors, in a topic that cannot be read, and"
                            + " that would be forgotten: "
                            + topics.unreadable().listed()
                            + topics.unreadable().remedy());
        }
    }

    private static TxPartition shown(PartitionLog partition) {
        return partition.inTransactions();
    }

    @Override
    public TxPartition partition(Partition partition) {
        if (!(partition instanceof PartitionLog known) || known.log().store() != context) {
            throw new InvalidOptionException(
                    "partition " + partition + " does not belong to the store " + context);
        }
        if (known.topic().options().isReplicated()) {
            throw new ReplicatedTopicException(
                    partition
                            + " replicates a partition of another log, which decides its"
                            + " transactions: a transaction here cannot append to it");
        }
        return shown(known);
    }

    @Override
    public TxPartition partition(UUID topicId, int index) {
        TopicLog topic = topics.byId(topicId);
        return topic == null || index < 0 || index >= topic.partitionCount()
                ? null
                : shown(topic.partitionLog(index));
    }

    @Override
    public List<TxPartition> partitions() {
        List<TxPartition> all = new ArrayList<>();
        for (TopicLog topic : topics.all()) {
            if (!topic.options().isReplicated()) { // its transactions are another log's
                topic.logs().forEach(partition -> all.add(shown(partition)));
            }
        }
        return all;
    }

    @Override
    public long newProducerId() {
        return producerIds.next();
    }

    @Override
    public UUID topicOf(Cursor cursor) {
        if (!(cursor instanceof CursorLog known) || known.topic().store() != context) {
            throw new InvalidOptionException(
                    "cursor " + cursor.name() + " does not belong to the store " + context);
        }
        return served(known.topic());
    }

    @Override
    public UUID topicOf(Topic topic, String cursor) {
        if (!(topic instanceof TopicLog known) || known.context().store() != context) {
            throw new InvalidOptionException(
                    "topic " + topic.name() + " does not belong to the store " + context);
        }
        Cursors.checkName(cursor);
        return served(known.context());
    }

    private UUID served(TopicContext topic) {
        if (topics.byId(topic.id()) == null) {
            context.checkOpen();
            throw new UnknownTopicException("topic " + topic + " was deleted");
        }
        return topic.id();
    }

    private CursorLog cursorOf(CursorCommit commit) {
        TopicLog topic = topics.byId(commit.topicId());
        if (topic == null || commit.partition() >= topic.partitionCount()) {
            return null;
        }
        try {
            return topic.cursors().cursor(commit.cursor());
        } catch (UnknownTopicException e) {
            return null; // deleted just now
        }
    }

    @Override
    public void commit(CursorCommit commit) {
        CursorLog cursor = cursorOf(commit);
        if (cursor != null) {
            cursor.move(commit.partition(), commit.offset(), commit.isOutside(), commit.decision());
        }
    }

    @Override
    public boolean isPersisted(CursorCommit commit) {
        CursorLog cursor = cursorOf(commit);
        return cursor == null || cursor.isPersisted(commit.partition(), commit.decision());
    }
}
