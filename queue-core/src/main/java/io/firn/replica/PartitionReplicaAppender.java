package io.firn.replica;

import io.firn.ClosedException;
import io.firn.InvalidOptionException;
import io.firn.StoreFullException;
import io.firn.append.AppendTurn;
import io.firn.append.OpenAppenders;
import io.firn.host.EpochEnd;
import io.firn.host.ReplicaAppender;
import io.firn.log.SegmentedLog;
import io.firn.producer.LeaderEpochs;
import io.firn.producer.PartitionTransactions;
import io.firn.producer.Producers;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The appender of a partition of a replicated topic. It takes the turn for each call. */
public final class PartitionReplicaAppender implements ReplicaAppender {
    private final OpenAppenders appenders;
    private final AppendTurn turn;
    private final SegmentedLog log;
    private final LeaderEpochs epochs;
    private final PartitionTransactions transactions;
    private final ReplicaWriter writer;
    private final Truncations truncations;
    private final TruncationDuty truncation;
    private volatile boolean closed;
    private volatile boolean leaving;
    private volatile boolean left;

    private PartitionReplicaAppender(OpenAppenders appenders, TruncationDuty truncation) {
        Producers producers = truncation.producers();
        this.appenders = appenders;
        this.turn = appenders.turn();
        this.log = appenders.log();
        this.epochs = producers.leaderEpochs();
        this.transactions = producers.transactions();
        this.writer = new ReplicaWriter(log, producers, appenders.forcer(), appenders.writer());
        this.truncation = truncation;
        this.truncations = truncation.truncations();
    }

    /**
     * Opens the appender of a partition.
     *
     * @param truncation what truncates it; null when its topic is not replicated
     * @throws io.firn.host.ReplicatedTopicException when its topic is not replicated
     */
    public static ReplicaAppender open(OpenAppenders appenders, TruncationDuty truncation) {
        appenders.enterReplica();
        return new PartitionReplicaAppender(appenders, truncation);
    }

    @Override
    public long nextOffset() {
        checkNotClosed();
        return log.nextOffset();
    }

    @Override
    public int lastEpoch() {
        checkNotClosed();
        return epochs.last();
    }

    @Override
    public EpochEnd endOfEpoch(int epoch) {
        checkNotClosed();
        return epochs.endOf(epoch, log.nextOffset());
    }

    @Override
    public int append(ByteBuffer batches) {
        if (!batches.hasRemaining()) {
            checkNotClosed();
            return 0;
        }
        int taken;
        turn.enter();
        try {
            checkNotClosed();
            endTruncation();
            taken = writer.append(batches);
            turn.leave();
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
        wantForce();
        if (taken == 0) {
            appenders.checkRoom();
        }
        return taken;
    }

    @Override
    public void fillTo(long offset) {
        boolean isThere;
        turn.enter();
        try {
            checkNotClosed();
            endTruncation();
            isThere = writer.fillTo(offset);
            turn.leave();
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
        wantForce();
        if (!isThere) {
            appenders.checkRoom();
        }
    }

    /** Otherwise readers in other processes would not be shown what is appended. */
    private void endTruncation() {
        if (!truncations.isInProgress()) {
            return;
        }
        log.state().checkWritable(); // it may have failed half-way
        boolean isRecorded;
        try {
            isRecorded = truncations.endRecovered();
        } catch (IOException e) {
            throw log.poison("the end of its truncation was not recorded", "", e);
        }
        if (!isRecorded) {
            throw new StoreFullException(
                    log + ": there is no space to record that its truncation is over");
        }
    }

    @Override
    public void truncate(long offset) {
        turn.enter();
        try {
            checkNotClosed();
            log.state().checkWritable();
            if (offset < log.logStartOffset() || offset > log.nextOffset()) {
                throw new InvalidOptionException(
                        log
                                + " has the offsets from "
                                + log.logStartOffset()
                                + " to "
                                + log.nextOffset()
                                + ", and cannot be truncated to "
                                + offset);
            }
            if (offset < log.nextOffset()) {
                appenders.writer().endActive();
                truncation.truncate(offset);
            }
            turn.leave();
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
        wantForce();
    }

    @Override
    public void endIsLost(long firstOffset, String found) {
        checkNotClosed();
        transactions.endIsLost(firstOffset, found, log.readers());
    }

    @Override
    public void force() {
        checkNotClosed();
        appenders.forcer().awaitDurable(log.nextOffset());
    }

    @Override
    public void close() {
        synchronized (this) {
            if (left || leaving) {
                return;
            }
            turn.checkNotMine(); // it could not be left, and would stay half closed
            closed = true;
            leaving = true;
        }
        try {
            appenders.leave();
            left = true; // what fails before is done by another close
        } finally {
            leaving = false; // without a call, for which there may be no stack
        }
    }

    private void wantForce() {
        if (log.isDurable() && log.durableOffset() < log.nextOffset()) {
            appenders.forcer().want();
        }
    }

    private void checkNotClosed() {
        if (closed) {
            throw new ClosedException("this appender of " + log + " was closed");
        }
    }
}
