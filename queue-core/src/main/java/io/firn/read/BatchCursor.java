package io.firn.read;

import io.firn.BatchTooLargeException;
import io.firn.BusyException;
import io.firn.DamagedRangeException;
import io.firn.FirnException;
import io.firn.IsolationLevel;
import io.firn.MediumException;
import io.firn.MissingCodecException;
import io.firn.OffsetOutOfRangeException;
import io.firn.TruncatedException;
import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.format.BatchWalk;
import io.firn.format.FillerBatch;
import io.firn.format.ReadMemory;
import io.firn.format.ReadMemory.Grant;
import io.firn.log.DamagedOffsets;
import io.firn.log.LogSegment;
import io.firn.log.SegmentIndexes;
import io.firn.log.SegmentWalk;
import io.firn.log.SegmentedLog;
import io.firn.log.SparseIndex;
import io.firn.spi.BlockReader;
import io.firn.spi.BlockReader.BlockReusedException;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.Arrays;
import java.util.function.Function;

/**
 * The place in a partition where a reader continues: an offset, the segment that contains it, and
 * the position of the batch with it. Finds that batch, reports damage, and copes with a segment
 * that was replaced.
 *
 * <pre>
 *   UNKNOWN ──enter──▶ IN_SEGMENT ──find──▶ AT_BATCH ──markOpen──▶ open
 *      ▲                    │                  │ ▲                  │
 *      │                    │                  │ └────advanceTo─────┤
 *      └── forget: a seek, damage, the end of the segment, a reuse ─┘
 * </pre>
 *
 * <p>Nothing is held between two calls of {@link #pin}: the caller unpins what that returns. Not
 * thread-safe.
 */
final class BatchCursor {
    private enum Place {
        /** The segment has to be looked up. */
        UNKNOWN,
        /** The batch has to be searched for in the segment. */
        IN_SEGMENT,
        /** The position and the base offset are those of the batch. */
        AT_BATCH
    }

    /** A search during a move may not find the segment; the next one does. */
    private static final int LOOKS = 2;

    /** More than a header, or a marker, needs. */
    private static final int BEHIND = 4096;

    private final SegmentedLog log;
    private final BatchVerifier verifier = new BatchVerifier();
    private final TrustedBytes trusted;

    private long truncationsSeen;
    private long offset;
    private Place place = Place.UNKNOWN;
    private LogSegment segment; // null if and only if the place is unknown
    private BlockReader reader; // of the segment
    private int position;
    private long base;

    /** Whether the records of the batch at the place are being handed out. */
    private boolean open;

    /** How often in turn a segment was found to have fewer bytes than are known of. */
    private int looksAtShort;

    /** Which one: a search by time enters others before it comes to that one again. */
    private long shortBase = -1;

    /** Creates a cursor at the start of the log. */
    BatchCursor(SegmentedLog log) {
        this.log = log;
        this.offset = log.logStartOffset();
        this.trusted = new TrustedBytes(log);
        this.truncationsSeen = log.truncations().count();
    }

    /** Returns the offset of the first record that is still wanted. */
    long offset() {
        return offset;
    }

    /** Sets the offset of the first record that is still wanted, within the present batch. */
    void offset(long next) {
        offset = next;
    }

    /** Moves to any offset. */
    void seek(long to) {
        seek(to, log.truncations().count());
    }

    /** Moves to an offset that was found when there were so many truncations. */
    void seek(long to, long truncations) {
        truncationsSeen = truncations;
        offset = to;
        forget();
    }

    /**
     * Returns whether the log was truncated, so that {@link #checkRange} has to be called, and the
     * visible end to be read again. Called after a pin: who has pinned before may read what is cut
     * off, until it is asked again.
     */
    boolean isTruncated() {
        return log.truncations().count() != truncationsSeen;
    }

    /**
     * Returns the lowest offset of the truncations that {@link #checkRange} was not called after,
     * and of one that is about to be shown; {@link Long#MAX_VALUE} for none.
     */
    long truncatedTo() {
        return log.truncations().lowestToComeSince(truncationsSeen);
    }

    /**
     * As {@link #isTruncated}, when something cannot be read: the writing process may have cut it
     * off although this one does not know yet.
     */
    boolean isCutOff() {
        if (log.store().isReadOnly() && log.topic().isReplicated()) {
            log.store().lookAgain();
        }
        return isTruncated();
    }

    private void checkTruncation() {
        long count = log.truncations().count();
        requireNotAbove(log.truncations().lowestSince(truncationsSeen));
        truncationsSeen = count;
        forget();
    }

    private void requireNotAbove(long lowest) {
        if (offset > lowest) {
            long next = log.nextOffset();
            throw new TruncatedException(
                    log.toString(), log.index(), offset, lowest, log.logStartOffset(), next);
        }
    }

    private void forget() {
        segment = null;
        place = Place.UNKNOWN;
        open = false;
    }

    /**
     * Throws when the partition cannot be read, or not at the offset.
     *
     * @throws OffsetOutOfRangeException when the offset is below the start or above the next offset
     * @throws TruncatedException when the log was truncated below the offset since the last seek
     */
    void checkRange() {
        log.state().checkReadable();
        if (isTruncated()) {
            checkTruncation();
        }
        long start = log.logStartOffset();
        if (offset < start || log.isAboveNext(offset)) {
            // The end is lowered before a truncation is counted: it may be one that comes.
            requireNotAbove(log.truncations().lowestToComeSince(truncationsSeen));
            throw new OffsetOutOfRangeException(
                    log.toString(), log.index(), offset, start, log.nextOffset());
        }
    }

    // ---- the segment

    /**
     * Pins the segment that contains the offset; looks it up again if a follower has replaced it.
     *
     * @throws DamagedRangeException when no segment contains the offset
     * @throws BlockReusedException when the log was truncated to the offset meanwhile
     */
    View pin() {
        enter();
        for (int look = 0; ; look++) {
            try {
                return entered(segment.pin());
            } catch (IOException e) {
                if (look == LOOKS) {
                    throw unreadable(e);
                }
                long seen = truncationsSeen;
                lookAgain();
                if (truncationsSeen != seen) { // the caller knows an end that may be gone
                    throw new BlockReusedException(log.toString());
                }
                enter();
            }
        }
    }

    private View entered(View view) {
        int there = view.buffer().capacity();
        boolean isShort =
                segment.isFollowed()
                        && there < segment.written()
                        && segment.endOffset() >= segment.offsetOf(segment.end());
        if (isShort && shortBase != segment.baseOffset()) {
            shortBase = segment.baseOffset();
            looksAtShort = 0;
        }
        if (isShort && looksAtShort < LOOKS) {
            // Its writer may have just cut it, which this process does not know yet.
            looksAtShort++;
            view.unpin();
            throw new BlockReusedException(log.toString());
        }
        if (isShort) {
            segment.loseFrom(there); // by nobody who says so: what it lacks is damage
        }
        if (shortBase == segment.baseOffset()) {
            shortBase = -1;
        }
        trusted.enter(segment, view);
        return view;
    }

    /** Unpins the segment. */
    void unpin(View view) {
        trusted.leave();
        view.unpin();
    }

    private void enter() {
        // A follower may have lost a segment before it saw its end.
        if (place != Place.UNKNOWN
                && segment.contains(offset)
                && (!segment.isFollowed() || offset < segment.offsetOf(segment.end()))) {
            return;
        }
        forget();
        LogSegment found = log.segmentFor(offset);
        if (found == null || found.baseOffset() > offset) {
            boolean wasTruncated = isTruncated();
            checkRange(); // retention may have deleted it meanwhile
            if (wasTruncated) {
                throw new BlockReusedException(log.toString());
            }
            long to =
                    found == null
                            ? log.visibleOffset(IsolationLevel.READ_UNCOMMITTED)
                            : found.baseOffset();
            throw damaged(to, "no segment holds them");
        }
        segment = found;
        reader = found.block().reader();
        position = 0;
        base = found.baseOffset();
        place = offset == base ? Place.AT_BATCH : Place.IN_SEGMENT;
    }

    /** Pins a segment, in which the caller goes to batches itself. */
    View pin(LogSegment in) {
        forget();
        segment = in;
        reader = in.block().reader();
        place = Place.IN_SEGMENT;
        try {
            return entered(in.pin());
        } catch (IOException e) {
            reader.confirm();
            confirmStays(in);
            checkRange();
            throw unreadable(e);
        }
    }

    /** Returns the segment that was pinned last. */
    LogSegment segment() {
        return segment;
    }

    /**
     * Returns the offset after the last record that is known in that segment. A follower may have
     * found its block anew: then another object knows of what was appended since. {@link
     * LogSegment#OPEN} in the segment that this process appends to: the visible end is before it.
     */
    long segmentEnd() {
        long last = segment.endOffset();
        return segment.isFollowed() ? Math.min(last, segment.offsetOf(segment.end())) : last;
    }

    /** Returns the reader of the segment that was pinned last. */
    BlockReader reader() {
        return reader;
    }

    /**
     * Returns whether the batches of that segment stay as they are in their file, also after they
     * were unpinned: bytes that are being sent from the file are not a copy. A truncation replaces
     * those of a replicated topic.
     */
    boolean isLastingInFile() {
        return !segment.isFollowed() && !log.topic().isReplicated();
    }

    /** Forgets the place, because the writing process has removed the segment. */
    void lookAgain() {
        forget();
        log.store().lookAgain();
        checkRange();
    }

    // ---- the batch

    /** Searches for the batch that contains the offset, unless the cursor is at it. */
    void find(ByteBuffer memory) {
        if (place == Place.IN_SEGMENT) {
            findAgain(memory);
        }
    }

    /** Searches for the batch that contains the offset, although the cursor seemed to be at it. */
    void findAgain(ByteBuffer memory) {
        SegmentWalk walk = walkTo(memory, offset);
        while (walk.next()) {
            if (walk.toOffset() > offset && !walk.isDamage()) {
                // If its count is damaged, a batch may seem to include the bytes after it.
                int end = written(memory);
                if (verifier.check(memory, walk.position(), end, walk.fromOffset()) < 0) {
                    walk.reject(verifier.reason());
                }
            }
            if (walk.toOffset() > offset) {
                if (walk.isDamage()) {
                    position = walk.position();
                    throw damaged(walk.toOffset(), walk.damage());
                }
                position = walk.position();
                base = walk.fromOffset();
                place = Place.AT_BATCH;
                return;
            }
        }
        throw damaged(segment.endOffset(), "the segment ends before them");
    }

    /** Returns a walk over the segment that starts at or before an offset. */
    SegmentWalk walkTo(ByteBuffer memory, long target) {
        return SegmentIndexes.walkTo(segment, indexOf(segment), memory, verifier, target);
    }

    /** Returns the index of a segment. */
    SparseIndex indexOf(LogSegment of) {
        return indexOf(of, SegmentIndexes::of);
    }

    /** Returns the index of a segment, built from its batches. */
    SparseIndex rebuiltIndexOf(LogSegment of) {
        return indexOf(of, SegmentIndexes::rebuild);
    }

    private SparseIndex indexOf(LogSegment of, Function<LogSegment, SparseIndex> source) {
        try {
            return source.apply(of);
        } catch (FirnException e) {
            of.block().reader().confirm(); // otherwise there is nothing left to build an index from
            confirmStays(of);
            throw e;
        }
    }

    /**
     * Throws when a segment was deleted or rewritten, here or by the writing process: others have
     * its offsets now.
     */
    private void confirmStays(LogSegment of) {
        log.store().lookAgain();
        if (of.isDoomed() || !Arrays.asList(log.segments()).contains(of)) {
            throw new BlockReusedException(of.block().name());
        }
    }

    /** Goes to the first record of a batch in the pinned segment. */
    void goTo(int at, long first) {
        position = at;
        base = first;
        offset = first;
        place = Place.AT_BATCH;
        open = false;
    }

    /** Starts a walk by the headers from the place to the end of the segment. */
    void start(BatchWalk walk, ByteBuffer memory) {
        walk.start(memory, position, base, written(memory));
    }

    /**
     * Returns where the batches of the segment end in its memory: a file that has lost its end may
     * have less than is known of.
     */
    int written(ByteBuffer memory) {
        return Math.min(segment.written(), memory.capacity());
    }

    /**
     * Returns a position that no batch of the segment can go beyond. In the segment that this
     * process appends to that is not where its batches end: to load that after each append takes
     * its line from the appender, and the batch at a visible offset is there.
     */
    int limit(ByteBuffer memory) {
        boolean isAppendedTo = !segment.isFollowed() && segment.endOffset() == LogSegment.OPEN;
        return isAppendedTo ? memory.capacity() : written(memory);
    }

    /**
     * Verifies the batch at the place: its header, and its CRC unless that was done.
     *
     * @return the batch's size, or −1
     */
    int verify(ByteBuffer memory) {
        int size = checkHeader(memory);
        return size < 0 ? -1 : verify(memory, size);
    }

    /**
     * Checks the header of the batch at the place.
     *
     * @return the batch's size, or −1
     */
    int checkHeader(ByteBuffer memory) {
        return verifier.checkHeader(memory, position, limit(memory), base);
    }

    /** Continues {@link #verify(ByteBuffer)} after the header. */
    int verify(ByteBuffer memory, int size) {
        int at = position;
        if (trusted.contain(at, at + size)) {
            verifier.touchPages(memory, at, at + size);
            return size;
        }
        if (!verifier.checkCrc(memory, at, size)) {
            return -1;
        }
        trusted.add(at, at + size);
        return size;
    }

    /**
     * Returns the position up to which no header need be looked at again, from the start of a batch
     * on. A copy of a block that may be reused is always looked at.
     */
    int walkedTo(int start) {
        return reader.isInPlace() ? trusted.walkedTo(start) : start;
    }

    /** Notes that the headers of some batches were looked at in order. */
    void addWalked(int start, int end) {
        trusted.addWalked(start, end);
    }

    /**
     * Verifies a copy of the batch at the place, which begins at 0.
     *
     * @return the batch's size, or −1
     */
    int verifyCopy(ByteBuffer copy, int size) {
        return verifier.check(copy, 0, size, base);
    }

    /**
     * Returns whether so many bytes from the place on, and a header or marker behind them, are part
     * of the segment and in the machine's memory, and whether the batch at the place has records
     * and is not larger. The end of the segment must be there, too: where it is not, a disk is
     * being read, and the system would have whoever uses these bytes ask it for the next ones.
     *
     * @param memory of the view that was pinned last
     */
    boolean isInMemory(ByteBuffer memory, int bytes) {
        if (place != Place.AT_BATCH || !reader.isInPlace()) {
            return false;
        }
        int end = written(memory);
        long needed = (long) bytes + BEHIND;
        if (bytes < BatchFormat.HEADER_LENGTH || needed > end - position) {
            return false;
        }
        if (!isLoaded(memory, position, (int) needed) || !isLoaded(memory, end - BEHIND, BEHIND)) {
            return false;
        }
        int size = BatchFormat.size(memory, position);
        return size > FillerBatch.LENGTH && size <= bytes;
    }

    private static boolean isLoaded(ByteBuffer memory, int at, int length) {
        return !(memory instanceof MappedByteBuffer)
                || ((MappedByteBuffer) memory.slice(at, length)).isLoaded();
    }

    /** Returns why the last verification found the batch damaged. */
    String reason() {
        return verifier.reason();
    }

    /** Returns the position of the batch in its segment. */
    int position() {
        return position;
    }

    /** Returns the batch's first offset. */
    long base() {
        return base;
    }

    /** Notes that the records of the batch are ready to be handed out. */
    void markOpen() {
        open = true;
    }

    /** Returns whether the records of the batch at the place are being handed out. */
    boolean isOpen() {
        return open;
    }

    /** Moves past batches in the segment. */
    void advanceTo(int to, long next) {
        position = to;
        base = next;
        offset = next;
        open = false;
    }

    /** Returns whether the batch at the place can be read and is whole. */
    boolean isReadable(ByteBuffer memory) {
        try {
            return verifier.check(memory, position, written(memory), base) > 0;
        } catch (InternalError e) {
            return false;
        }
    }

    /** Notes that the records of the batch have to be made ready again. */
    void markClosed() {
        open = false;
    }

    // ---- errors

    /** Returns the error for the batch at the place, which a check has found damaged. */
    RuntimeException damagedHere(ByteBuffer memory, String reason) {
        SegmentWalk walk = segment.walk(memory, position, base);
        walk.rejectNext(reason);
        return damaged(walk.toOffset(), reason);
    }

    /** Notes that a batch needs a codec that cannot be used; returns the error. */
    RuntimeException withoutCodec(MissingCodecException why) {
        log.noteMissingCodec(why);
        return why;
    }

    /**
     * Returns the error for records that are lost, from the offset on up to another one.
     *
     * @throws BlockReusedException when they are not lost, but were read in a reused block, or in a
     *     mapping of a file that was replaced
     */
    RuntimeException damaged(long to, String reason) {
        if (place != Place.UNKNOWN) {
            reader.confirm();
        }
        if (isCutOff()) { // while it was being read
            checkRange();
            throw new BlockReusedException(log.toString());
        }
        if (place != Place.UNKNOWN && wasReplaced()) {
            throw new BlockReusedException(log.toString());
        }
        forget();
        log.addDamage(new DamagedOffsets(offset, to, reason));
        return new DamagedRangeException(log.toString(), log.index(), offset, to, reason);
    }

    /**
     * Whether the segment's file has other bytes at the place by now than those that are mapped.
     */
    private boolean wasReplaced() {
        try {
            return segment.block().renewView(position, segment.written() - position);
        } catch (IOException e) {
            return false; // it cannot be read, so what is mapped is all there is
        }
    }

    /** Returns the error for the batch at the place, which is whole but was not decompressed. */
    FirnException notDecompressed(long next, Grant grant, ReadMemory memory) {
        String where = log.toString();
        return grant == Grant.TOO_LARGE
                ? new BatchTooLargeException(
                        where, log.index(), offset, next, memory.largest(), memory.limit())
                : new BusyException(
                        where
                                + ": no memory to decompress the batch with offset "
                                + offset
                                + ": handlers that have not returned use the "
                                + memory.limit()
                                + " bytes of readMemory. Nothing is lost: read again, let handlers"
                                + " return sooner or read on fewer threads, or open the store with"
                                + " more readMemory");
    }

    /** Returns the error for a segment whose medium cannot be read; the place stays. */
    FirnException unreadable(Throwable cause) {
        open = false;
        return new MediumException(
                log + ": segment " + segment + " cannot be read: " + cause.getMessage(), cause);
    }
}
