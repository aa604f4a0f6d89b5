package io.firn.append;

import io.firn.append.Admission.Origin;
import io.firn.block.PreparedSpace;
import io.firn.format.BatchFormat;
import io.firn.format.RecordEncoder;
import io.firn.format.Source;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Puts the bytes of batches into the active segment, for the thread that has the turn: by stores
 * into memory, or by calls. A batch is put after what is written, and not published here. Where a
 * block is written by calls, batches are stored only where space is prepared (O17).
 */
final class SegmentBytes {
    private static final int ALWAYS = Integer.MAX_VALUE;

    /**
     * For a smaller batch, zeros written ahead and a store cost less than a call. A larger one is
     * stored only where zeros are anyway, and they are written for it only if the topic asks so.
     */
    private static final int CALL_FROM = 4096;

    /** While space is wanted the writer looks again after so many bytes. */
    private static final int LOOK_AGAIN = 32 * 1024;

    private final SegmentedLog log;
    private final CalledWrites calls;
    private final CRC32C crc = new CRC32C();
    private final PreparedSpace.SpaceWindow window = new PreparedSpace.SpaceWindow();
    private LogSegment segment;

    /** Where the next batch goes. */
    private int position;

    private boolean shares;

    /** What is prepared of the segment; null when it needs no preparation. */
    private volatile PreparedSpace prepared;

    /** Small batches that end here are stored into memory without a further look. */
    private int storesTo = ALWAYS;

    SegmentBytes(SegmentedLog log) {
        this.log = log;
        this.calls = new CalledWrites(log.store().writeBuffers());
    }

    /** Goes to another segment; null for none. */
    void begin(LogSegment next) {
        window.roll(position, log.topic().options().preparedBytes());
        segment = next;
        position = next == null ? 0 : next.written();
        boolean needsSpace = next != null && next.isWrittenByCalls();
        prepared = needsSpace ? new PreparedSpace(next, window, log.store()) : null;
        storesTo = needsSpace ? 0 : ALWAYS;
    }

    /** Where the next batch goes: as {@link LogSegment#written}, which is for others. */
    int position() {
        return position;
    }

    /** The batches up to a position are published. */
    void moveTo(int end) {
        position = end;
    }

    /** Puts a record whose encoding has begun. */
    void store(int size, RecordEncoder encoder, long offset, long time, Source value)
            throws IOException {
        LogSegment to = segment;
        if (mayStore(size, true)) {
            int at = position;
            encoder.store(to.memory(), at, offset, to.epochBits(), time, value);
            storeZeros(to, at + size);
        } else {
            calls.write(to, size, encoder, offset, time, value);
        }
    }

    /** Puts a whole batch. */
    void store(Source batch, long offset, int epochBits, Origin origin) throws IOException {
        if (mayStore(batch.length(), origin.isOwn())) {
            storeInMemory(batch, offset, epochBits, origin);
        } else {
            calls.write(segment, batch, offset, epochBits, origin);
        }
    }

    private void storeInMemory(Source batch, long offset, int epochBits, Origin origin) {
        int at = position;
        ByteBuffer memory = segment.memory();
        batch.copyTo(memory, at);
        memory.putLong(at + BatchFormat.BASE_OFFSET, offset);
        memory.putInt(at + BatchFormat.EPOCH, epochBits);
        if (!origin.hasCrc()) {
            // After the copy, which has brought the lines into the cache.
            crc.reset();
            batch.updateCrc(crc, BatchFormat.ATTRIBUTES);
            memory.putInt(at + BatchFormat.CRC, (int) crc.getValue());
        }
        storeZeros(segment, at + batch.length());
    }

    /** After the last batch, so that no stale batch continues it. */
    private static void storeZeros(LogSegment segment, int end) {
        if (segment.capacity() - end >= LogSegment.TAIL_ZEROS) {
            segment.memory().putLong(end, 0);
            segment.memory().putInt(end + Long.BYTES, 0);
        }
    }

    /** Takes back what was written of a batch for which there was not enough space (O19). */
    void takeBack() throws IOException {
        calls.takeBack(segment);
    }

    /** Whether a batch is stored into memory. */
    private boolean mayStore(int size, boolean isOwn) {
        PreparedSpace space = prepared;
        if (space == null) {
            return true;
        }
        boolean isSmall = size < CALL_FROM;
        if (!isSmall && !isOwn) {
            return false;
        }
        int at = position;
        int end = Math.min(at + size + LogSegment.TAIL_ZEROS, segment.capacity());
        return end <= storesTo
                || isPrepared(space, at, end, isOwn && (isSmall || window.fixed() > 0));
    }

    private boolean isPrepared(PreparedSpace space, int at, int end, boolean wants) {
        boolean holds = space.holds(at, end);
        int quiet = space.quietUpTo();
        if (holds && end <= quiet) {
            storesTo = quiet;
            return true;
        }
        storesTo = holds ? Math.min(space.done(), end + LOOK_AGAIN) : 0;
        if (wants && (holds ? space.want(end) : space.isWantedAfter(at, end))) {
            log.events().onSpaceWanted();
        }
        return holds;
    }

    /** Whether a batch would meet zeros that are being written (O18). */
    boolean isZeroed(int size) {
        int at = position;
        int end = at + size + LogSegment.TAIL_ZEROS;
        return end > storesTo && prepared.isZeroed(at, end);
    }

    /** The partition has an appender, and its share of the space that is prepared. */
    void share() {
        if (!shares) {
            shares = true;
            log.store().preparedShare().enter();
        }
    }

    /** The partition has no appender any more. */
    void unshare() {
        if (shares) {
            shares = false;
            log.store().preparedShare().leave();
        }
    }

    // ---- the background's side

    boolean isSpaceWanted() {
        PreparedSpace space = prepared;
        return space != null && space.isWanted();
    }

    boolean isSpaceUrgent() {
        PreparedSpace space = prepared;
        return space != null && space.isUrgent();
    }

    /** Prepares what the writer wants. */
    void prepare(boolean durably) throws IOException {
        PreparedSpace space = prepared;
        if (space != null) {
            space.prepare(durably);
        }
    }
}
