package io.firn.append;

import io.firn.Claim;
import io.firn.format.MutableBufferView;
import io.firn.log.SegmentedLog;
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
    private final SegmentedLog log;
    private ByteBuffer room = ByteBuffer.allocate(0);
    private int length = -1;
    private final MutableBufferView direct = new MutableBufferView();

    /** The room, with a byte order that the caller cannot change; made when it is asked for. */
    private ByteBuffer directRoom;

    OpenClaim(PartitionAppender appender, SegmentedLog log) {
        this.appender = appender;
        this.log = log;
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
    void end() {
        length = -1;
        room.limit(0);
        direct.hide();
    }

    /** What the caller wrote, from index 0, regardless of the buffer's position and limit. */
    byte[] bytes() {
        return room.array();
    }

    int length() {
        return length;
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
        return log.nextOffset();
    }

    @Override
    public long commit() {
        return appender.commitClaim();
    }

    @Override
    public long commitWithoutWaiting() {
        return appender.commitClaimWithoutWaiting();
    }

    @Override
    public void abort() {
        appender.abortClaim();
    }

    void checkOpen() {
        if (length < 0) {
            throw new IllegalStateException(
                    "no open claim: it was committed or aborted before, call claim or tryClaim");
        }
        appender.checkNotClosed();
    }
}
