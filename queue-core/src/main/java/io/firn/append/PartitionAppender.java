package io.firn.append;

import io.firn.Appender.DurableHandler;
import io.firn.Batch;
import io.firn.Claim;
import io.firn.ClosedException;
import io.firn.InvalidOptionException;
import io.firn.append.Admission.Origin;
import io.firn.force.PartitionForcer;
import io.firn.format.BatchEncoder;
import io.firn.format.ForeignBatch;
import io.firn.format.Scratch;
import io.firn.format.Source;
import io.firn.host.HostedAppender;
import io.firn.log.BatchInfo;
import io.firn.log.SegmentedLog;
import java.nio.ByteBuffer;
import java.util.ConcurrentModificationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;

/**
 * Both kinds of appender. Each takes the turn while it stores a batch: a shared appender waits for
 * the turn; an exclusive one expects it to be free and is refused otherwise. Batches are encoded
 * before that, and forces are awaited after it, so that records of many threads share one force.
 */
final class PartitionAppender extends RecordAppender implements HostedAppender {
    private final SegmentedLog log;
    private final PartitionForcer forcer;
    private final OpenAppenders appenders;
    private final PartitionWriter writer;
    private final AppendTurn turn;
    private final boolean exclusive;
    // Guarded by the turn.
    private final Source source = new Source();
    private final Source keySource = new Source();
    private final BatchInfo info = new BatchInfo();
    private final OpenClaim claim;
    private volatile boolean closed;

    private volatile boolean leaving;
    private volatile boolean left;

    private final BooleanSupplier isClosed = () -> closed;
    private DurableHandler handler;

    PartitionAppender(OpenAppenders appenders, boolean exclusive) {
        super(appenders);
        this.appenders = appenders;
        this.log = appenders.log();
        this.forcer = appenders.forcer();
        this.writer = appenders.writer();
        this.turn = appenders.turn();
        this.exclusive = exclusive;
        this.claim = new OpenClaim(this, appenders);
    }

    @Override
    public long append(byte[] value) {
        long offset;
        while ((offset = store(value)) < 0) {
            appenders.awaitBlock();
        }
        return acked(offset, 1);
    }

    @Override
    public long append(byte[] key, byte[] value) {
        long offset;
        while ((offset = store(key, value)) < 0) {
            appenders.awaitBlock();
        }
        return acked(offset, 1);
    }

    @Override
    public long append(ByteBuffer value) {
        long offset;
        while ((offset = store(value)) < 0) {
            appenders.awaitBlock();
        }
        return acked(offset, 1);
    }

    @Override
    public long append(DirectBuffer value, int from, int length) {
        long offset;
        while ((offset = store(value, from, length)) < 0) {
            appenders.awaitBlock();
        }
        return acked(offset, 1);
    }

    @Override
    public long append(Batch batch) {
        BatchEncoder encoder = BatchEncoder.of(batch);
        Scratch bytes = finish(encoder);
        long offset;
        while ((offset = store(bytes, encoder.expectedOffset())) < 0) {
            appenders.awaitBlock();
        }
        return acked(offset, encoder.count());
    }

    @Override
    public long appendBatch(ByteBuffer batch) {
        int count = ForeignBatch.check(batch, log.topic().needsKeys());
        long offset;
        while ((offset = storeForeign(batch)) < 0) {
            appenders.awaitBlock();
        }
        return acked(offset, count);
    }

    @Override
    public long tryAppend(DirectBuffer value, int from, int length) {
        return wanted(store(value, from, length));
    }

    @Override
    public long tryAppend(Batch batch) {
        BatchEncoder encoder = BatchEncoder.of(batch);
        return wanted(store(finish(encoder), encoder.expectedOffset()));
    }

    @Override
    public long tryAppendBatch(ByteBuffer batch) {
        ForeignBatch.check(batch, log.topic().needsKeys());
        return wanted(storeForeign(batch));
    }

    @Override
    public Claim claim(int length) {
        Claim claimed;
        while ((claimed = tryClaim(length)) == null) {
            appenders.awaitBlock();
        }
        return claimed;
    }

    @Override
    public Claim tryClaim(int length) {
        if (length < 0) {
            throw new InvalidOptionException("a value has 0 or more bytes, not " + length);
        }
        OutOfMemoryError noBuffer = null;
        boolean hasRoom;
        takeTurn();
        try {
            checkUsable();
            hasRoom = writer.claim(length);
            if (hasRoom) {
                try {
                    claim.open(length);
                } catch (OutOfMemoryError e) {
                    writer.abortClaim();
                    noBuffer = e;
                }
            }
            turn.leave();
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
        if (noBuffer != null) {
            throw noBuffer; // nothing has changed
        }
        if (!hasRoom) {
            appenders.checkRoom();
        }
        return hasRoom ? claim : null;
    }

    @Override
    public void awaitDurable(long offset) {
        checkUsable();
        if (offset >= log.nextOffset()) {
            throw new InvalidOptionException(
                    log
                            + " has no record at offset "
                            + offset
                            + " yet, the next offset is "
                            + log.nextOffset()
                            + ": append it first, or use whenDurable");
        }
        forcer.awaitDurable(offset + 1);
    }

    @Override
    public CompletableFuture<Long> whenDurable(long offset) {
        checkUsable();
        if (offset < 0 || offset == Long.MAX_VALUE) {
            throw new InvalidOptionException(log + ": no record can have the offset " + offset);
        }
        CompletableFuture<Long> future = forcer.whenDurable(offset + 1, this);
        if (closed) {
            // Close may have checked before the future was added.
            forcer.failUnwritten(this, closedException());
        }
        return future;
    }

    @Override
    public synchronized void onDurable(DurableHandler newHandler) {
        if (closed && newHandler != null) {
            throw closedException();
        }
        if (handler != null) {
            forcer.handlers().remove(handler);
        }
        handler = newHandler;
        if (newHandler != null) {
            forcer.handlers().add(newHandler);
        }
    }

    @Override
    public Batch newBatch() {
        return log.topic().newBatch();
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
            onDurable(null);
            appenders.leave(this);
            left = true; // what fails before is done by another close
        } finally {
            leaving = false; // without a call, for which there may be no stack
        }
        forcer.failUnwritten(this, closedException());
    }

    private Scratch finish(BatchEncoder encoder) {
        if (log.topic().needsKeys()) {
            encoder.checkKeys();
        }
        // An exclusive appender leaves the CRC to the writer; shared ones keep their turns short.
        int most = log.topic().options().maxRecordBytes();
        return exclusive ? encoder.compose(most) : encoder.finish(most);
    }

    private long store(byte[] value) {
        takeTurn();
        try {
            checkUsable();
            long offset = writer.append(source.wrap(value));
            turn.leave();
            return offset;
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
    }

    private long store(byte[] key, byte[] value) {
        takeTurn();
        try {
            checkUsable();
            long offset = writer.append(keySource.wrapAny(key), source.wrapAny(value));
            turn.leave();
            return offset;
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
    }

    private long store(ByteBuffer value) {
        takeTurn();
        try {
            checkUsable();
            long offset = writer.append(source.wrap(value));
            turn.leave();
            return offset;
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
    }

    private long store(DirectBuffer value, int from, int length) {
        takeTurn();
        try {
            checkUsable();
            long offset = writer.append(source.wrap(value, from, length));
            turn.leave();
            return offset;
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
    }

    private long store(Scratch bytes, long expectedOffset) {
        takeTurn();
        try {
            checkUsable();
            writer.checkNext(expectedOffset);
            info.read(bytes.bytes());
            long offset =
                    writer.append(
                            source.wrap(bytes.bytes(), 0, bytes.length()),
                            info,
                            exclusive ? Origin.COMPOSED : Origin.ENCODED);
            turn.leave();
            return offset;
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
    }

    private long storeForeign(ByteBuffer batch) {
        takeTurn();
        try {
            checkUsable();
            info.read(batch, batch.position());
            long offset = writer.append(source.wrap(batch), info, Origin.FOREIGN);
            turn.leave();
            return offset;
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
    }

    /**
     * Takes the turn. The appender may be closed before it has it: the caller checks that in it.
     */
    void takeTurn() {
        checkNotClosed();
        if (!exclusive) {
            turn.enter();
        } else if (!turn.tryEnter(isClosed)) {
            checkNotClosed();
            throw new ConcurrentModificationException(
                    "the exclusive appender of "
                            + log
                            + " is in use: it is for one thread at a time, and not for a"
                            + " VisibleListener that it calls itself; nothing was appended by this"
                            + " call; hand the appender over when the other call has returned, or"
                            + " use shared appenders");
        }
    }

    void checkNotClosed() {
        if (closed) {
            throw closedException();
        }
    }

    private ClosedException closedException() {
        return new ClosedException("this appender of " + log + " was closed");
    }

    private void checkUsable() {
        checkNotClosed();
        if (claim.isOpen()) {
            throw claimIsOpen();
        }
    }

    private static IllegalStateException claimIsOpen() {
        return new IllegalStateException("a claim is open: commit or abort it first");
    }

    long acked(long offset, int count) {
        if (log.isDurable()) {
            forcer.awaitDurable(offset + count);
        }
        return offset;
    }

    long wanted(long offset) {
        if (offset < 0) {
            appenders.checkRoom();
        }
        if (offset >= 0 && log.isDurable()) {
            forcer.want();
        }
        return offset;
    }
}
