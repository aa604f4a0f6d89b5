package io.firn.upkeep;

import io.firn.FirnException;
import io.firn.append.LogTruncation;
import io.firn.background.Duties;
import io.firn.background.Duty;
import io.firn.force.PartitionForcer;
import io.firn.log.CutPlace;
import io.firn.log.LogSegment;
import io.firn.log.ReplicatedBatches;
import io.firn.log.SegmentedLog;
import io.firn.spi.View;
import java.io.IOException;
import java.util.ArrayList;
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
 *       there are lie in one place each, and nothing changes them.
 *   <li>Readers are shown the new end, and those above it are told. Nobody reads above it any more.
 *   <li>Cursors above it go back to it, durably: after a crash none is above the end that is left.
 *   <li>The checkpoints of the partition are deleted, durably: after a crash a later one would say
 *       that records were lost.
 *   <li>The segments above the cut are deleted, durably, newest first: a crash in between leaves a
 *       log that ends earlier than before, and has no gap.
 *   <li>The segment with the cut gets a mark that ends there, durably, and only then loses the
 *       bytes behind it: without the mark they would be missing.
 *   <li>What is known of transactions and leader epochs is rebuilt from the batches that are left.
 *   <li>Readers of committed records, moves and appends go on.
 * </ol>
 *
 * <p>The segment with the cut is not written to again. So no batch that was cut off can come back
 * behind a new one, whatever a crash leaves.
 */
final class Truncation extends Duty implements LogTruncation {
    private static final long PAUSE_NS = 50_000;
    private static final long LOOK_MS = 20;

    /** A socket that does not take its batches is given up earlier. */
    private static final long PINNED_NS = TimeUnit.MINUTES.toNanos(2);

    private final SegmentedLog log;
    private final PartitionForcer forcer;
    private final Seals seals;
    private final Checkpoints checkpoints;
    private final AtomicReference<Request> asked = new AtomicReference<>();

    /** What the appender asks for. */
    private record Request(long offset, CompletableFuture<Void> done) {}

    Truncation(
            Duties duties,
            SegmentedLog log,
            PartitionForcer forcer,
            Seals seals,
            Checkpoints checkpoints) {
        super(duties, log, "truncation");
        this.log = log;
        this.forcer = forcer;
        this.seals = seals;
        this.checkpoints = checkpoints;
    }

    @Override
    public void truncate(long offset) {
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
                    : new FirnException(log + ": " + e.getCause().getMessage(), e.getCause());
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
        seals.finish();
        log.state().pauseMoves();
        try {
            while (log.state().moves() > 0) {
                LockSupport.parkNanos(PAUSE_NS);
            }
            cut(CutPlace.find(log, offset));
        } finally {
            log.state().resumeMoves();
        }
    }

    private void cut(CutPlace place) {
        List<LogSegment> gone = log.withdraw(place);
        try {
            List<LogSegment> read = new ArrayList<>(gone);
            read.addAll(List.of(log.segments()));
            awaitReaders(read);
            log.topic().readPositions().truncate(log.index(), place.offset());
            log.topic().files().forgetProducers(log.index());
            for (int i = gone.size() - 1; i >= 0; i--) {
                gone.get(i).block.delete();
            }
            log.store().freedBlocks().onFreed();
            if (place.segment() != null) {
                place.segment().cutTo(place.position(), place.offset());
            }
            ReplicatedBatches.rebuild(log, place);
            checkpoints.forget();
        } catch (IOException | RuntimeException | InternalError e) {
            throw log.poison(
                    "it was being truncated to " + place.offset() + " (" + e.getMessage() + ")",
                    "",
                    e);
        }
        log.tellOfTruncation();
    }

    /**
     * Waits for readers that may have seen the old end. Who pins a segment from now on sees the new
     * one.
     */
    private void awaitReaders(List<LogSegment> segments) throws IOException {
        long start = System.nanoTime();
        for (LogSegment segment : segments) {
            View view = segment.detachView();
            while (view != null && !view.tryRelease()) {
                if (System.nanoTime() - start > PINNED_NS) {
                    throw new IOException("a reader holds " + segment);
                }
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }
}
