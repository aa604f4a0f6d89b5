package io.firn.block;

import io.firn.background.BackOff;
import io.firn.background.Background;
import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.findings.FindingKey;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.spi.Block;
import io.firn.spi.StorageTier;
import io.firn.spi.View;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.annotation.concurrent.GuardedBy;

/**
 * Views and the blocks below them, which are released when no reader uses them any more. Each is
 * released by itself: one that a medium refuses to delete is reported and tried again after a
 * pause, and does not hold up the others. Thread-safe.
 *
 * <p>A block is given back only while this process is the only writer of the store: another one may
 * have given it to another segment.
 */
public final class DeferredDeleteDuty extends Duty {
    private final SegmentedLog log;
    private final Backlog backlog;
    private final AtomicLong numbers = new AtomicLong();

    @GuardedBy("this")
    private final List<Waiting> waiting = new ArrayList<>();

    private final Queue<Waiting> handedOver = new ConcurrentLinkedQueue<>();

    public DeferredDeleteDuty(Duties duties, SegmentedLog log, Backlog backlog) {
        super(duties, log.subject(), "releases");
        this.log = log;
        this.backlog = backlog;
    }

    @Override
    protected int lane() {
        return Background.FINISHING;
    }

    /** What else there is to do before a block is reserved. */
    public Backlog backlog() {
        return backlog;
    }

    /** The action to take when the view is not pinned; repeated if it fails. */
    @FunctionalInterface
    public interface Release {
        /** No action besides the release of the view. */
        Release NOTHING = () -> {};

        /** Runs the action. */
        void run() throws IOException;
    }

    /**
     * Queues an action for the first {@link #run} that finds the view without pins; it is dropped
     * when the store is not this process's any more.
     *
     * @param view retired; null for none
     * @param tier the tier whose medium is used; null for none
     */
    public void later(View view, StorageTier tier, Release release) {
        handOver(new Waiting(view, tier, release, 0));
    }

    private void handOver(Waiting next) {
        handedOver.add(next);
        call();
    }

    /**
     * Runs the action now if the view is not pinned; otherwise the background does.
     *
     * @param view retired; null for none
     * @param tier the tier whose medium is used
     */
    public void free(View view, StorageTier tier, Release release) {
        Waiting last = new Waiting(view, tier, release, 0);
        if (last.tryFree()) {
            log.store().freedBlocks().onFreed();
            log.publisher().segmentsChanged();
            return;
        }
        handOver(last);
    }

    /** Deletes a block that is not read. */
    public void discard(Block block) {
        later(null, block.tier(), block::delete);
    }

    /** Releases a segment's view, and deletes the segment. */
    public void retire(LogSegment segment, boolean delete) {
        View view = segment.detachView();
        if (delete) {
            delete(segment, view, segment.block()::delete);
        } else if (view != null) {
            later(view, null, Release.NOTHING);
        }
    }

    /**
     * As {@link #retire}, but the tier may keep the block for the next segment (O37). Not in a
     * replica, where what is left in it would have to be erased before (O27).
     */
    public void recycle(LogSegment segment) {
        Block block = segment.block();
        boolean mayKeep = !log.topic().isReplicated();
        delete(segment, segment.detachView(), mayKeep ? block::recycle : block::delete);
    }

    /** A doomed segment's block is not exchanged any more. */
    private void delete(LogSegment segment, View view, Release release) {
        backlog.onRetired(segment.written());
        handOver(new Waiting(view, segment.block().tier(), release, segment.written()));
    }

    /** Frees what can be freed; returns how many. */
    @Override
    public synchronized int run() {
        for (Waiting next = handedOver.poll(); next != null; next = handedOver.poll()) {
            waiting.add(next);
        }
        int freed = 0;
        for (Iterator<Waiting> i = waiting.iterator(); i.hasNext(); ) {
            Waiting next = i.next();
            if (next.backOff.leftNs() <= 0) {
                log.store().background().onProgress(); // there may be thousands
                if (next.tryFree()) {
                    i.remove();
                    freed++;
                }
                backlog.onDeletionTried(next.takeBytes());
            }
        }
        if (freed > 0) {
            log.store().freedBlocks().onFreed();
            log.publisher().segmentsChanged();
        }
        if (!waiting.isEmpty()) {
            againSoon(); // nothing notifies this duty when a pin is released
        }
        return freed;
    }

    /** Whether nothing is left: nothing waits for a reader, or for its medium to work again. */
    public synchronized boolean isEmpty() {
        return waiting.isEmpty() && handedOver.isEmpty();
    }

    /** Whether no reader holds anything; what is left waits for its medium to work again. */
    public synchronized boolean isStuck() {
        return handedOver.isEmpty() && waiting.stream().allMatch(each -> each.backOff.isFailing());
    }

    private final class Waiting {
        private final View view;
        private final StorageTier tier;
        private final Release release;
        private long bytes;
        private final FindingKey job;
        private final BackOff backOff = new BackOff(log.store().attempts().clock());

        Waiting(View view, StorageTier tier, Release release, long bytes) {
            this.view = view;
            this.tier = tier;
            this.release = release;
            this.bytes = bytes;
            String what = tier == null ? "unmapping" : "deletion of a segment in " + tier.name();
            this.job =
                    FindingKey.job(log.subject(), what + ", number " + numbers.incrementAndGet());
        }

        /** Returns its part of the backlog, of which it is none from now on. */
        long takeBytes() {
            long taken = bytes;
            bytes = 0;
            return taken;
        }

        /** Returns false while the view is pinned, and when the medium fails. */
        boolean tryFree() {
            try {
                boolean free = view == null || view.tryRelease();
                if (free && log.store().ownership().isOurs()) {
                    release.run();
                }
                if (free) {
                    log.store().attempts().succeeded(job, backOff);
                }
                return free;
            } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
                if (tier != null) {
                    log.store().stateOf(tier).noteError(e);
                }
                log.store().attempts().failed(job, e, backOff);
                return false;
            }
        }
    }
}
