package io.firn.file;

import io.firn.StoreFullException;
import io.firn.medium.FileErrors.OutOfInodesException;
import io.firn.medium.FileMedium;
import io.firn.medium.GuardedLog;
import io.firn.medium.MediumFile;
import io.firn.spi.Mark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** The directory of a partition's segments: the paths in it, and what is done to its files. */
record PartitionDirectory(
        FileMedium medium, boolean readOnly, Path path, UUID topicId, int partition) {
    private static final GuardedLog LOG = GuardedLog.get();

    static PartitionDirectory of(
            FileMedium medium, boolean readOnly, Path root, UUID topicId, int partition) {
        Path path = root.resolve(FileNames.topic(topicId)).resolve(Integer.toString(partition));
        return new PartitionDirectory(medium, readOnly, path, topicId, partition);
    }

    Path active(long epoch) {
        return path.resolve(FileNames.active(epoch));
    }

    /** Returns the file of a deleted segment while it is kept for the next one. */
    Path spare(long fileEpoch) {
        return path.resolve(FileNames.spare(fileEpoch));
    }

    /** Returns the files of a segment that was never rewritten. */
    FilesInPartition plain(long baseOffset) {
        return new FilesInPartition(this, baseOffset);
    }

    /** Returns the files of a segment that was made in a generation above 0. */
    FilesInDirectory rewritten(long baseOffset, int generation) {
        return new FilesInDirectory(this, baseOffset, generation);
    }

    /** Returns the files that a copy with a mark becomes. */
    SegmentFiles filesOf(Mark copy) {
        return copy.generation() == 0
                ? plain(copy.baseOffset())
                : rewritten(copy.baseOffset(), copy.generation());
    }

    /** Returns whether a mark belongs to a segment of this partition. */
    boolean owns(Mark mark) {
        return mark.topicId().equals(topicId) && mark.partition() == partition;
    }

    /**
     * Returns the seal of the segment with this epoch in its hidden name; null when not sealed.
     * Looks at the newest seals first: who asks does so soon after it may have been sealed.
     */
    SealMark findSeal(long fileEpoch) throws IOException {
        List<String> names = medium.list(path);
        for (int i = names.size() - 1; i >= 0; i--) {
            FileNames.Entry entry = FileNames.parse(names.get(i));
            if (entry.kind() == FileNames.Kind.MARK) {
                SealMark seal = plain(entry.number()).readSeal();
                if (seal != null && seal.fileEpoch() == fileEpoch) {
                    return seal;
                }
            }
        }
        return null;
    }

    /**
     * Truncates a file whose mark says where it ends, and returns its size. No force is needed: the
     * next open cuts a file that is longer than its mark says, also one that stays longer because
     * another process has it mapped.
     */
    long cut(Path file, int length) throws IOException {
        try (MediumFile out = medium.open(file, true)) {
            // A file that is too short is not extended: zeros would hide that bytes are missing.
            if (out.size() > length) {
                setSizeUnlessInUse(out, file, length);
            }
            return out.size();
        }
    }

    private void setSizeUnlessInUse(MediumFile out, Path file, int length) throws IOException {
        try {
            out.setSize(length);
        } catch (IOException e) {
            if (medium.canChangeFilesInUse()) {
                throw e;
            }
            LOG.log(
                    System.Logger.Level.INFO,
                    "{0} is not cut to {1} bytes before the store is opened again: somebody still"
                            + " has it mapped ({2})",
                    file,
                    length,
                    e.getMessage());
        }
    }

    long usableBytes() throws IOException {
        return medium.usableBytes(path);
    }

    /** Returns whether an error means that the file system is full. */
    boolean isFull(IOException e, long wanted) {
        return FileMedium.isNoSpace(e, medium, path, wanted);
    }

    /**
     * Returns an error, or throws that there is no space if it means that.
     *
     * @param missing the bytes that were to be written
     * @param wanted the bytes of the segment
     */
    IOException orFull(IOException e, long missing, long wanted) throws IOException {
        if (isFull(e, missing)) {
            throw full(e, wanted);
        }
        return e;
    }

    StoreFullException full(IOException e, long wanted) {
        if (e instanceof OutOfInodesException) {
            return new StoreFullException(
                    path + ": a segment needs another file; " + e.getMessage(), e);
        }
        return new StoreFullException(
                path
                        + ": "
                        + wanted
                        + " bytes wanted for a segment, "
                        + usable()
                        + " usable: make room, or let retention or migration do so",
                e);
    }

    private String usable() {
        try {
            return Long.toString(medium.usableBytes(path));
        } catch (IOException e) {
            return "an unknown number"; // that the disk is full is what has to be said
        }
    }

    void force() throws IOException {
        medium.forceDirectory(path);
    }
}
