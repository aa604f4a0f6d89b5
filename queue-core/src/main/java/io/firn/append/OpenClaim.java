package io.firn.append;

import io.firn.Claim;
import io.firn.format.MutableBufferView;
import io.firn.format.Source;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.MutableDirectBuffer;

/**
 * The claim of an exclusive appender, and the buffer that the caller writes the value into: one
 * array, used again by each claim, which commit copies into the log. So nothing that a caller does
 * to the buffer, at any time, can change another record, and the log's memory is never read back.
 * Outside of an open claim the buffer's limit is 0.
 */
final class OpenClaim implements Claim {
    private final PartitionAppender appender;
    private final OpenAppenders appenders;
    private final PartitionWriter writer;
    private final AppendTurn turn;

    // Guarded by the turn.
    private final Source source = new Source();
    private ByteBuffer room = ByteBuffer.allocate(0);
    private int length = -1;
    private final MutableBufferView direct = new MutableBufferView();

    /** The room, with a byte order that the caller cannot change; made when it is asked for. */
    private ByteBuffer directRoom;

    OpenClaim(PartitionAppender appender, OpenAppenders appenders) {
        this.appender = appender;
        this.appenders = appenders;
        this.writer = appenders.writer();
        this.turn = appenders.turn();
    }

    boolean isOpen() {
        return length >= 0;
    }

    /** Opens the claim; the log has room for the record. */
    Claim open(int valueLength) {
        if (room.capacity() < valueLength) {
            room = ByteBuffer.allocate(Math.max(valueLength, 2 * room.capacity()));
            directRoom = null;
        }
        room.clear().limit(valueLength).order(ByteOrder.BIG_ENDIAN);
        length = valueLength;
        return this;
    }

    /** Ends the claim. */
    private void end() {
        length = -1;
        room.limit(0);
        direct.hide();
    }

    @Override
    public ByteBuffer buffer() {
        checkOpen();
        return room;
    }

    @Override
    public MutableDirectBuffer directBuffer() {
        checkOpen();
        if (directRoom == null) {
            directRoom = ByteBuffer.wrap(room.array());
        }
        direct.show(directRoom, 0, length);
        return direct;
    }

    @Override
    public long offset() {
        checkOpen();
        return appenders.log().nextOffset();
    }

    @Override
    public long commit() {
        return appender.acked(take(), 1);
    }

    @Override
    public long commitWithoutWaiting() {
        return appender.wanted(take());
    }

    @Override
    public void abort() {
        appender.takeTurn();
        try {
            appender.checkNotClosed(); // in between; the turn is the next appender's
            try {
                checkOpen();
                writer.abortClaim();
            } finally {
                end();
            }
            turn.leave();
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
    }

    /** Appends what the caller wrote from index 0 on, whatever the buffer's position and limit. */
    private long take() {
        appender.takeTurn();
        try {
            appender.checkNotClosed(); // in between; the turn is the next appender's
            long offset = committed();
            turn.leave();
            return offset;
        } catch (InternalError e) {
            throw appenders.failed(e);
        } catch (Throwable e) {
            turn.failure = e;
            throw appenders.failed(e);
        }
    }

    private long committed() {
        try {
            checkOpen();
            return writer.commitClaim(source.wrap(room.array(), 0, length));
        } finally {
            end();
        }
    }

    private void checkOpen() {
        if (length < 0) {
            throw new IllegalStateException(
                    "no open claim: it was committed or aborted before, call claim or tryClaim");
        }
        appender.checkNotClosed();
    }
}
