package io.firn.producer;

import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.force.PartitionForcer;
import io.firn.log.LogEvents.Checkpoint;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.medium.Fields;
import java.io.IOException;
import java.util.Map;

/**
 * Writes what a partition knows about its producers, as of an offset that was forced before: a
 * checkpoint must not contain batches that a crash can undo (O8). Recovery starts at the
 * checkpoint, so it lags by at most a second while producers append, and by a number of bytes while
 * they do not. While they append little it lags, too: of many partitions with few records none
 * needs a file. What it says of transactions is never late, because readers in other processes may
 * wait for it.
 */
public final class CheckpointDuty extends Duty implements Checkpoint {
    private static final long INTERVAL_MS = 1_000;
    private static final long INTERVAL_BYTES = 128L << 20;
    private static final int MOST_ABORTED = 1_000;

    /** Recovery reads fewer bytes than these faster than a file is forced. */
    private static final long WORTH_A_FILE_BYTES = 64 << 10;

    private final SegmentedLog log;
    private final PartitionForcer forcer;
    private final Producers producers;
    private final ProducerFiles files;
    private long lastMs;
    private long changes;
    private long ofTransactions;
    private long bytes;
    private long offset;

    /**
     * Creates the duty of a partition.
     *
     * @param found what is known of its producers since it was recovered
     */
    public CheckpointDuty(
            Duties duties, SegmentedLog log, PartitionForcer forcer, ProducerReplay found) {
        super(duties, log.subject(), "producer checkpoint");
        this.log = log;
        this.forcer = forcer;
        this.producers = found.producers();
        this.files = found.files();
        this.offset = found.checkpointOffset();
        for (LogSegment segment : log.segments()) {
            // Counted whole if the checkpoint covers a part of it: at most a segment too many.
            this.bytes -= segment.endOffset() > offset ? segment.written() : 0;
        }
    }

    @Override
    public synchronized int run() throws IOException {
        if (log.state().isGone() || log.state().isPoisoned() || log.nextOffset() == offset) {
            return 0;
        }
        boolean isDue = log.appendedBytes() - bytes >= INTERVAL_BYTES;
        if (!isDue && producers.changes() != changes) {
            long sinceMs = nowMs() - lastMs;
            isDue = sinceMs >= INTERVAL_MS || sinceMs < 0;
            if (!isDue) {
                againAt(lastMs + INTERVAL_MS);
            } else if (!isWorthAFile()) {
                isDue = false;
                lastMs = nowMs();
                expire(lastMs);
            }
        }
        if (isDue) {
            write(nowMs());
        }
        return 0;
    }

    private boolean isWorthAFile() {
        return log.appendedBytes() - bytes >= WORTH_A_FILE_BYTES
                || producers.changesOfTransactions() != ofTransactions;
    }

    private void expire(long nowMs) {
        producers.expire(nowMs, log.store().config().producerExpiryMs());
    }

    @Override
    public synchronized boolean covers(LogSegment segment) throws IOException {
        if (segment.endOffset() > offset && producers.changes() != changes) {
            if (log.state().isPoisoned()) {
                return false;
            }
            write(nowMs());
            return segment.endOffset() <= offset;
        }
        return true;
    }

    /** Returns what is known of the partition's producers. */
    public Producers producers() {
        return producers;
    }

    /** Deletes the checkpoint, durably: it would say that records were lost. */
    public void delete() throws IOException {
        files.forget(log.index());
    }

    /** The checkpoint was deleted: the next run writes one. */
    public synchronized void forget() {
        offset = -1;
        changes = -1;
        ofTransactions = -1;
        call();
    }

    private void write(long nowMs) throws IOException {
        Snapshot snapshot = take(nowMs);
        if (snapshot != null) {
            fileAborted(snapshot.values);
            files.write(log.index(), snapshot.values);
            written(snapshot);
        }
    }

    /**
     * Writes aborted transactions into a file of their own, when they are many: a checkpoint is
     * written often. Their markers are durable.
     */
    private void fileAborted(Map<String, String> values) throws IOException {
        Map<String, String> aborted = PartitionTransactions.abortedIn(values);
        if (aborted.size() < MOST_ABORTED) {
            return;
        }
        long after =
                PartitionTransactions.filedTo(Fields.of(log.topic().files().topicFile(), values));
        files.aborted().write(log.index(), after, PartitionTransactions.lastOf(aborted), aborted);
        synchronized (producers) {
            producers.transactions().onFiled(values, aborted);
            producers.transactions().dropBelow(log.logStartOffset());
        }
        files.aborted().deleteBelow(log.index(), log.logStartOffset());
    }

    /** Returns what is to be written, as of a durable offset; null when the force failed. */
    private Snapshot take(long nowMs) {
        lastMs = nowMs;
        expire(nowMs);
        long changesNow = producers.changes();
        long ofTransactionsNow = producers.changesOfTransactions();
        long bytesNow = log.appendedBytes();
        long[] taken = new long[1];
        Map<String, String> values = producers.snapshot(() -> taken[0] = log.nextOffset());
        long offsetNow = taken[0];
        if (forcer.forceNow() && log.durableOffset() >= offsetNow) {
            return new Snapshot(values, changesNow, ofTransactionsNow, bytesNow, offsetNow);
        }
        return null;
    }

    private void written(Snapshot snapshot) {
        changes = snapshot.changes;
        ofTransactions = snapshot.ofTransactions;
        bytes = snapshot.bytes;
        offset = snapshot.offset;
    }

    /**
     * Called at close, after the last append, for the checkpoint that the caller writes.
     *
     * @return null when none is worth a file
     */
    public synchronized Map<String, String> takeLast(long nowMs) {
        boolean isShort =
                producers.changes() == changes && log.appendedBytes() - bytes < WORTH_A_FILE_BYTES;
        if (isShort || log.nextOffset() == offset) {
            return null;
        }
        Snapshot snapshot = take(nowMs);
        return snapshot == null ? null : snapshot.values;
    }

    private record Snapshot(
            Map<String, String> values,
            long changes,
            long ofTransactions,
            long bytes,
            long offset) {}
}
