package io.firn.file;

import io.firn.medium.MediumFile;
import io.firn.medium.WholeFile;
import io.firn.spi.Block.Sidecar;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The files of a segment that was never rewritten. They share the partition's directory with those
 * of other segments. While {@code .BASE.copy} exists, mark and sidecars of the base offset belong
 * to the copy and are ignored. When they are durable, the rename to {@code BASE.log} publishes
 * everything at once.
 */
final class FilesInPartition extends SegmentFiles {
    /** A copy never has a name that contains an epoch. */
    private static final long UNNAMED = -1;

    FilesInPartition(PartitionDirectory partition, long baseOffset) {
        super(partition, partition.path(), baseOffset, 0);
    }

    private Path deleted() {
        return path.resolve(FileNames.deleted(baseOffset));
    }

    private Path copy() {
        return path.resolve(FileNames.copy(baseOffset));
    }

    /**
     * Checks that no other segment is sealed with the base offset: the two would overwrite each
     * other.
     *
     * @param fileEpoch the epoch of the segment that may be sealed with it
     * @throws IOException when another segment is
     */
    void requireFree(long fileEpoch) throws IOException {
        requireFree(fileEpoch, partition.active(fileEpoch));
    }

    private void requireFree(long fileEpoch, Path candidate) throws IOException {
        SealMark other = readSeal();
        boolean taken =
                medium.exists(log())
                        || (other != null
                                && other.fileEpoch() != fileEpoch
                                && medium.exists(partition.active(other.fileEpoch())));
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

    /**
     * Writes the mark file of a segment whose mark pages contain the seal, unless there is no space
     * for it. Its name is durable after a force of the directory.
     *
     * @return whether there was space
     */
    boolean writeFirstSeal(SealMark seal) throws IOException {
        SealMark found = readSeal();
        boolean isThere = found != null && found.fileEpoch() == seal.fileEpoch();
        try {
            if (isThere) {
                writeSeal(seal); // as a whole: the mark pages may be gone, or be older
            } else {
                seal.create(medium, mark());
            }
            return true;
        } catch (IOException e) {
            if (!partition.isFull(e, SealMark.MAX_LENGTH)) {
                throw e;
            }
            medium.delete(isThere ? WholeFile.temporaryFor(mark()) : mark());
            return false;
        }
    }

    @Override
    MediumFile beginCopy() throws IOException {
        requireFree(UNNAMED, copy());
        if (medium.exists(copy())) {
            deleteWith(copy()); // of an earlier attempt that could not be cleaned up
        }
        return medium.create(copy());
    }

    @Override
    void publish(SealMark seal, byte[] index, byte[] timeIndex) throws IOException {
        // The hidden name is durable before mark and sidecars are written: if they survived a crash
        // without it, nothing would show that they must be ignored.
        partition.force();
        writeSidecar(Sidecar.INDEX, index);
        writeSidecar(Sidecar.TIMEINDEX, timeIndex);
        writeSeal(seal);
        requireFree(UNNAMED, copy());
        medium.rename(copy(), log());
        partition.force();
    }

    @Override
    void deleteCopy() throws IOException {
        // The rename may have been done even if it was not certain to be durable.
        if (medium.exists(copy())) {
            deleteWith(copy());
        } else {
            delete(log());
        }
        partition.force();
    }

    /**
     * One rename removes the segment. When that is durable, the other files are deleted, and the
     * renamed file last: as long as it exists, the next open knows what else to delete.
     */
    @Override
    void delete(Path file) throws IOException {
        hide(file);
        deleteRest();
    }

    /**
     * As {@link #delete}, but the renamed file may be kept for the next segment ({@link
     * SpareFiles}).
     *
     * @param epoch in the name that the file had when it was hidden
     */
    void recycle(Path file, long bytes, long epoch, SpareFiles spares) throws IOException {
        hide(file);
        // First: of a spare file nothing shows what else is to be deleted.
        deleteBeside();
        if (!spares.offer(partition, deleted(), bytes, epoch)) {
            medium.delete(deleted());
        }
    }

    private void hide(Path file) throws IOException {
        if (medium.exists(file)) {
            medium.rename(file, deleted());
        }
        partition.force();
    }

    /** Deletes the remaining files of a segment that was renamed to its deleted name. */
    void deleteRest() throws IOException {
        deleteWith(deleted());
    }

    /** Deletes a copy that a crash interrupted, its own file last. */
    void deleteLeftCopy() throws IOException {
        deleteWith(copy());
    }

    private void deleteWith(Path last) throws IOException {
        deleteBeside();
        medium.delete(last);
    }

    private void deleteBeside() throws IOException {
        if (!isInUse()) {
            medium.delete(mark());
            for (Sidecar kind : Sidecar.values()) {
                medium.delete(sidecar(kind));
            }
            partition.force();
        }
    }

    /** Returns whether mark and sidecars already belong to another segment. */
    private boolean isInUse() throws IOException {
        SealMark seal = readSeal();
        return medium.exists(log())
                || (seal != null && medium.exists(partition.active(seal.fileEpoch())));
    }
}
