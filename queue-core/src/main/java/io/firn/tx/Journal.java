package io.firn.tx;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.DamagedRangeException;
import io.firn.MediumException;
import io.firn.RecordTooLargeException;
import io.firn.Tailer;
import io.firn.log.LogSegment;
import io.firn.log.TopicContext;
import io.firn.tx.JournalEntry.AddedCommits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The journal of a store's transactions: a hidden partition, DURABLE, in which each record is the
 * state of one producer ({@link JournalEntry}), or what was added to that ({@link AddedCommits}),
 * by its key. It is made when it is first needed, and has all that a partition has: group commit,
 * recovery, the order of its writes.
 *
 * <p>Its length is bounded: when it has grown to twice what is alive, and at least 4 MiB, {@link
 * #isLong} says so, entries that were not written for long are written again, and the log start is
 * raised to the first of these. Thread-safe.
 */
final class Journal {
    private static final long LEAST_BYTES = 4 << 20;
    private static final int READ_AT_ONCE = 1_000;

    /** Entries that are at most a segment divided by this are written as a whole. */
    private static final int WHOLE = 1_024;

    /** What a batch and its only record take besides the key and the value, at most. */
    private static final int AROUND_BYTES = 128;

    private final TxStore store;

    /** Held shared while something is appended, exclusively by {@link #whileStill}. */
    private final ReadWriteLock appends = new ReentrantReadWriteLock();

    private TxPartition partition;
    private volatile Appender appender; // written after the partition
    private long bytes;
    private long bytesAtTrim;

    Journal(TxStore store) {
        this.store = store;
    }

    /**
     * Makes it if there is none.
     *
     * @throws io.firn.PoisonedException when its medium has failed
     */
    void open() {
        appender();
        partition.log().state().checkWritable();
    }

    /** Called when the store is closed, so that the medium can be released. */
    synchronized void close() {
        if (appender != null) {
            appender.close();
        }
    }

    private Appender appender() {
        Appender opened = appender;
        return opened == null ? openAppender() : opened;
    }

    private synchronized Appender openAppender() {
        if (appender == null) {
            try {
                partition = store.journal();
                appender = partition.user().openAppender();
            } catch (IOException e) {
                throw new MediumException(
                        "the journal of transactions could not be created: " + e.getMessage(), e);
            }
        }
        return appender;
    }

    /**
     * Appends the states of producers, and tells each where; several batches when they are large.
     *
     * @return the offset of the last entry; all are durable
     */
    long append(List<TxProducer> producers) {
        Batch batch = appender().newBatch();
        int most = partition.log().topic().segmentBytes() / 4;
        int appended = 0;
        for (int i = 0; i < producers.size(); i++) {
            byte[] entry = producers.get(i).entry().encode();
            if (i > appended && batch.sizeBytes() + entry.length > most) {
                append(batch, producers.subList(appended, i));
                appended = i;
                batch.clear();
            }
            batch.add(bytesOf(producers.get(i).key()), entry);
        }
        return append(batch, producers.subList(appended, producers.size()));
    }

    private long append(Batch batch, List<TxProducer> producers) {
        long offset = append(batch);
        for (TxProducer each : producers) {
            each.onEntryWritten(offset++);
            each.failure().onWritten();
        }
        return offset - 1;
    }

    /** Appends what was added to the open transaction of a producer; durable on return. */
    void append(TxProducer producer, AddedCommits added) {
        Batch batch = appender().newBatch();
        batch.add(bytesOf(producer.key()), added.encode());
        append(batch);
    }

    /** Returns the size of an entry that need not be saved by writing a part of it. */
    int enoughBytes() {
        appender();
        return partition.log().topic().segmentBytes() / WHOLE;
    }

    /** Returns how many bytes the key of an entry and the entry may have. */
    int mostEntryBytes() {
        appender();
        TopicContext topic = partition.log().topic();
        return Math.min(topic.options().maxRecordBytes(), topic.segmentBytes()) - AROUND_BYTES;
    }

    /** Makes room by forgetting what is durable, if that is necessary; may read files. */
    void makeRoom(TxProducer producer, long moreBytes) {
        if (producer.mostBytes() + moreBytes > mostEntryBytes()) {
            producer.pending().prune(store);
        }
    }

    /**
     * Checks that a transaction to which something is added can be ended: if its decision were too
     * large for an entry, it could be neither committed nor aborted, and would hold up readers for
     * ever. For the holder of the producer's monitor.
     *
     * @throws RecordTooLargeException if the entry of its decision would be too large
     */
    void checkRoom(TxProducer producer, long moreBytes) {
        long needed = producer.mostBytes() + moreBytes;
        if (needed > mostEntryBytes()) {
            throw new RecordTooLargeException(
                    producer
                            + ": its transaction has too many partitions and cursors: with what"
                            + " earlier ones have still to do it would take "
                            + needed
                            + " bytes in the journal, which takes "
                            + mostEntryBytes()
                            + ". Commit in smaller transactions");
        }
    }

    /** Appends that producers are forgotten, as one. */
    void appendForgotten(List<TxProducer> producers) {
        Batch batch = appender().newBatch();
        producers.forEach(each -> batch.add(bytesOf(each.key()), null));
        append(batch);
    }

    private long append(Batch batch) {
        Appender journal = appender();
        long offset;
        appends.readLock().lock();
        try {
            offset = journal.append(batch);
        } finally {
            appends.readLock().unlock();
        }
        synchronized (this) {
            bytes += batch.sizeBytes();
        }
        return offset;
    }

    /**
     * Looks at the store while nothing is appended to the journal and all of it is durable: each
     * marker that is seen meanwhile has its decision in the journal, and each decision its data in
     * the partitions. Commits wait for the look, so it must not take long.
     */
    void whileStill(Runnable look) {
        appends.writeLock().lock();
        try {
            look.run();
        } finally {
            appends.writeLock().unlock();
        }
    }

    private static byte[] bytesOf(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads what there is of each producer, by key.
     *
     * @throws IOException when an entry cannot be read: nothing may be decided without it
     */
    Map<String, JournalReplay.Found> replay() throws IOException {
        JournalReplay replay = new JournalReplay();
        if (!store.hasJournal()) {
            return replay.end();
        }
        appender();
        try (Tailer tailer = partition.user().openTailer()) {
            while (tailer.poll(replay, READ_AT_ONCE) > 0) {
                continue;
            }
        } catch (DamagedRangeException e) {
            throw new IOException(
                    "the journal of transactions, which says how they ended, is damaged ("
                            + e.getMessage()
                            + placeOf(e.fromOffset())
                            + "): restore the store from a backup",
                    e);
        }
        synchronized (this) {
            bytes += replay.bytes();
        }
        return replay.end();
    }

    private String placeOf(long offset) {
        LogSegment segment = partition.log().segmentFor(offset);
        return segment == null ? "" : ", in " + segment.block().name();
    }

    /** Returns whether entries that are superseded should be dropped. */
    synchronized boolean isLong() {
        return bytes >= Math.max(LEAST_BYTES, 2 * bytesAtTrim);
    }

    /** Returns the offset that the next entry gets, or a lower one. */
    long nextOffset() {
        appender();
        return partition.log().nextOffset();
    }

    /** Drops all entries below an offset; what is alive of them was appended again above it. */
    void dropBefore(long offset, long bytesAlive) {
        partition.user().deleteRecordsBefore(offset);
        synchronized (this) {
            bytes = bytesAlive;
            bytesAtTrim = bytesAlive;
        }
    }
}
