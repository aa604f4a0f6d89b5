package io.firn.file;

import io.firn.medium.MediumFile;
import io.firn.spi.Block.Sidecar;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The files of a segment that compaction made, in the directory {@code BASE.GEN}. So they exist
 * beside those of the segments that they replace, until these are deleted, and one rename shows or
 * hides all of them. The order of publishing (O14):
 *
 * <ol>
 *   <li>{@code .BASE.GEN.copy} is made, durably, and the log is written into it and forced,
 *   <li>sidecars and mark are written and forced,
 *   <li>the hidden directory is forced, with the names of all of them,
 *   <li>it is renamed to {@code BASE.GEN},
 *   <li>the partition's directory is forced.
 * </ol>
 *
 * The order of deleting, which leaves the directory's name alone: overlayfs does not rename the
 * directories of its lower layer.
 *
 * <ol>
 *   <li>{@code BASE.log} is renamed to {@code .BASE.deleted}, in the directory,
 *   <li>the directory is forced; from now on the segment is not there,
 *   <li>mark and sidecars are removed,
 *   <li>the directory is forced, so that what is left after a crash always says that it is deleted,
 *   <li>{@code .BASE.deleted} is removed,
 *   <li>the directory, now empty, is removed.
 * </ol>
 *
 * An open removes a hidden directory, and continues at the second step where the first one was
 * taken or nothing is left. A published directory is never empty otherwise.
 */
final class FilesInDirectory extends SegmentFiles {

    FilesInDirectory(PartitionDirectory partition, long baseOffset, int generation) {
        this(partition, FileNames.rewritten(baseOffset, generation), baseOffset, generation);
    }

    private FilesInDirectory(
            PartitionDirectory partition, String name, long baseOffset, int generation) {
        super(partition, partition.path().resolve(name), baseOffset, generation);
    }

    /** Returns the same files while they are made. */
    private FilesInDirectory hidden() {
        String name = FileNames.rewrittenCopy(baseOffset, generation);
        return new FilesInDirectory(partition, name, baseOffset, generation);
    }

    private Path deleted() {
        return path.resolve(FileNames.deleted(baseOffset));
    }

    /** Returns whether the directory, in which there are these names, is one that is deleted. */
    boolean isDeleted(List<String> found) {
        return found.isEmpty()
                || (found.contains(FileNames.deleted(baseOffset))
                        && !found.contains(FileNames.log(baseOffset)));
    }

    /** Returns the names that may exist in the directory, beside temporary ones. */
    Set<String> names() {
        return Set.of(
                FileNames.log(baseOffset),
                FileNames.mark(baseOffset),
                FileNames.sidecar(baseOffset, Sidecar.INDEX),
                FileNames.sidecar(baseOffset, Sidecar.TIMEINDEX));
    }

    @Override
    MediumFile beginCopy() throws IOException {
        requireFree();
        FilesInDirectory copy = hidden();
        copy.remove(); // of an earlier attempt that could not be cleaned up
        try {
            medium.createDirectories(copy.path);
            return medium.create(copy.log());
        } catch (IOException e) {
            try {
                copy.remove();
            } catch (IOException again) {
                e.addSuppressed(again); // the next attempt or the next open removes it
            }
            throw e;
        }
    }

    private void requireFree() throws IOException {
        if (medium.exists(path)) {
            throw new IOException(
                    path
                            + " exists already, so no segment can be rewritten to it: delete it first");
        }
    }

    @Override
    void publish(SealMark seal, byte[] index, byte[] timeIndex) throws IOException {
        FilesInDirectory copy = hidden();
        copy.writeSidecar(Sidecar.INDEX, index);
        copy.writeSidecar(Sidecar.TIMEINDEX, timeIndex);
        seal.replace(medium, copy.mark());
        // Before the rename: otherwise a crash could leave the new name with some of the files.
        medium.forceDirectory(copy.path);
        requireFree();
        medium.rename(copy.path, path);
        partition.force();
    }

    @Override
    void deleteCopy() throws IOException {
        FilesInDirectory copy = hidden();
        if (medium.exists(copy.path)) {
            copy.remove();
        } else {
            delete(log()); // renamed, even if it was not certain to be durable
        }
    }

    @Override
    void delete(Path file) throws IOException {
        if (medium.exists(log())) {
            medium.rename(log(), deleted());
        }
        if (medium.exists(path)) {
            deleteRest();
        }
    }

    /** Deletes the remaining files of a segment whose log was renamed to its deleted name. */
    void deleteRest() throws IOException {
        // Before any of it goes: otherwise a crash could bring the log back without the others.
        medium.forceDirectory(path);
        String last = FileNames.deleted(baseOffset);
        for (String name : content()) {
            if (!name.equals(last)) {
                medium.delete(path.resolve(name));
            }
        }
        // Otherwise a crash could leave some of the others without it.
        medium.forceDirectory(path);
        medium.delete(deleted());
        medium.delete(path);
    }

    /** Removes what a crash left of a directory that was being made. */
    void deleteLeftCopy() throws IOException {
        hidden().remove();
    }

    private void remove() throws IOException {
        for (String name : content()) {
            medium.delete(path.resolve(name));
        }
        medium.delete(path);
    }

    private List<String> content() throws IOException {
        try {
            return medium.list(path);
        } catch (NotDirectoryException e) {
            return List.of(); // a file with this name
        }
    }
}
