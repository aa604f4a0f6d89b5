package io.firn.tx;

import io.firn.Batch;
import io.firn.Cursor;
import io.firn.Partition;
import io.firn.ProducerFencedException;
import io.firn.RecordId;
import io.firn.RecordTooLargeException;
import io.firn.StoreFullException;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.append.TopicLogAppender;
import io.firn.format.BatchEncoder;
import io.firn.format.Scratch;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionStateException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/** A transaction of this process. Not thread-safe. */
final class LocalTransaction implements Transaction {
    private final LocalTransactions transactions;
    private final TxStore store;
    private final TxProducer producer;
    private final ProducerIdentity identity;

    /** Keeps exclusive appenders away from its partitions. */
    private final Set<TxPartition> joined = new HashSet<>(2);

    /** The partition of records without a key, by topic. */
    private Map<UUID, Integer> withoutKeys = Map.of();

    /** Of two threads that end it, one does: its producer may be another transaction's then. */
    private final AtomicBoolean ended = new AtomicBoolean();

    /** Why a call that was to end it found that it had ended; null if none did. */
    private volatile ProducerFencedException fenced;

    LocalTransaction(
            LocalTransactions transactions,
            TxStore store,
            TxProducer producer,
            ProducerIdentity identity) {
        this.transactions = transactions;
        this.store = store;
        this.producer = producer;
        this.identity = identity;
    }

    @Override
    public long append(Partition to, Batch batch) {
        Objects.requireNonNull(to, "partition");
        BatchEncoder encoder = BatchEncoder.of(batch);
        checkOpen();
        return append(store.partition(to), encoder);
    }

    @Override
    public RecordId append(Topic topic, Batch batch) {
        Objects.requireNonNull(topic, "topic");
        int chosen =
                TopicLogAppender.KeyPartitioner.partitionFor(
                        BatchEncoder.of(batch), topic.partitionCount());
        int partition = chosen < 0 ? withoutKey(topic) : chosen;
        return new RecordId(partition, append(topic.partition(partition), batch));
    }

    @Override
    public RecordId append(Topic topic, byte[] key, byte[] value) {
        Objects.requireNonNull(topic, "topic");
        int partition =
                key == null
                        ? withoutKey(topic)
                        : TopicLogAppender.KeyPartitioner.partitionFor(key, topic.partitionCount());
        return new RecordId(partition, append(topic.partition(partition), key, value));
    }

    /** One partition for all of them: each partition costs a transaction a marker. */
    private int withoutKey(Topic topic) {
        if (withoutKeys.isEmpty()) {
            withoutKeys = new HashMap<>();
        }
        return withoutKeys.computeIfAbsent(
                topic.id(), id -> ThreadLocalRandom.current().nextInt(topic.partitionCount()));
    }

    @Override
    public long append(Partition to, byte[] key, byte[] value) {
        Objects.requireNonNull(to, "partition");
        checkOpen();
        TxPartition partition = store.partition(to);
        RecordBatch batch = producer.takeRecordBatch();
        try {
            return append(partition, batch.of(partition.log().topic(), key, value));
        } finally {
            producer.keepRecordBatch(batch);
        }
    }

    private long append(TxPartition partition, BatchEncoder encoder) {
        if (!joined.contains(partition)) {
            join(partition);
        }
        if (partition.log().topic().needsKeys()) {
            encoder.checkKeys();
        }
        encoder.transactional(identity.id(), identity.epoch(), 0);
        Scratch bytes = encoder.compose(partition.log().topic().options().maxRecordBytes());
        return partition.append(bytes, encoder.expectedOffset());
    }

    /** Adds a partition, and keeps exclusive appenders away from it only if it is not refused. */
    private void join(TxPartition partition) {
        partition.appenders().joinShared();
        boolean isJoined = false;
        try {
            transactions.join(producer, identity, partition);
            isJoined = joined.add(partition);
        } finally {
            if (!isJoined) {
                partition.appenders().leaveShared();
            }
        }
    }

    @Override
    public void commitCursor(Cursor cursor, int partition, long offset) {
        Objects.requireNonNull(cursor, "cursor");
        checkOpen();
        CursorCommit commit =
                new CursorCommit(
                        new CursorCommit.Place(store.topicOf(cursor), cursor.name(), partition),
                        offset,
                        false,
                        JournalEntry.SELF,
                        null);
        if (!commit.isIn(store)) {
            store.topicOf(cursor); // throws when the topic was deleted just now
            throw commit.hasNoPartition();
        }
        transactions.commitCursor(producer, identity, commit);
    }

    @Override
    public void commit() {
        if (!ended.compareAndSet(false, true)) {
            throw hasEnded();
        }
        end(true);
    }

    @Override
    public void abort() {
        if (ended.compareAndSet(false, true)) {
            end(false);
        }
    }

    private void end(boolean isCommit) {
        boolean isOpen = false;
        try {
            transactions.end(producer, identity, isCommit);
        } catch (StoreFullException | RecordTooLargeException e) {
            isOpen = true; // the journal took nothing
            throw e;
        } catch (ProducerFencedException e) {
            fenced = e; // each later call finds the same
            throw e;
        } finally {
            if (!isOpen) {
                joined.forEach(each -> each.appenders().leaveShared());
                joined.clear();
            }
            ended.set(!isOpen);
        }
    }

    private void checkOpen() {
        if (ended.get()) {
            throw hasEnded();
        }
    }

    private RuntimeException hasEnded() {
        ProducerFencedException found = fenced;
        if (found != null) {
            return new ProducerFencedException(found.getMessage());
        }
        return new TransactionStateException("the transaction of " + producer + " has ended");
    }
}
