package io.firn.follow;

import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.medium.FileMedium;
import io.firn.medium.WholeFile;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds what a crashed writer left above its marks. Some of it may be acknowledged records, which a
 * read-only store otherwise does not show until a writer opens the store.
 *
 * <p>The rule is that of recovery, so nothing is shown that the recovery of a writer would cut: in
 * the last segment, the batches above the mark that have the mark's epoch and follow one another;
 * then the batches of a reserved block that begins with the next offset. Other blocks are ignored;
 * recovery drops them.
 *
 * <p>The order: the marks are read, the batches are verified, and only then the writer's lock is
 * found to be free. Had a writer opened the store before that, its recovery would have accepted the
 * same batches, since what it appends itself has another epoch than the marks that were read. So
 * what was verified before the lock was free is durable then, or would be accepted now.
 */
public final class CrashTail {
    /** Of a file with one number. */
    private static final int MOST_EPOCHS_BYTES = 4096;

    private final FileMedium medium;
    private final Path lock;
    private final Path epochs;
    private final BatchesAboveMark batches;

    /** What the last writer has left in the file with the epochs; null when that is not known. */
    private byte[] trace;

    private boolean isShown;
    private final Map<SegmentedLog, List<Mark>> settled = new HashMap<>();

    /**
     * What was found in a log: the end of the last segment, and the blocks after it with their
     * ends.
     */
    public record Found(SegmentedLog log, List<Mark> marks, List<Piece> pieces) {}

    /** Batches in a block up to an end. */
    record Piece(Block block, long baseOffset, BatchesAboveMark.End end) {}

    /**
     * Creates a search.
     *
     * @param lock the lock file of the writer
     * @param epochs the file that each writer changes when it opens the store: by it, a reader
     *     notices one that came and went between two looks
     */
    public CrashTail(FileMedium medium, Path lock, Path epochs, BatchesAboveMark batches) {
        this.medium = medium;
        this.lock = lock;
        this.epochs = epochs;
        this.batches = batches;
    }

    /** Whether it is certain that no process writes the store. */
    public boolean isWriterGone() throws IOException {
        return medium.isUnlocked(lock);
    }

    /** Begins a look at everything. */
    public void beginLook() {
        isShown = false;
        trace = readEpochs();
    }

    /** Ends that look, which has shown all that the last writer left. */
    public void endLook() {
        isShown = true;
    }

    /** Whether all is shown that the last writer left, and there was no other one since. */
    public boolean isAllShown() {
        return isShown && trace != null && Arrays.equals(trace, readEpochs());
    }

    private byte[] readEpochs() {
        try {
            byte[] found = WholeFile.read(medium, epochs, MOST_EPOCHS_BYTES);
            return found == null ? new byte[0] : found;
        } catch (IOException e) {
            return null;
        }
    }

    /** Forgets a log whose topic is gone. */
    public void forget(SegmentedLog log) {
        settled.remove(log);
    }

    /**
     * Searches above the marks of a log.
     *
     * @param blocks all blocks of the log, with marks that were read just now
     * @return null when nothing changed since {@link #settle(Found)}
     */
    public Found look(SegmentedLog log, List<Block> blocks) throws IOException {
        List<Mark> marks = blocks.stream().map(Block::mark).toList();
        if (marks.equals(settled.get(log))) {
            return null;
        }
        List<Piece> pieces = new ArrayList<>();
        LogSegment[] segments = log.segments();
        long next = -1;
        if (segments.length > 0) {
            LogSegment last = segments[segments.length - 1];
            next = last.endOffset();
            if (next == LogSegment.OPEN) {
                long pair = last.end();
                int position = LogSegment.positionOf(pair);
                BatchesAboveMark.End end =
                        batches.after(
                                last.block(),
                                position,
                                last.offsetOf(pair),
                                log.topic().isReplicated());
                pieces.add(new Piece(last.block(), last.baseOffset(), end));
                next = end.offset();
            }
        }
        // Of a replica, a segment without a mark does not count (O27).
        Piece piece = log.topic().isReplicated() ? null : pieceAt(next, blocks);
        while (piece != null) {
            pieces.add(piece);
            next = piece.end.offset();
            piece = pieceAt(next, blocks);
        }
        return new Found(log, marks, pieces);
    }

    /** Notes that what was found is now shown. */
    public void settle(Found found) {
        settled.put(found.log, found.marks);
    }

    /**
     * The reserved block that continues a log; in an empty log, any reserved block. Null when there
     * is none.
     */
    private Piece pieceAt(long offset, List<Block> blocks) throws IOException {
        for (Block block : blocks) {
            if (block.mark().state() != SegmentState.RESERVED) {
                continue;
            }
            long base = batches.baseOffset(block);
            if (base < 0 || (offset >= 0 && base != offset)) {
                continue;
            }
            BatchesAboveMark.End end = batches.after(block, 0, base);
            if (end.position() > 0) {
                return new Piece(block, base, end);
            }
        }
        return null;
    }
}
