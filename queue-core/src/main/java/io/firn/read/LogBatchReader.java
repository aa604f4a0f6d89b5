package io.firn.read;

import io.firn.IsolationLevel;
import io.firn.Partition;
import io.firn.TruncatedException;
import io.firn.format.BatchVerifier;
import io.firn.format.BatchWalk;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.log.LogSegment;
import io.firn.log.SegmentIndexes;
import io.firn.log.SegmentedLog;
import io.firn.spi.BlockReader.BlockReusedException;
import io.firn.spi.View;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads whole batches unchanged. Only headers and control batches are checked, unless a wrong one
 * shows that more has to be. They are checked once for all readers of a view: where they need not
 * be looked at again ({@link TrustedBytes}), a read goes from its first batch to one that the
 * sparse index has near the end of the run.
 */
public final class LogBatchReader implements BatchReader {
    private final Partition partition;
    private final IsolationLevel isolation;
    private final SegmentedLog log;
    private final BatchCursor cursor;
    private final BatchVerifier verifier = new BatchVerifier();
    private final BatchWalk walk = new BatchWalk(verifier);

    /** What was read last: not to be kept mapped by a reader that may read no more. */
    private WeakReference<View> last = new WeakReference<>(null);

    /**
     * Creates a reader at the start of a log.
     *
     * @param isolation where it stops
     */
    public LogBatchReader(Partition partition, SegmentedLog log, IsolationLevel isolation) {
        this.isolation = isolation;
        this.partition = partition;
        this.log = log;
        this.cursor = new BatchCursor(log);
    }

    @Override
    public Partition partition() {
        return partition;
    }

    @Override
    public BatchRun read(long offset, int maxBytes, boolean atLeastOne) {
        if (offset != cursor.offset()) {
            cursor.seek(offset);
        }
        log.catchUp();
        long visible = visible();
        if (offset >= visible) {
            return null;
        }
        while (true) {
            View view = null;
            BatchRun run = null;
            try {
                view = cursor.pin();
                if (cursor.isTruncated()) {
                    visible = visible();
                    if (offset >= visible) {
                        return null;
                    }
                    continue;
                }
                if (last.get() != view) {
                    last = new WeakReference<>(view);
                }
                run = read(view, visible, maxBytes, atLeastOne);
                return run;
            } catch (BlockReusedException e) {
                cursor.lookAgain();
                visible = log.visibleOffset(isolation);
                if (offset >= visible) {
                    return null;
                }
            } catch (InternalError e) {
                if (!cursor.isCutOff()) {
                    throw cursor.unreadable(e);
                }
                visible = visible();
                if (offset >= visible) {
                    return null;
                }
            } finally {
                if (run == null && view != null) {
                    cursor.unpin(view);
                }
            }
        }
    }

    @Override
    public boolean isInMemory(long offset, int maxBytes) {
        View view = last.get();
        if (view == null || offset != cursor.offset() || !view.pin()) {
            return false;
        }
        try {
            return cursor.isInMemory(view.buffer(), maxBytes);
        } catch (InternalError e) {
            return false; // the read reports it
        } finally {
            view.unpin();
        }
    }

    /** Returns the visible end; a truncation is told once. */
    private long visible() {
        try {
            cursor.checkRange();
        } catch (TruncatedException e) {
            cursor.seek(cursor.offset());
            throw e;
        }
        return log.visibleOffset(isolation); // later than the look for truncations
    }

    private BatchRun read(View view, long visible, int maxBytes, boolean atLeastOne) {
        ByteBuffer memory = view.buffer();
        cursor.find(memory);
        goToFirst(memory);
        int from = cursor.position();
        long base = cursor.base();
        long limit = Math.min(visible, cursor.segmentEnd());
        int to = from;
        long next = base;
        boolean fits = atLeastOne || walk.size() <= maxBytes;
        if (fits && skipWalked(memory, from, (long) from + maxBytes, limit)) {
            to = walk.position();
            next = walk.baseOffset();
            fits = walk.nextPosition() - from <= maxBytes;
        }
        while (fits) {
            to = walk.nextPosition();
            next = walk.nextOffset();
            if (next == limit && isFollowed(memory, to, next)) {
                break;
            }
            if (next >= limit || !walk.next()) {
                if (!walk.isWhole()) {
                    to = walk.position(); // it led to a wrong place
                    next = walk.baseOffset();
                    if (to == from) {
                        throw cursor.damagedHere(memory, verifier.reason());
                    }
                }
                break;
            }
            fits = walk.nextPosition() - from <= maxBytes;
        }
        if (to == from) {
            return null;
        }
        ByteBuffer bytes = cursor.reader().slice(view, from, to - from);
        Place place = new Place(log, cursor.segment(), from, to - from, cursor.isLastingInFile());
        BatchRun run = new Run(view, bytes, place, base, next);
        // What the last batch says of its length and last offset, no header behind it confirms.
        cursor.addWalked(from, next >= limit ? walk.position() : to);
        cursor.advanceTo(to, next);
        return run;
    }

    /**
     * Returns whether a batch has a plausible length: the segment ends behind it, or the header is
     * there that has to follow.
     */
    private boolean isFollowed(ByteBuffer memory, int to, long next) {
        int end = cursor.written(memory);
        return to == end || verifier.checkHeader(memory, to, end, next) > 0;
    }

    /**
     * Steps over batches whose headers were looked at before to one near the end of the run, or to
     * the first that does not fit. Those between are the ones that a walk would find.
     *
     * @param most position that no batch of the run ends after
     * @param limit offset at which the run ends
     */
    private boolean skipWalked(ByteBuffer memory, int from, long most, long limit) {
        // From the first batch on: where that ends, no header behind it has confirmed yet.
        int trusted = cursor.walkedTo(from);
        if (from == 0 && trusted > from) {
            // Who comes to a segment by a seek has read its index. Later reads may not wait for it.
            cursor.indexOf(cursor.segment());
        }
        int to = (int) Math.min(most, trusted);
        try {
            return SegmentIndexes.skipTo(cursor.segment(), walk, to, limit);
        } catch (InternalError e) {
            // The page is gone: a walk finds how far the run can be read.
            cursor.start(walk, memory);
            walk.next();
            return false;
        }
    }

    /** Steps to the batch with the offset, which must begin at the cursor's place. */
    private void goToFirst(ByteBuffer memory) {
        cursor.start(walk, memory);
        if (!walk.next()) {
            // Only headers were read so far: a wrong one may have led here.
            cursor.findAgain(memory);
            cursor.start(walk, memory);
            if (!walk.next()) {
                throw cursor.damagedHere(memory, walk.reason());
            }
        }
    }

    /**
     * Where bytes of a segment are.
     *
     * @param isLasting whether they stay as they are in the segment's file, if it has one
     */
    private record Place(
            SegmentedLog log, LogSegment segment, int position, int length, boolean isLasting) {}

    /** Bytes of a segment and the pin that holds them. */
    private static final class Run implements BatchRun {
        private final View view;
        private final ByteBuffer bytes;
        private final Place place;
        private final long baseOffset;
        private final long nextOffset;
        private final AtomicBoolean closed = new AtomicBoolean();

        /** Takes over the caller's pin. */
        Run(View view, ByteBuffer bytes, Place place, long baseOffset, long nextOffset) {
            this.view = view;
            this.bytes = bytes;
            this.place = place;
            this.baseOffset = baseOffset;
            this.nextOffset = nextOffset;
        }

        @Override
        public ByteBuffer bytes() {
            return bytes;
        }

        @Override
        public FileRange fileRange() {
            FileChannel file = !place.isLasting() || closed.get() ? null : view.file();
            return file == null ? null : new FileRange(file, place.position());
        }

        @Override
        public long baseOffset() {
            return baseOffset;
        }

        @Override
        public long nextOffset() {
            return nextOffset;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                bytes.limit(0); // a buffer that was kept shows nothing from now on
                view.unpin();
            }
        }

        @Override
        public String toString() {
            return place.log()
                    + ", offsets ["
                    + baseOffset
                    + ", "
                    + nextOffset
                    + "): "
                    + place.length()
                    + " bytes at position "
                    + place.position()
                    + " of "
                    + place.segment();
        }
    }
}
