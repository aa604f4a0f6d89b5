package io.firn.read;

import io.firn.DamagedRangeException;
import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.log.SegmentedLog;
import io.firn.spi.BlockReader.BlockReusedException;
import io.firn.spi.View;
import java.nio.ByteBuffer;

/**
 * Verifies the batches of a log, also those that readers trust ({@link TrustedBytes}). Damage
 * becomes known as if a reader had found it. Not thread-safe.
 */
public final class LogCheck {
    private final SegmentedLog log;
    private final BatchCursor cursor;
    private final BatchVerifier verifier = new BatchVerifier();
    private long bytes;

    /** Creates a check of a log. */
    public LogCheck(SegmentedLog log) {
        this.log = log;
        this.cursor = new BatchCursor(log);
    }

    /** Returns the log. */
    public SegmentedLog log() {
        return log;
    }

    /** Returns how many bytes were verified. */
    public long bytes() {
        return bytes;
    }

    /**
     * Verifies batches from an offset on, at which one begins, until enough bytes are verified.
     *
     * @param to offset at which it ends at the latest
     * @param enough bytes; the last batch may be longer
     * @return the offset after the last batch
     * @throws io.firn.FirnException when it cannot be read, for another reason than damage
     */
    public long check(long from, long to, int enough) {
        long until = bytes + enough;
        if (cursor.offset() != from) {
            cursor.seek(from);
        }
        while (cursor.offset() < to && bytes < until) {
            View view = null;
            try {
                view = cursor.pin();
                check(view.buffer(), to, until);
            } catch (DamagedRangeException e) {
                cursor.seek(e.toOffset()); // it is known now
                bytes++; // so that a segment without any batch ends, too
            } catch (BlockReusedException e) {
                cursor.lookAgain();
            } catch (InternalError e) {
                throw cursor.unreadable(e);
            } finally {
                if (view != null) {
                    cursor.unpin(view);
                }
            }
        }
        return cursor.offset();
    }

    private void check(ByteBuffer memory, long to, long until) {
        cursor.find(memory);
        int end = cursor.written(memory);
        while (cursor.offset() < to && bytes < until) {
            int size = verifier.check(memory, cursor.position(), end, cursor.base());
            if (size < 0) {
                throw cursor.damagedHere(memory, verifier.reason());
            }
            long next = BatchFormat.nextOffset(memory, cursor.position());
            cursor.advanceTo(cursor.position() + size, next);
            bytes += size;
        }
    }
}
