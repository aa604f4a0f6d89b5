package io.firn.backup;

import io.firn.MediumException;
import io.firn.backup.StorePoint.PartitionPoint;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.move.CheckedCopy.Pace;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Copies the segments of a partition as they were at a point in time. Nothing is held meanwhile: a
 * segment may be moved or deleted while it is read. Its block then refuses the next read, before
 * its space is used again, so bytes count only if the block could still be read after them. After a
 * move the block in the other tier is read; what retention has deleted is left out.
 *
 * <p>A file appears under its name when it was forced and read back, and is not changed any more.
 */
final class PartitionCopy {
    private static final int PIECE = 1 << 20;

    private final BackupDirectory to;
    private final FileMedium medium;
    private final PartitionPoint point;
    private final SegmentedLog log;
    private final Path directory;
    private final Progress progress;
    private final List<String> present;
    private final byte[] piece = new byte[PIECE];
    private boolean hasNewNames;

    /** What all copies of a backup share. For one thread. */
    static final class Progress {
        private final Pace pace;
        private final boolean usesLinks;
        private final boolean isContinued;
        private final long total;
        private long read;
        private long copied;
        private long linked;

        /**
         * Begins.
         *
         * @param isContinued whether names may be there that are not durable
         * @param total the bytes of all segments, about
         */
        Progress(Pace pace, boolean usesLinks, boolean isContinued, long total) {
            this.pace = pace;
            this.usesLinks = usesLinks;
            this.isContinued = isContinued;
            this.total = total;
        }

        long copied() {
            return copied;
        }

        long linked() {
            return linked;
        }
    }

    PartitionCopy(BackupDirectory to, PartitionPoint point, Progress progress) throws IOException {
        this.to = to;
        this.medium = to.medium();
        this.point = point;
        this.log = point.log();
        this.directory = to.partition(log.topic().id(), log.index());
        this.progress = progress;
        medium.createDirectories(directory);
        this.present = new ArrayList<>();
        for (String name : medium.list(directory)) {
            if (name.startsWith(BackupDirectory.TEMPORARY)) {
                medium.delete(directory.resolve(name)); // of a backup that was interrupted
            } else {
                present.add(name);
            }
        }
    }

    /**
     * Copies what is missing; durable on return.
     *
     * @return null when it is not wanted any more
     * @throws PointLostException when the log is not what it was
     */
    SavedPartition run() throws IOException, PointLostException {
        List<SavedSegment> saved = tryRun();
        while (saved != null && !isAll(saved)) {
            saved = tryRun(); // a compaction that was about to end has replaced some
        }
        if (saved == null) {
            return null;
        }
        if (log.truncations().count() != point.truncations()) {
            throw new PointLostException(log + " was truncated");
        }
        if (hasNewNames || progress.isContinued) {
            medium.forceDirectory(directory);
        }
        long start = Math.min(Math.max(point.start(), log.logStartOffset()), point.end());
        saved.removeIf(each -> each.mark().offset() <= start);
        return new SavedPartition(log.index(), start, point.end(), saved);
    }

    /** Returns whether these are the segments that the log has now, as far as it still has them. */
    private boolean isAll(List<SavedSegment> saved) {
        long start = log.logStartOffset();
        List<Long> now = new ArrayList<>();
        for (LogSegment each : log.segments()) {
            Mark mark = markOf(each, each.block());
            if (mark.baseOffset() < point.end() && mark.offset() > start && mark.position() > 0) {
                now.add(mark.baseOffset());
                now.add((long) mark.generation());
            }
        }
        List<Long> copied = new ArrayList<>();
        for (SavedSegment each : saved) {
            if (each.mark().offset() > start) {
                copied.add(each.mark().baseOffset());
                copied.add((long) each.mark().generation());
            }
        }
        return now.equals(copied);
    }

    private List<SavedSegment> tryRun() throws IOException, PointLostException {
        List<SavedSegment> saved = new ArrayList<>();
        for (LogSegment each : log.segments()) {
            if (each.baseOffset() >= point.end()) {
                break;
            }
            if (each.endOffset() <= log.logStartOffset()) {
                continue;
            }
            SavedSegment done = copy(each);
            if (done == null && !progress.pace.isWanted()) {
                return null;
            }
            if (done != null) {
                saved.add(done);
            }
        }
        return saved;
    }

    /** Returns null when it was deleted, or the copy is not wanted any more. */
    private SavedSegment copy(LogSegment segment) throws IOException, PointLostException {
        while (true) {
            Block block = segment.block();
            Mark mark = markOf(segment, block);
            if (mark.position() == 0) {
                return null; // nothing was in it at that time
            }
            String key = SavedSegment.key(mark);
            for (String name : present) {
                Integer crc = SavedSegment.crcIn(name, key);
                if (crc != null && to.sizeOf(directory.resolve(name)) == mark.position()) {
                    return new SavedSegment(mark, crc);
                }
            }
            SavedSegment made = make(segment, block, mark);
            if (made != null) {
                present.add(made.fileName());
                return made;
            }
            if (!progress.pace.isWanted() || isDeleted(segment)) {
                return null;
            }
        }
    }

    private boolean isDeleted(LogSegment segment) {
        return segment.isDoomed() || segment.endOffset() <= log.logStartOffset();
    }

    /** Returns the mark that the segment gets in a store, with what was in it at the time. */
    private Mark markOf(LogSegment segment, Block block) {
        Mark now = block.mark();
        boolean isSealed = now.state() == SegmentState.SEALED;
        boolean isTail = segment.equals(point.tail().segment());
        long end = isTail ? point.end() : segment.endOffset();
        return now.sealed(
                segment.epoch(),
                segment.baseOffset(),
                isTail ? point.tail().bytes() : segment.written(),
                end,
                isSealed ? now.sealTimeMs() : log.store().timeMs());
    }

    /** Returns null when the block was deleted, or the copy is not wanted any more. */
    private SavedSegment make(LogSegment segment, Block block, Mark mark) throws IOException {
        Path temporary = directory.resolve(BackupDirectory.TEMPORARY + SavedSegment.key(mark));
        medium.delete(temporary);
        boolean isLinked = isWhole(segment, mark) && link(block, temporary);
        Integer crc = isLinked ? readBack(temporary, mark.position()) : copy(segment, block, mark);
        if (crc == null) {
            medium.delete(temporary);
            return null;
        }
        SavedSegment made = new SavedSegment(mark, crc);
        medium.rename(temporary, directory.resolve(made.fileName()));
        hasNewNames = true;
        if (isLinked) {
            progress.linked += mark.position();
        } else {
            progress.copied += mark.position();
        }
        return made;
    }

    /** A replica may be truncated, which cuts its files. */
    private boolean isWhole(LogSegment segment, Mark mark) {
        return progress.usesLinks
                && segment.isSealed()
                && segment.endOffset() == mark.offset()
                && segment.written() == mark.position()
                && !log.topic().isReplicated();
    }

    private boolean link(Block block, Path temporary) throws IOException {
        try {
            return block.linkTo(temporary) && to.sizeOf(temporary) >= 0;
        } catch (IOException e) {
            medium.delete(temporary);
            return false; // it was deleted or moved just now, or reading it tells what is wrong
        }
    }

    /**
     * Forces and reads a linked file, whose length may not be durable yet (O4); returns the
     * checksum, or null when it is not wanted or has another length.
     */
    private Integer readBack(Path file, int length) throws IOException {
        CRC32C crc = new CRC32C();
        try (MediumFile in = medium.open(file, true)) {
            if (in.size() != length) {
                return null;
            }
            in.force();
            for (int at = 0; at < length; at += piece.length) {
                int wanted = Math.min(piece.length, length - at);
                if (!pause(wanted)) {
                    return null;
                }
                if (in.read(at, piece, 0, wanted) != wanted) {
                    return null;
                }
                crc.update(piece, 0, wanted);
            }
        }
        return (int) crc.getValue();
    }

    private boolean pause(int next) {
        boolean isWanted = progress.pace.pause(progress.read, progress.total, next);
        progress.read += next;
        return isWanted;
    }

    private Integer copy(LogSegment segment, Block block, Mark mark) throws IOException {
        Path temporary = directory.resolve(BackupDirectory.TEMPORARY + SavedSegment.key(mark));
        CRC32C crc = new CRC32C();
        try (MediumFile out = medium.create(temporary)) {
            int length = mark.position();
            for (int at = 0; at < length; at += piece.length) {
                int wanted = Math.min(piece.length, length - at);
                if (!pause(wanted) || !read(segment, block, at, wanted)) {
                    return null;
                }
                crc.update(piece, 0, wanted);
                out.write(at, piece, 0, wanted);
            }
            if (!read(segment, block, 0, 1)) {
                return null; // what was read last may have been another segment's
            }
            out.force();
            requireSame(out, temporary, length, crc.getValue());
        }
        return (int) crc.getValue();
    }

    private void requireSame(MediumFile file, Path path, int length, long expected)
            throws IOException {
        CRC32C crc = new CRC32C();
        for (int at = 0; at < length; at += piece.length) {
            int wanted = Math.min(piece.length, length - at);
            int read = file.read(at, piece, 0, wanted);
            crc.update(piece, 0, Math.max(read, 0));
        }
        if (crc.getValue() != expected) {
            throw new IOException(
                    path + " reads back as other bytes than were written: check that medium");
        }
    }

    /** Returns false when the block is not the segment's any more. */
    private boolean read(LogSegment segment, Block block, int at, int wanted) {
        try {
            int read = block.read(at, piece, 0, wanted);
            if (read < wanted) {
                Arrays.fill(piece, Math.max(read, 0), wanted, (byte) 0); // damage, as in a move
            }
            return true;
        } catch (IOException | InternalError e) {
            if (isDeleted(segment) || !block.equals(segment.block())) {
                return false;
            }
            log.store().stateOf(block.tier()).noteError(e);
            throw new MediumException(
                    log + ": segment " + segment + " cannot be read: " + e.getMessage(), e);
        }
    }
}
