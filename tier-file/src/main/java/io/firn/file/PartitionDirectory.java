package io.firn.file;

import io.firn.StoreFullException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.NoSpace;
import io.firn.medium.WholeFile;
import io.firn.spi.Mark;
import io.firn.spi.Sidecar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/** The directory of a partition's segments: the paths in it, and what is done to its files. */
record PartitionDirectory(
        FileMedium medium, boolean readOnly, Path path, UUID topicId, int partition) {

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

    Path log(long baseOffset) {
        return path.resolve(FileNames.log(baseOffset));
    }

    Path mark(long baseOffset) {
        return path.resolve(FileNames.mark(baseOffset));
    }

    Path sidecar(long baseOffset, Sidecar kind) {
        return path.resolve(FileNames.sidecar(baseOffset, kind));
    }

    Path deleted(long baseOffset) {
        return path.resolve(FileNames.deleted(baseOffset));
    }

    Path copy(long baseOffset) {
        return path.resolve(FileNames.copy(baseOffset));
    }

    /** Returns whether a mark belongs to a segment of this partition. */
    boolean owns(Mark mark) {
        return mark.topicId().equals(topicId) && mark.partition() == partition;
    }

    /**
     * Returns the content of {@code BASE.mark}; null when the file does not exist, is damaged, or
     * belongs to another segment.
     */
    SealMark readSeal(long baseOffset) throws IOException {
        SealMark seal = SealMark.read(medium, mark(baseOffset));
        boolean fits = seal != null && owns(seal.mark()) && seal.mark().baseOffset() == baseOffset;
        return fits ? seal : null;
    }

    /** Returns the seal of the segment with this epoch in its hidden name; null when not sealed. */
    SealMark findSeal(long fileEpoch) throws IOException {
        for (String name : medium.list(path)) {
            FileNames.Entry entry = FileNames.parse(name);
            if (entry.kind() == FileNames.Kind.MARK) {
                SealMark seal = readSeal(entry.number());
                if (seal != null && seal.fileEpoch() == fileEpoch) {
                    return seal;
                }
            }
        }
        return null;
    }

    void writeSeal(SealMark seal) throws IOException {
        seal.write(medium, mark(seal.mark().baseOffset()), reservedSeal(seal.fileEpoch()));
    }

    /**
     * Reserves space for the seals of all segments that are not sealed yet. Without it a full file
     * system would make a seal fail, which poisons the partition; with it the partition continues
     * as soon as there is space again.
     */
    void reserveSeals() throws IOException {
        for (String name : medium.list(path)) {
            FileNames.Entry entry = FileNames.parse(name);
            if (entry.kind() == FileNames.Kind.ACTIVE) {
                SealMark.reserve(medium, reservedSeal(entry.number()));
            }
        }
    }

    /**
     * Checks that no other segment is sealed with a base offset: the two would overwrite each
     * other.
     *
     * @param fileEpoch the epoch of the segment that may be sealed with it
     * @throws IOException when another segment is
     */
    void requireFree(long baseOffset, long fileEpoch) throws IOException {
        requireFree(baseOffset, fileEpoch, active(fileEpoch));
    }

    void requireFree(long baseOffset, long fileEpoch, Path candidate) throws IOException {
        SealMark other = readSeal(baseOffset);
        boolean taken =
                medium.exists(log(baseOffset))
                        || (other != null
                                && other.fileEpoch() != fileEpoch
                                && medium.exists(active(other.fileEpoch())));
        if (taken) {
            throw new IOException(
                    path
                            + " already holds a sealed segment with base offset "
                            + baseOffset
                            + ", so "
                            + candidate
                            + " cannot become one: delete one of them first");
        }
    }

    /** Truncates a file, durably, and returns its size. */
    long cut(Path file, int length) throws IOException {
        try (MediumFile out = medium.open(file, true)) {
            // A file that is too short is not extended: zeros would hide that bytes are missing.
            if (out.size() > length) {
                out.setSize(length);
            }
            out.force();
            return out.size();
        }
    }

    byte[] readSidecar(long baseOffset, Sidecar kind) throws IOException {
        return WholeFile.read(medium, sidecar(baseOffset, kind));
    }

    /**
     * Writes a sidecar; its name is durable after {@link #force}. If there is no space it is left
     * out, since it can be rebuilt, and a segment that is not finished could not be deleted.
     */
    void writeSidecar(long baseOffset, Sidecar kind, byte[] bytes) throws IOException {
        Path file = sidecar(baseOffset, kind);
        try {
            WholeFile.replace(medium, file, bytes);
        } catch (IOException e) {
            if (!isFull(e, bytes.length)) {
                throw e;
            }
            medium.delete(WholeFile.temporaryFor(file));
        }
    }

    /** Writes a sidecar of a finished segment again, without any force. */
    void rewriteSidecar(long baseOffset, Sidecar kind, byte[] bytes) throws IOException {
        WholeFile.replaceUnforced(medium, sidecar(baseOffset, kind), bytes);
    }

    /**
     * Deletes a sealed segment. One rename removes it. When that is durable, the other files are
     * deleted, and the renamed file last: as long as it exists, the next open knows what else to
     * delete.
     */
    void deleteSealed(Path file, long baseOffset) throws IOException {
        Path gone = deleted(baseOffset);
        if (medium.exists(file)) {
            medium.rename(file, gone);
        }
        force();
        deleteRest(baseOffset);
    }

    /** Deletes the remaining files of a segment that was renamed to its deleted name. */
    void deleteRest(long baseOffset) throws IOException {
        deleteWith(deleted(baseOffset), baseOffset);
    }

    /** Deletes a copy that was not published, its own file last. */
    void deleteCopy(long baseOffset) throws IOException {
        deleteWith(copy(baseOffset), baseOffset);
    }

    private void deleteWith(Path last, long baseOffset) throws IOException {
        if (!isInUse(baseOffset)) {
            medium.delete(mark(baseOffset));
            for (Sidecar kind : Sidecar.values()) {
                medium.delete(sidecar(baseOffset, kind));
            }
            force();
        }
        medium.delete(last);
    }

    /** Returns whether mark and sidecars already belong to another segment. */
    private boolean isInUse(long baseOffset) throws IOException {
        SealMark seal = readSeal(baseOffset);
        return medium.exists(log(baseOffset))
                || (seal != null && medium.exists(active(seal.fileEpoch())));
    }

    long usableBytes() throws IOException {
        return medium.usableBytes(path);
    }

    /** Returns whether an error means that the file system is full. */
    boolean isFull(IOException e, long wanted) {
        return NoSpace.isMeantBy(e, medium, path, wanted);
    }

    StoreFullException full(IOException e, long wanted) throws IOException {
        return new StoreFullException(
                path
                        + ": "
                        + wanted
                        + " bytes wanted for a segment, "
                        + medium.usableBytes(path)
                        + " usable: make room, or let retention or migration do so",
                e);
    }

    void force() throws IOException {
        medium.forceDirectory(path);
    }
}
