package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.WholeFile;
import io.firn.spi.Block.Sidecar;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Where the files of one sealed segment lie, and what is done to them: the log, its mark and its
 * sidecars. A segment that was never rewritten has them in the partition's directory, one that was
 * made by compaction in a directory of its own.
 *
 * <p>While a copy is made, it has a hidden name, and everything under that name is ignored. {@link
 * #publish} gives it the final one.
 */
abstract sealed class SegmentFiles permits FilesInPartition, FilesInDirectory {
    final PartitionDirectory partition;
    final FileMedium medium;
    final Path path;
    final long baseOffset;

    /** The generation that the segment was made in. */
    final int generation;

    /**
     * Creates the place of a segment's files.
     *
     * @param path the directory that contains them
     */
    SegmentFiles(PartitionDirectory partition, Path path, long baseOffset, int generation) {
        this.partition = partition;
        this.medium = partition.medium();
        this.path = path;
        this.baseOffset = baseOffset;
        this.generation = generation;
    }

    final Path log() {
        return path.resolve(FileNames.log(baseOffset));
    }

    final Path mark() {
        return path.resolve(FileNames.mark(baseOffset));
    }

    final Path sidecar(Sidecar kind) {
        return path.resolve(FileNames.sidecar(baseOffset, kind));
    }

    /**
     * Begins a copy: checks that its final name is free, and removes what is left of an earlier
     * attempt.
     *
     * @return the empty log, open for writing
     * @throws IOException when there is such a segment already, or the medium fails; nothing is
     *     left
     */
    abstract MediumFile beginCopy() throws IOException;

    /**
     * Makes a copy a segment, durably. Its bytes were forced before.
     *
     * @throws IOException when it is not certain whether that is durable
     */
    abstract void publish(SealMark seal, byte[] index, byte[] timeIndex) throws IOException;

    /** Deletes a copy, published or not, durably; does nothing when there is none. */
    abstract void deleteCopy() throws IOException;

    /**
     * Deletes the segment, durably. Can be repeated.
     *
     * @param file its log, which may have a hidden name
     */
    abstract void delete(Path file) throws IOException;

    /**
     * Returns the content of the mark file; null when it does not exist, is damaged, or belongs to
     * another segment.
     */
    final SealMark readSeal() throws IOException {
        SealMark seal = SealMark.read(medium, mark());
        boolean fits =
                seal != null
                        && partition.owns(seal.mark())
                        && seal.mark().baseOffset() == baseOffset
                        && seal.mark().generation() >= generation;
        return fits ? seal : null;
    }

    /** Replaces the mark file, durably. */
    final void writeSeal(SealMark seal) throws IOException {
        seal.write(medium, mark());
    }

    /**
     * Replaces the mark file of a segment that is sealed already, durably.
     *
     * @throws io.firn.StoreFullException when there is no space; nothing is changed
     */
    final void rewriteSeal(SealMark seal) throws IOException {
        try {
            writeSeal(seal);
        } catch (IOException e) {
            if (partition.isFull(e, 1)) {
                medium.delete(WholeFile.temporaryFor(mark()));
            }
            throw partition.orFull(e, 1, SealMark.MAX_LENGTH);
        }
    }

    final byte[] readSidecar(Sidecar kind, int segmentBytes) throws IOException {
        return WholeFile.read(medium, sidecar(kind), kind.mostBytes(segmentBytes));
    }

    /**
     * Writes a sidecar, without any force: it is derived from the batches, and made again if it is
     * not what the mark file says. If there is no space it is left out, since a segment that is not
     * finished could not be deleted.
     */
    final void writeSidecar(Sidecar kind, byte[] bytes) throws IOException {
        Path file = sidecar(kind);
        medium.delete(file); // of an earlier attempt
        try (MediumFile out = medium.create(file)) {
            out.write(0, bytes, 0, bytes.length);
        } catch (IOException e) {
            if (!partition.isFull(e, bytes.length)) {
                throw e;
            }
            medium.delete(file);
        }
    }

    /** Writes a sidecar of a finished segment again, without any force. */
    final void rewriteSidecar(Sidecar kind, byte[] bytes) throws IOException {
        WholeFile.replaceUnforced(medium, sidecar(kind), bytes);
    }

    @Override
    public final String toString() {
        return log().toString();
    }
}
