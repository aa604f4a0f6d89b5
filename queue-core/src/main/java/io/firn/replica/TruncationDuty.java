package io.firn.replica;

import io.firn.MediumException;
import io.firn.background.Duty;
import io.firn.force.PartitionForcer;
import io.firn.log.LogSegment;
import io.firn.log.SegmentWalk;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext;
import io.firn.producer.CheckpointDuty;
import io.firn.producer.Producers;
import io.firn.producer.ReplicatedBatches;
import io.firn.spi.View;
import io.firn.upkeep.PartitionUpkeep;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Truncates a replicated partition (O28). It runs as a duty, so that no other duty of the partition
 * works on a segment meanwhile (the one that reserves blocks works on none), while the appender
 * that asks for it has the turn. The order:
 *
 * <ol>
 *   <li>Everything is forced, sealed and in its final form, and moves give up: whatever segments
 *       there are lie in one point each, and nothing changes them.
 *   <li>The truncation is recorded, durably, with the offset: readers in other processes find it
 *       before they can find anything else of it, and show nothing above (O29).
 *   <li>Readers are shown the new end, and those above it are notified. No reader begins above it
 *       any more; one that has begun has a view of the old bytes, and keeps it.
 *   <li>Cursors above it go back to it, durably: after a crash none is above the end that is left.
 *   <li>The checkpoints of the partition are deleted, durably: after a crash a later one would say
 *       that records were lost.
 *   <li>The segments above the cut are deleted, durably, newest first: a crash in between leaves a
 *       log that ends earlier than before, and has no gap.
 *   <li>The segment with the cut gets a mark that ends there, durably. Only then does it lose the
 *       bytes behind it, since without the mark they would be missing: at the next open, because a
 *       reader in another process may have mapped them.
 *   <li>What is known of transactions and leader epochs is rebuilt from the batches that are left.
 *   <li>It is recorded, durably, that the truncation is over.
 *   <li>Readers of committed records, moves and appends go on.
 * </ol>
 *
 * <p>The segment with the cut is not written to again. So no batch that was cut off can come back
 * behind a new one, whatever a crash leaves.
 */
public final class TruncationDuty extends Duty {
    private static final long PAUSE_NS = 50_000;
    private static final long LOOK_MS = 20;

    private final SegmentedLog log;
    private final PartitionForcer forcer;
    private final PartitionUpkeep upkeep;
    private final CheckpointDuty checkpoints;
    private final Truncations truncations;
    private final AtomicReference<Request> asked = new AtomicReference<>();

    /** What the appender asks for. */
    private record Request(long offset, CompletableFuture<Void> done) {}

    /**
     * Creates the duty of a partition, before another thread sees its log.
     *
     * @param checkpoints writes what is known of its producers
     * @param recovered what it was truncated to in earlier runs
     */
    public TruncationDuty(
            SegmentedLog log,
            PartitionForcer forcer,
            PartitionUpkeep upkeep,
            CheckpointDuty checkpoints,
            TruncationHistory recovered) {
        super(log.store().tidying(), log.subject(), "truncation");
        this.log = log;
        this.forcer = forcer;
        this.upkeep = upkeep;
        this.checkpoints = checkpoints;
        this.truncations = new Truncations(log, recovered);
    }

    /** As {@link Truncations#recover}. */
    public static TruncationHistory recover(TopicContext topic, int partition) throws IOException {
        return Truncations.recover(topic, partition);
    }

    /** Returns what is known of the partition's producers. */
    Producers producers() {
        return checkpoints.producers();
    }

    Truncations truncations() {
        return truncations;
    }

    /**
     * Removes the batch that contains an offset and everything after it, durably, for the thread
     * that has the turn. No segment is being written to.
     *
     * @throws io.firn.PoisonedException when it failed half-way: the next open ends it, or finds
     *     the log as it was
     */
    void truncate(long offset) {
        Request request = new Request(offset, new CompletableFuture<>());
        asked.set(request);
        boolean interrupted = false;
        try {
            while (!request.done.isDone()) {
                call();
                interrupted |= await(request);
                if (!log.state().isWritable() && asked.compareAndSet(request, null)) {
                    log.state().checkWritable(); // nobody will do it any more
                }
            }
            request.done.getNow(null);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause
                    ? cause
                    : new MediumException(log + ": " + e.getCause().getMessage(), e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits a little; true when interrupted. */
    private boolean await(Request request) {
        if (log.store().background().isTidying()) {
            run();
        } else if (log.store().isInvoker()) {
            log.store().invoke();
        } else {
            try {
                request.done.get(LOOK_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                return true;
            } catch (TimeoutException | ExecutionException e) {
                return false; // the caller looks
            }
        }
        return false;
    }

    @Override
    public int run() {
        Request request = asked.getAndSet(null);
        if (request == null) {
            return 0;
        }
        try {
            truncateTo(request.offset);
            request.done.complete(null);
        } catch (IOException | RuntimeException | InternalError e) {
            request.done.completeExceptionally(e);
        }
        return 1;
    }

    private void truncateTo(long offset) throws IOException {
        if (!forcer.forceNow()) {
            log.state().checkWritable();
        }
        upkeep.finishSeals();
        log.state().pauseMoves();
        try {
            while (log.state().moves() > 0) {
                LockSupport.parkNanos(PAUSE_NS);
            }
            cut(TruncationPoint.find(log, offset));
        } finally {
            log.state().resumeMoves();
        }
    }

    private void cut(TruncationPoint point) {
        try {
            List<LogSegment> gone = truncations.begin(point);
            log.topic().readPositions().truncate(log.index(), point.offset());
            checkpoints.delete();
            for (int i = gone.size() - 1; i >= 0; i--) {
                delete(gone.get(i));
            }
            log.store().freedBlocks().onFreed();
            if (point.segment() != null) {
                cut(point.segment(), point);
            }
            rebuild(point);
            checkpoints.forget();
            truncations.end();
        } catch (IOException | RuntimeException | InternalError e) {
            throw log.poison(
                    "it was being truncated to " + point.offset() + " (" + e.getMessage() + ")",
                    "",
                    e);
        }
        log.tellOfTruncation();
    }

    /** Who reads the segment keeps its view, and who unpins that last releases it. */
    private static void delete(LogSegment segment) throws IOException {
        View view = segment.detachView();
        if (view != null) {
            view.leave();
        }
        segment.block().delete();
    }

    /**
     * The bytes behind the new end stay until the next open: readers, here and in other processes,
     * may have a view of them.
     */
    private static void cut(LogSegment segment, TruncationPoint point) throws IOException {
        segment.cutTo(point.position(), point.offset());
    }

    /** Brings what is known of the log's batches to what is left of them. */
    private void rebuild(TruncationPoint cut) throws IOException {
        Producers producers = producers();
        producers.leaderEpochs().truncate(cut.offset());
        if (!cut.hasTransactions()) {
            return;
        }
        Producers found = new Producers();
        ReplicatedBatches batches = new ReplicatedBatches(found);
        for (LogSegment segment : log.segments()) {
            View view = segment.pin();
            try {
                SegmentWalk walk = segment.walk(view.buffer(), 0, segment.baseOffset());
                while (walk.next()) {
                    if (!walk.isDamage()) {
                        batches.note(view.buffer(), walk.position());
                    }
                }
            } finally {
                view.unpin();
            }
        }
        producers.adoptForeign(found);
    }
}
