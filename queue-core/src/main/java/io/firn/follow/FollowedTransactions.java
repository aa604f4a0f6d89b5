package io.firn.follow;

import io.firn.DamagedRangeException;
import io.firn.Finding.Kind;
import io.firn.IsolationLevel;
import io.firn.MediumException;
import io.firn.OffsetOutOfRangeException;
import io.firn.TruncatedException;
import io.firn.findings.FindingKey;
import io.firn.format.BatchFormat;
import io.firn.host.BatchRun;
import io.firn.log.BatchInfo;
import io.firn.log.SegmentedLog;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.producer.PartitionTransactions;
import io.firn.producer.ProducerFiles;
import io.firn.producer.ProducerReplay;
import io.firn.producer.ProducerSnapshots;
import io.firn.producer.Producers;
import io.firn.producer.ReplicatedBatches;
import io.firn.read.LogBatchReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongConsumer;
import javax.annotation.concurrent.GuardedBy;

/**
 * Finds out, in a read-only store, which transactions of a partition are open and which were
 * aborted: from the checkpoint of the writing process, and the headers of the batches after it. So
 * it follows readers batch by batch, but only in stores that have transactions. Thread-safe.
 */
public final class FollowedTransactions implements LongConsumer {
    private static final int READ_BYTES = 1 << 20;
    private static final long NONE = -1;

    private final SegmentedLog log;
    private final Producers producers;
    private final ProducerFiles files;
    private final boolean isReplica;
    private final LogBatchReader reader;

    @GuardedBy("this")
    private final BatchInfo info = new BatchInfo();

    /** Null if the batches are the store's own. */
    @GuardedBy("this")
    private final ReplicatedBatches replicated;

    @GuardedBy("this")
    private boolean isLoaded;

    /** How many truncations of the log are accounted for. */
    private volatile long truncations;

    /** The offset up to which all batches are known. */
    private volatile long at;

    /**
     * Creates it for a partition of which nothing is known.
     *
     * @param found what is known of its producers
     */
    public FollowedTransactions(SegmentedLog log, ProducerReplay found) {
        this.log = log;
        this.producers = found.producers();
        this.files = found.files();
        this.isReplica = log.topic().isReplicated();
        this.replicated = isReplica ? new ReplicatedBatches(producers) : null;
        this.reader = new LogBatchReader(null, log, IsolationLevel.READ_UNCOMMITTED);
    }

    /** Looks at all batches below an end that readers can see. */
    @Override
    public void accept(long end) {
        if (isReplica && log.truncations().count() != truncations) {
            forget();
        }
        if (end > at && (isReplica || log.store().hasTransactions())) {
            follow(end);
        }
    }

    /** What ended or began a transaction may have been cut off: all batches are looked at again. */
    private synchronized void forget() {
        long now = log.truncations().count();
        if (now != truncations) {
            truncations = now;
            at = 0;
            isLoaded = false;
            producers.adoptForeign(new Producers());
        }
    }

    private synchronized void follow(long end) {
        if (!isLoaded) {
            load(end);
        }
        while (at < end) {
            long before = at;
            try (BatchRun run = reader.read(at, READ_BYTES, true)) {
                if (run == null) {
                    return;
                }
                take(run.bytes());
                at = run.nextOffset();
            } catch (DamagedRangeException e) {
                if (producers.transactions().isIdle()) {
                    at = e.toOffset();
                } else if (!resumeAbove(e, end)) {
                    return;
                }
            } catch (TruncatedException e) {
                return; // the caller finds out, too
            } catch (OffsetOutOfRangeException e) {
                skipTo(Math.max(before, log.logStartOffset())); // it was deleted meanwhile
            }
            if (at == before) {
                return;
            }
        }
    }

    /**
     * The markers of transactions that are known as open may be among what is damaged. The writing
     * process knows: its next checkpoint says which are still open. Until then readers of committed
     * records are held up below, as they were.
     *
     * @return whether there is such a checkpoint
     */
    @GuardedBy("this")
    private boolean resumeAbove(DamagedRangeException damaged, long end) {
        long heldAt = producers.transactions().heldAt();
        long known = restore(damaged.toOffset(), end);
        FindingKey key = FindingKey.of(Kind.TRANSACTION_DOUBTFUL, log.subject());
        if (known < 0) {
            log.store()
                    .findings()
                    .begin(
                            key,
                            log
                                    + ": the end of the transaction at offset "
                                    + heldAt
                                    + " may be among the damaged offsets "
                                    + damaged.fromOffset()
                                    + " to "
                                    + damaged.toOffset()
                                    + ": committed reads wait for it until the writing process"
                                    + " writes its next checkpoint, a second after it appends or"
                                    + " when it is opened again");
            return false;
        }
        log.store().findings().end(key);
        at = known;
        return true;
    }

    /** The markers of transactions that are known as open may be among what was deleted. */
    @GuardedBy("this")
    private void skipTo(long logStart) {
        synchronized (producers) {
            producers.forgetOpenBelow(logStart);
        }
        at = logStart;
    }

    /** The checkpoint may be ahead of what is seen here: then all batches are looked at. */
    @GuardedBy("this")
    private void load(long end) {
        isLoaded = true;
        at = Math.max(log.logStartOffset(), restore(0, end));
    }

    /**
     * Takes over the checkpoint of the writing process, if that is in a range of offsets.
     *
     * @return where it was taken; −1 if it is in no such place
     */
    @GuardedBy("this")
    private long restore(long from, long to) {
        try {
            Fields checkpoint = files.read(log.index());
            if (checkpoint == null) {
                return NONE;
            }
            long taken = ProducerSnapshots.offsetOf(checkpoint);
            if (taken < from || taken > to) {
                return NONE;
            }
            long filed = PartitionTransactions.filedTo(checkpoint);
            List<Fields> aborted = files.aborted().read(log.index(), log.logStartOffset(), filed);
            if (aborted == null) {
                return NONE;
            }
            new Producers().restore(checkpoint, aborted); // throws before anything is taken over
            synchronized (producers) {
                producers.restore(checkpoint, aborted);
                producers.forgetOpenWithout(checkpoint); // readers go on after the rest
            }
            return taken;
        } catch (DamagedFileException e) {
            FindingKey key = FindingKey.of(Kind.FILE_DAMAGED, log.subject(), "producers");
            log.store().findings().begin(key, e.getMessage() + "; the log is read instead");
            return NONE;
        } catch (IOException e) {
            throw new MediumException(log + ": its transactions cannot be read: " + e, e);
        }
    }

    @GuardedBy("this")
    private void take(ByteBuffer bytes) {
        synchronized (producers) {
            for (int at = bytes.position(); at < bytes.limit(); ) {
                if (replicated != null) {
                    replicated.note(bytes, at);
                } else {
                    info.read(bytes, at);
                    if (info.producerId() >= 0 && (info.isTransactional() || info.isControl())) {
                        producers.recordStored(info, bytes, at, 0);
                    }
                }
                at += BatchFormat.size(bytes, at);
            }
        }
    }
}
