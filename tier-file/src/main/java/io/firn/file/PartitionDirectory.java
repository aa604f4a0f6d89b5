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

    /** Returns the file that reserves the space of a segment's {@link SealMark}. */
    Path reservedSeal(long fileEpoch) {
        return path.resolve(FileNames.reservedSeal(fileEpoch));
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
     * Reserves space for the seals of all segments that are not sealed yet, by a look at each file
     * of the partition; {@link #reserveSeal} is enough where this was done before. Without it a
     * full file system would make a seal fail, which poisons the partition; with it the partition
     * continues as soon as there is space again. One that is sealed needs none, and gets none:
     * readers in other processes take it as the sign that it is not sealed ({@link FileFollower}).
     *
     * <p>Meanwhile another thread may finish or delete one of them. It takes the hidden name away
     * first and the reserved space after it, so whoever finds the name gone removes the latter.
     */
    void reserveSeals() throws IOException {
        for (String name : medium.list(path)) {
            FileNames.Entry entry = FileNames.parse(name);
            if (entry.kind() == FileNames.Kind.ACTIVE) {
                Path reserved = reservedSeal(entry.number());
                if (!medium.exists(reserved) && findSeal(entry.number()) == null) {
                    SealMark.reserve(medium, reserved);
                    if (!medium.exists(active(entry.number()))) {
                        medium.delete(reserved);
                    }
                }
            }
        }
    }

    /** Reserves space for the seal of a segment that nobody can have sealed yet. */
    void reserveSeal(long fileEpoch) throws IOException {
        SealMark.reserve(medium, reservedSeal(fileEpoch));
    }

    /**
     * Truncates a file, durably, and returns its size. One that another process has mapped stays
     * longer where it cannot be cut; the next open of the store cuts it.
     */
    long cut(Path file, int length) throws IOException {
        try (MediumFile out = medium.open(file, true)) {
            // A file that is too short is not extended: zeros would hide that bytes are missing.
            if (out.size() > length) {
                setSizeUnlessInUse(out, file, length);
            }
            out.force();
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
