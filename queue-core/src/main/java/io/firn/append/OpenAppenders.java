package io.firn.append;

import io.firn.BusyException;
import io.firn.ExclusiveAppender;
import io.firn.append.Admission.Origin;
import io.firn.block.NextBlock;
import io.firn.block.PreparationDuty;
import io.firn.force.PartitionForcer;
import io.firn.format.BatchEncoder;
import io.firn.format.Scratch;
import io.firn.format.Source;
import io.firn.host.AppenderHolder;
import io.firn.host.HostedAppender;
import io.firn.host.ReplicatedTopicException;
import io.firn.log.BatchInfo;
import io.firn.log.LogEvents;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.medium.GuardedLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.concurrent.GuardedBy;

/**
 * Who may append to a partition: one exclusive appender, or any number of shared ones. While any is
 * open, the writer's segment is pinned. Thread-safe.
 */
public final class OpenAppenders implements PreparationDuty.Writer {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final long WARN_EVERY_NS = 10_000_000_000L;

    private final SegmentedLog log;
    private final PartitionForcer forcer;
    private final PartitionWriter writer;
    private final NextBlock nextBlock;
    private final AppendTurn turn;

    // Order of locks: this monitor, then the turn.
    private final Object opening = new Object();

    @GuardedBy("opening")
    private boolean exclusive;

    /** The name of the thread that has opened it, for a message. */
    @GuardedBy("opening")
    private String opener;

    @GuardedBy("opening")
    private int count;

    /** The shared ones that are given up when they are not used. */
    @GuardedBy("opening")
    private final List<Held> held = new ArrayList<>(1);

    private volatile long stalls;

    /** A shared appender, and who gives it up. */
    private record Held(PartitionAppender appender, AppenderHolder holder) {}

    /**
     * Creates it for a partition that nothing is appended to.
     *
     * @param active the segment that the next batch is appended to; null for a new one
     * @param admission decides on batches that have a producer
     */
    public OpenAppenders(
            SegmentedLog log,
            PartitionForcer forcer,
            NextBlock nextBlock,
            LogSegment active,
            Admission admission) {
        this.log = log;
        this.forcer = forcer;
        this.nextBlock = nextBlock;
        this.writer = new PartitionWriter(log, forcer, nextBlock, active, admission);
        this.turn = new AppendTurn(log::poison);
    }

    public PartitionWriter writer() {
        return writer;
    }

    /** Returns what makes an append call the background. */
    public LogEvents.AppendAlarm alarm() {
        return writer.calls();
    }

    public SegmentedLog log() {
        return log;
    }

    public PartitionForcer forcer() {
        return forcer;
    }

    public AppendTurn turn() {
        return turn;
    }

    /** Opens the exclusive appender. */
    public ExclusiveAppender openExclusive() {
        checkLocal();
        PartitionAppender appender = new PartitionAppender(this, true); // before it is counted
        enter(true);
        return appender;
    }

    /** Opens a shared appender. */
    public HostedAppender openShared() {
        checkLocal();
        PartitionAppender appender = new PartitionAppender(this, false); // before it is counted
        enter(false);
        return appender;
    }

    /** Opens a shared appender, which its holder gives up when an exclusive one is wanted. */
    public HostedAppender openShared(AppenderHolder holder) {
        checkLocal();
        Held opened = new Held(new PartitionAppender(this, false), holder);
        synchronized (opening) {
            held.add(opened); // before it is counted, for which there may be no memory left
            boolean isCounted = false;
            try {
                enter(false);
                isCounted = true;
            } finally {
                if (!isCounted) {
                    held.remove(held.size() - 1);
                }
            }
        }
        return opened.appender;
    }

    /** Counts a transaction of this process as a shared appender, until {@link #leaveShared}. */
    public void joinShared() {
        checkLocal();
        enter(false);
    }

    /** Called when the transaction has ended. */
    public void leaveShared() {
        turn.checkNotMine();
        leave();
    }

    /** Counts the one appender of a replica, which then leaves. */
    public void enterReplica() {
        if (!log.topic().isReplicated()) {
            throw new ReplicatedTopicException(
                    log
                            + " is not replicated (TopicOptions.withReplicated), so that its own"
                            + " appenders decide what is in it: use openAppender");
        }
        enter(true);
    }

    private void checkLocal() {
        if (log.topic().isReplicated()) {
            throw new ReplicatedTopicException(
                    log
                            + " replicates a partition of another log, which decides what is in it:"
                            + " append to that log, or to another topic");
        }
    }

    private void enter(boolean wantsExclusive) {
        log.store().checkWritable();
        log.state().checkWritable();
        synchronized (opening) {
            if (wantsExclusive && count == held.size()) {
                closeGivenUp();
            }
            if (exclusive || (wantsExclusive && count > 0)) {
                throw new BusyException(log + " has " + whatIsOpen());
            }
            if (count == 0) {
                turn.enter();
                try {
                    writer.pin();
                    turn.leave();
                } catch (InternalError e) {
                    throw failed(e);
                } catch (Throwable e) {
                    turn.failure = e;
                    throw failed(e);
                }
            }
            exclusive = wantsExclusive;
            opener = wantsExclusive ? Thread.currentThread().getName() : null;
            count++;
        }
    }

    @GuardedBy("opening")
    private void closeGivenUp() {
        for (Held each : List.copyOf(held)) {
            if (each.holder.giveUp()) {
                each.appender.close(); // which is not held any more
            }
        }
    }

    /** Says what keeps another appender from being opened, and what to do. */
    @GuardedBy("opening")
    private String whatIsOpen() {
        if (exclusive) {
            return "an exclusive appender open, which thread "
                    + opener
                    + " has opened: close it first, or use shared appenders only";
        }
        if (count > held.size()) {
            return (count == 1
                            ? "a shared appender or a transaction open: close it"
                            : count + " shared appenders or transactions open: close them")
                    + " first, or use shared appenders only";
        }
        return "a shared appender open, which "
                + held.get(0).holder
                + " is using just now: try again, or use a shared appender";
    }

    /** Called when an appender was closed. */
    @SuppressWarnings("ReferenceEquality") // this very appender
    void leave(PartitionAppender appender) {
        synchronized (opening) {
            held.removeIf(each -> each.appender == appender);
            leave();
        }
    }

    /** Called when an appender was closed, or a transaction has ended. */
    public void leave() {
        synchronized (opening) {
            if (count == 1) {
                turn.enterToClose(log);
                try {
                    writer.unpin();
                    turn.forgetThreads();
                    turn.leave();
                } catch (InternalError e) {
                    throw failed(e);
                } catch (Throwable e) {
                    turn.failure = e;
                    throw failed(e);
                }
            }
            exclusive = false; // last: what failed before is repeated by another close
            count--;
        }
    }

    /**
     * Releases the turn after something was thrown in it, which the caller has stored into {@link
     * AppendTurn#failure}. A fault of a mapping it has not: Java 17 may tell of it when the turn
     * was released already.
     *
     * @return what to throw instead of it: a fault of the medium has poisoned the partition
     */
    public RuntimeException failed(Throwable thrown) {
        if (thrown instanceof InternalError fault) {
            if (turn.isMine()) {
                turn.failure = fault;
                turn.settle();
            }
            return log.poison(fault);
        }
        turn.settle();
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof IllegalStateException) {
            log.state().checkReadable(); // the block went with the topic in the middle of an append
        }
        return (RuntimeException) thrown; // nothing declares another one
    }

    /** Whether an appender is open. */
    public boolean isAny() {
        synchronized (opening) {
            return count > 0;
        }
    }

    /**
     * Background: ends the active segment although nothing follows yet.
     *
     * @return false when an append or a claim is under way in it: try again
     */
    public boolean endSegment(LogSegment segment) {
        if (!turn.enterSoon()) {
            return false;
        }
        try {
            boolean hasEnded = writer.endSegment(segment);
            turn.leave();
            return hasEnded;
        } catch (InternalError e) {
            throw failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw failed(e);
        }
    }

    /**
     * Appends a small batch, whatever appenders are open.
     *
     * @param batch complete but for its offset, its epoch and its CRC
     * @param by decides whether it is appended
     * @return its offset; −1 when it is not wanted
     * @throws io.firn.StoreFullException when no tier has room
     * @throws BusyException when an exclusive appender has an open claim, or a long append is in
     *     progress: try again
     */
    public long appendAnyway(byte[] batch, Admission by) {
        BatchInfo info = new BatchInfo().read(batch);
        Source source = new Source().wrap(batch, 0, batch.length);
        while (true) {
            long offset = tryAppendAnyway(source, info, by);
            if (offset >= 0) {
                return offset;
            }
            if (offset == Admission.NOT_WANTED) {
                return -1;
            }
            awaitBlock();
        }
    }

    private long tryAppendAnyway(Source batch, BatchInfo info, Admission by) {
        synchronized (opening) {
            if (!turn.enterSoon()) {
                throw isBusy();
            }
            try {
                if (writer.isClaimed()) {
                    throw isBusy();
                }
                if (count == 0) {
                    writer.pin();
                }
                long offset;
                try {
                    offset = writer.append(batch, info, Origin.ENCODED, by);
                } catch (RuntimeException e) {
                    unpinUnused();
                    throw e;
                }
                unpinUnused();
                turn.leave();
                return offset;
            } catch (InternalError e) {
                throw failed(e);
            } catch (Throwable e) {
                turn.failure = e;
                throw failed(e);
            }
        }
    }

    @GuardedBy("opening")
    private void unpinUnused() {
        if (count == 0) {
            writer.unpin();
        }
    }

    /**
     * Appends a batch for a caller that has joined the shared appenders. Does not wait until it is
     * durable.
     *
     * @param batch complete but for its offset, its epoch, its CRC, and what {@code by} adds
     * @param expectedOffset see {@link BatchEncoder#expectedOffset}
     * @return its base offset
     */
    public long appendShared(Scratch batch, long expectedOffset, Admission by) {
        BatchInfo info = new BatchInfo();
        Source source = new Source();
        while (true) {
            turn.enter();
            long offset;
            try {
                writer.checkNext(expectedOffset);
                source.wrap(batch.bytes(), 0, batch.length());
                offset = writer.append(source, info.read(batch.bytes()), Origin.COMPOSED, by);
                turn.leave();
            } catch (InternalError e) {
                throw failed(e);
            } catch (Throwable e) {
                turn.failure = e;
                throw failed(e);
            }
            if (offset >= 0) {
                return offset;
            }
            awaitBlock();
        }
    }

    private BusyException isBusy() {
        return new BusyException(
                log
                        + ": an append is in progress, or a claim is open; a transaction ends after it");
    }

    /**
     * Waits until no append is in progress; for a close, after appends have been forbidden. An
     * append that had begun before that ends as if it had ended before. It is waited for however
     * long it takes, because it might store its batch where the next process to open the log stores
     * another one. Only one whose batch is published, and that is telling listeners, is given up at
     * the deadline; one that calls this from inside of itself is not waited for.
     *
     * @param deadlineNs a time of {@link System#nanoTime}
     * @return null; or which thread is in an append that has not ended for a minute, so that
     *     nothing may be released
     */
    public String awaitAppends(long deadlineNs) {
        long sinceNs = log.store().nowNs();
        long warnNs = deadlineNs;
        while (!turn.isMine()) {
            if (turn.enterSoon()) {
                try {
                    turn.leave();
                } catch (StackOverflowError e) {
                    turn.failure = e;
                    throw e;
                }
                return null;
            }
            long now = System.nanoTime();
            if (now - deadlineNs >= 0 && log.isAppendBeingTold()) {
                return null;
            }
            if (log.store().nowNs() - sinceNs > AppendTurn.LONG_NS) {
                return log + ": " + turn.holderName();
            }
            if (now - warnNs >= 0) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0}: the close waits for an append of {1} that does not end",
                        log,
                        turn.holderName());
                warnNs = now + WARN_EVERY_NS;
            }
        }
        return null;
    }

    @Override
    public boolean isSpaceWanted() {
        return writer.isSpaceWanted();
    }

    @Override
    public boolean isSpaceUrgent() {
        return writer.isSpaceUrgent();
    }

    @Override
    public void prepareSpace() throws IOException {
        writer.prepareSpace();
    }

    /** Checks that a block may be on its way; for who does not wait for one. */
    public void checkRoom() {
        nextBlock.checkRoom();
    }

    /** Waits, a little, for a block; outside of any turn. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // a lost count among stalled threads is harmless
    void awaitBlock() {
        if (!nextBlock.isMissing()) {
            nextBlock.await(); // only until some zeros are written
            return;
        }
        stalls++;
        AppendEvents.StallEvent event = AppendEvents.StallEvent.beginIfEnabled();
        nextBlock.await();
        if (event != null) {
            event.end(log);
        }
    }

    /** How often an append has waited for a block. */
    public long stalls() {
        return stalls;
    }
}
