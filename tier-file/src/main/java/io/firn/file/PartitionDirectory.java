package io.firn.file;

import io.firn.StoreFullException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.NoSpace;
import io.firn.spi.Mark;
import io.firn.spi.Sidecar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/** The directory with a partition's segments. */
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

    /** Where there is room for a segment's {@link SealMark}. */
    Path sealRoom(long fileEpoch) {
        return path.resolve(FileNames.sealRoom(fileEpoch));
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

    /** Whether a mark is about a segment of this partition. */
    boolean owns(Mark mark) {
        return mark.topicId().equals(topicId) && mark.partition() == partition;
    }

    /**
     * What {@code BASE.mark} says; null when it is not there, damaged, or about another segment.
     */
    SealMark readSeal(long baseOffset) throws IOException {
        SealMark seal = SealMark.read(medium, mark(baseOffset));
        boolean fits = seal != null && owns(seal.mark()) && seal.mark().baseOffset() == baseOffset;
        return fits ? seal : null;
    }

    /** The seal of the segment whose hidden file has this epoch in its name, or null. */
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
        seal.write(medium, mark(seal.mark().baseOffset()), sealRoom(seal.fileEpoch()));
    }

    /**
     * Sets room aside for the seals of all segments that are not sealed yet: a seal that fails for
     * want of space would end a partition that could go on when there is space again.
     */
    void reserveSeals() throws IOException {
        for (String name : medium.list(path)) {
            FileNames.Entry entry = FileNames.parse(name);
            if (entry.kind() == FileNames.Kind.ACTIVE) {
                SealMark.reserve(medium, sealRoom(entry.number()));
            }
        }
    }

    /**
     * Two sealed segments with one base offset would overwrite each other.
     *
     * @param fileEpoch the one that may be sealed with the base offset
     * @throws IOException when there is another one
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

    /** Cuts a file to a length, durably, and returns its size. */
    long cut(Path file, int length) throws IOException {
        try (MediumFile out = medium.open(file, true)) {
            // A file that is too short stays so: zeros would hide that something is missing.
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

    void writeSidecar(long baseOffset, Sidecar kind, byte[] bytes, boolean forced)
            throws IOException {
        WholeFile.replace(medium, sidecar(baseOffset, kind), bytes, forced);
    }

    /**
     * Deletes a sealed segment. One rename removes it. Only when that is durable does the rest go,
     * and the renamed file last: as long as it is there, the next open knows what else is to be
     * deleted.
     */
    void deleteSealed(Path file, long baseOffset) throws IOException {
        Path gone = deleted(baseOffset);
        if (medium.exists(file)) {
            medium.rename(file, gone);
        }
        force();
        deleteRest(baseOffset);
    }

    /** Deletes what is left of a segment that was renamed away. */
    void deleteRest(long baseOffset) throws IOException {
        deleteWith(deleted(baseOffset), baseOffset);
    }

    /** Deletes a copy that was not published, in the same order. */
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

    /** Whether mark and sidecars belong to another segment by now. */
    private boolean isInUse(long baseOffset) throws IOException {
        SealMark seal = readSeal(baseOffset);
        return medium.exists(log(baseOffset))
                || (seal != null && medium.exists(active(seal.fileEpoch())));
    }

    /** Whether an error means that there is no space. */
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
