package io.firn.store;

import io.firn.Batch;
import io.firn.Claim;
import io.firn.ClosedException;
import io.firn.DurableHandler;
import io.firn.ExclusiveAppender;
import io.firn.InvalidOptionException;
import io.firn.PoisonedException;
import io.firn.UnexpectedOffsetException;
import io.firn.batch.BatchEncoder;
import io.firn.batch.ForeignBatch;
import io.firn.batch.Scratch;
import io.firn.batch.Source;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import org.agrona.DirectBuffer;

/**
 * Both kinds of appender. An exclusive one has the turn for as long as it is open; a shared one
 * takes it for the time of a store, encodes batches before and waits for forces after, so that many
 * threads' records go into one force.
 */
final class PartitionAppender implements ExclusiveAppender {
    private static final long ANY_OFFSET = -1;

    private final PartitionLog log;
    private final PartitionWriter writer;
    private final boolean exclusive;
    private final int maxRecordBytes;
    // Used by whoever has the turn.
    private final Source source = new Source();
    private final BatchInfo info = new BatchInfo();
    private final OpenClaim claim = new OpenClaim();
    private volatile boolean closed;
    private DurableHandler handler;

    PartitionAppender(PartitionLog log, boolean exclusive) {
        this.log = log;
        this.writer = log.writer();
        this.exclusive = exclusive;
        this.maxRecordBytes = log.topic().options().maxRecordBytes();
    }

    @Override
    public long append(byte[] value, int from, int length) {
        long offset;
        while ((offset = tryAppend(value, from, length)) < 0) {
            log.awaitBlock();
        }
        return acked(offset, 1);
    }

    @Override
    public long append(ByteBuffer value) {
        long offset;
        while ((offset = tryAppend(value)) < 0) {
            log.awaitBlock();
        }
        return acked(offset, 1);
    }

    @Override
    public long append(DirectBuffer value, int from, int length) {
        long offset;
        while ((offset = tryAppend(value, from, length)) < 0) {
            log.awaitBlock();
        }
        return acked(offset, 1);
    }

    @Override
    public long append(Batch batch) {
        return appendWhole(finish(batch), batch.count(), ANY_OFFSET);
    }

    @Override
    public long appendIfNext(long expectedOffset, Batch batch) {
        if (expectedOffset < 0) {
            throw new UnexpectedOffsetException(expectedOffset, log.nextOffset());
        }
        return appendWhole(finish(batch), batch.count(), expectedOffset);
    }

    @Override
    public long appendBatch(ByteBuffer batch) {
        int count = ForeignBatch.check(batch);
        long offset;
        while ((offset = tryAppendForeign(batch)) < 0) {
            log.awaitBlock();
        }
        return acked(offset, count);
    }

    @Override
    public long appendAsync(byte[] value, int from, int length) {
        return wanted(tryAppend(value, from, length));
    }

    @Override
    public long appendAsync(ByteBuffer value) {
        return wanted(tryAppend(value));
    }

    @Override
    public long appendAsync(DirectBuffer value, int from, int length) {
        return wanted(tryAppend(value, from, length));
    }

    @Override
    public long appendAsync(Batch batch) {
        return wanted(tryAppend(finish(batch), ANY_OFFSET));
    }

    @Override
    public long appendBatchAsync(ByteBuffer batch) {
        ForeignBatch.check(batch);
        return wanted(tryAppendForeign(batch));
    }

    @Override
    public Claim tryClaim(int length) {
        checkUsable();
        LogSegment segment = writer.claim(length);
        return segment == null ? null : claim.open(segment.memory, length);
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
        log.forcer().awaitDurable(offset + 1);
    }

    @Override
    public CompletableFuture<Long> whenDurable(long offset) {
        checkUsable();
        if (offset < 0 || offset == Long.MAX_VALUE) {
            throw new InvalidOptionException(log + ": no record can have the offset " + offset);
        }
        return log.forcer().whenDurable(offset + 1);
    }

    @Override
    public synchronized void onDurable(DurableHandler newHandler) {
        if (closed && newHandler != null) {
            throw new ClosedException("this appender of " + log + " was closed");
        }
        if (handler != null) {
            log.forcer().removeHandler(handler);
        }
        handler = newHandler;
        if (newHandler != null) {
            log.forcer().addHandler(newHandler);
        }
    }

    @Override
    public Batch newBatch() {
        return log.topicLog().newBatch();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        onDurable(null);
        log.leave();
    }

    private Scratch finish(Batch batch) {
        BatchEncoder encoder = (BatchEncoder) batch;
        // Who has the turn anyway leaves the CRC to the writer; others keep their turns short.
        return exclusive ? encoder.compose(maxRecordBytes) : encoder.finish(maxRecordBytes);
    }

    private long appendWhole(Scratch bytes, int count, long expectedOffset) {
        long offset;
        while ((offset = tryAppend(bytes, expectedOffset)) < 0) {
            log.awaitBlock();
        }
        return acked(offset, count);
    }

    private long tryAppend(byte[] value, int from, int length) {
        takeTurn();
        try {
            return writer.append(source.wrap(value, from, length));
        } catch (InternalError e) {
            throw faulted(e);
        } finally {
            giveTurn();
        }
    }

    private long tryAppend(ByteBuffer value) {
        takeTurn();
        try {
            return writer.append(source.wrap(value));
        } catch (InternalError e) {
            throw faulted(e);
        } finally {
            giveTurn();
        }
    }

    private long tryAppend(DirectBuffer value, int from, int length) {
        takeTurn();
        try {
            return writer.append(source.wrap(value, from, length));
        } catch (InternalError e) {
            throw faulted(e);
        } finally {
            giveTurn();
        }
    }

    private long tryAppend(Scratch bytes, long expectedOffset) {
        takeTurn();
        try {
            if (expectedOffset != ANY_OFFSET && expectedOffset != log.nextOffset()) {
                throw new UnexpectedOffsetException(expectedOffset, log.nextOffset());
            }
            info.read(bytes.bytes());
            return writer.append(source.wrap(bytes.bytes(), 0, bytes.length()), info, !exclusive);
        } catch (InternalError e) {
            throw faulted(e);
        } finally {
            giveTurn();
        }
    }

    private long tryAppendForeign(ByteBuffer batch) {
        takeTurn();
        try {
            info.read(batch, batch.position());
            return writer.append(source.wrap(batch), info, true);
        } catch (InternalError e) {
            throw faulted(e);
        } finally {
            giveTurn();
        }
    }

    /**
     * A page of the log is gone. Caught this far out because Java 17 may tell of it some
     * instructions late; what it tells our caller instead, the next force finds.
     */
    private PoisonedException faulted(InternalError fault) {
        return log.poison(fault);
    }

    private void takeTurn() {
        if (exclusive) {
            checkUsable();
        } else {
            log.turn().enter();
            if (closed) {
                log.turn().leave();
                checkUsable();
            }
        }
    }

    private void giveTurn() {
        if (!exclusive) {
            log.turn().leave();
        }
    }

    private void checkUsable() {
        if (closed) {
            throw new ClosedException("this appender of " + log + " was closed");
        }
        if (claim.isOpen()) {
            throw new IllegalStateException("a claim is open: commit or abort it first");
        }
    }

    private long acked(long offset, int count) {
        if (log.isDurable()) {
            log.forcer().awaitDurable(offset + count);
        }
        return offset;
    }

    private long wanted(long offset) {
        if (offset >= 0 && log.isDurable()) {
            log.forcer().want();
        }
        return offset;
    }

    /** The appender's claim; its buffer is made once for each segment. */
    private final class OpenClaim implements Claim {
        private ByteBuffer memory;
        private ByteBuffer view;
        private int length = -1;

        boolean isOpen() {
            return length >= 0;
        }

        @SuppressWarnings("ReferenceEquality") // another segment needs another view
        Claim open(ByteBuffer segmentMemory, int valueLength) {
            if (memory != segmentMemory) {
                memory = segmentMemory;
                view = segmentMemory.duplicate();
            }
            length = valueLength;
            int at = writer.claimPosition();
            view.order(ByteOrder.BIG_ENDIAN).limit(at + valueLength).position(at);
            return this;
        }

        @Override
        public ByteBuffer buffer() {
            checkClaimed();
            return view;
        }

        @Override
        public long offset() {
            checkClaimed();
            return log.nextOffset();
        }

        @Override
        public long commit() {
            return acked(take(), 1);
        }

        @Override
        public long commitAsync() {
            return wanted(take());
        }

        @Override
        public void abort() {
            checkClaimed();
            length = -1;
        }

        private long take() {
            checkClaimed();
            int valueLength = length;
            length = -1;
            try {
                return writer.commitClaim(valueLength);
            } catch (InternalError e) {
                throw faulted(e);
            }
        }

        private void checkClaimed() {
            if (length < 0) {
                throw new IllegalStateException(
                        "no open claim: it was committed or aborted before, call tryClaim");
            }
            if (closed) {
                throw new ClosedException("this appender of " + log + " was closed");
            }
        }
    }
}
