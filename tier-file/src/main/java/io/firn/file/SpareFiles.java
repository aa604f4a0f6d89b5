package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Files of deleted segments, one for each partition at most, that become the file of the
 * partition's next segment. Their space need not be allocated again, which costs more than all else
 * that a large or forced append does. Thread-safe: the thread that removes a file from the map owns
 * it.
 *
 * <p>The order (O37), in which each step is durable, or a crash after it leaves what it began with:
 *
 * <ol>
 *   <li>the segment is deleted, durably, with its mark and sidecars: {@code .BASE.deleted} is left,
 *       which an open removes, and which no reader opens any more ({@link FilesInPartition}),
 *   <li>nobody can see the bytes: this process does not ({@link FileUses}), the file has no other
 *       name, and no other process reads the tier ({@link FileNames#READERS}),
 *   <li>it is renamed to {@code .EPOCH.spare}, which an open keeps, whatever is in it,
 *   <li>it is renamed to {@code .EPOCH.active.tmp} with a new epoch, which an open removes; size
 *       and mark pages are written and forced ({@link Reservation}),
 *   <li>it is renamed to {@code .EPOCH.active}, and the directory is forced. Until the first batch
 *       with the new epoch, an open finds a reserved segment without a valid batch, and removes it.
 * </ol>
 *
 * <p>The renames of the middle need no force of their own: under each of these names the file is
 * ignored, whether its content is the old one, the new one, or both.
 */
final class SpareFiles {
    /** All together are at most this part of the space that is free. */
    private static final int SHARE = 8;

    private final FileMedium medium;
    private final Path readers;
    private final LongSupplier freeCapacity;
    private final Map<Path, Spare> spares = new ConcurrentHashMap<>();
    private volatile boolean isKept;

    /** A file that was a segment's, of which nothing counts any more. */
    record Spare(Path path, long bytes) {}

    /**
     * Creates it without files; keeps none.
     *
     * @param readers the file in which readers in other processes have a shared lock
     * @param freeCapacity returns what is left of the tier's capacity
     */
    SpareFiles(FileMedium medium, Path readers, LongSupplier freeCapacity) {
        this.medium = medium;
        this.readers = readers;
        this.freeCapacity = freeCapacity;
    }

    /** Begins to keep files. */
    void keep() {
        isKept = true;
    }

    /** Forgets all, which stay where they are for the next open; keeps none from now on. */
    void end() {
        isKept = false;
        spares.clear();
    }

    /** Takes over a file that an earlier process has kept. */
    void adopt(PartitionDirectory directory, long epoch) throws IOException {
        Path path = directory.spare(epoch);
        try (MediumFile file = medium.open(path, false)) {
            spares.put(directory.path(), new Spare(path, file.size()));
        }
    }

    /** Returns whether there is one for the partition. */
    boolean hasOne(PartitionDirectory directory) {
        return spares.containsKey(directory.path());
    }

    /**
     * Keeps the file of a segment whose deletion is durable, unless there is one already, somebody
     * may still read it, or there is little space.
     *
     * @param file its hidden name
     * @return false when it is to be deleted
     */
    boolean offer(PartitionDirectory directory, Path file, long bytes, long epoch)
            throws IOException {
        if (!isKept || hasOne(directory) || !isSpacious(directory, bytes) || !isOursAlone(file)) {
            return false;
        }
        Path spare = directory.spare(epoch);
        medium.rename(file, spare);
        if (spares.putIfAbsent(directory.path(), new Spare(spare, bytes)) != null) {
            medium.delete(spare);
        }
        return true;
    }

    private boolean isSpacious(PartitionDirectory directory, long bytes) throws IOException {
        long free = Math.min(directory.usableBytes(), freeCapacity.getAsLong());
        return bytes() + bytes <= free / SHARE;
    }

    /** The names first: who begins to read now finds none that leads to the file. */
    private boolean isOursAlone(Path file) {
        try {
            return medium.hasOneName(file) && !medium.isShared(readers);
        } catch (IOException e) {
            return false; // it cannot be found out
        }
    }

    /**
     * Takes the partition's file, to rename or delete it.
     *
     * @return null when there is none
     */
    Spare take(PartitionDirectory directory) throws IOException {
        Spare spare = spares.remove(directory.path());
        if (spare == null) {
            return null;
        }
        try {
            // Again: what was linking the file under its name then, as a backup does, is done now.
            if (medium.hasOneName(spare.path)) {
                return spare;
            }
            medium.delete(spare.path);
        } catch (NoSuchFileException e) {
            return null; // somebody has removed it
        }
        return null;
    }

    /**
     * Deletes all, because space is short.
     *
     * @return how many bytes they had
     */
    long drop() {
        long freed = 0;
        for (Path directory : spares.keySet()) {
            Spare spare = spares.remove(directory);
            if (spare != null && delete(spare)) {
                freed += spare.bytes;
            }
        }
        return freed;
    }

    /** Deletes one that was taken; returns whether it is gone. */
    boolean delete(Spare spare) {
        try {
            medium.delete(spare.path);
            return true;
        } catch (IOException e) {
            return false; // the next open removes it, or keeps it
        }
    }

    /** Deletes that of a partition, which is deleted. */
    void drop(Path directory) throws IOException {
        Spare spare = spares.get(directory);
        if (spare != null) {
            medium.delete(spare.path);
            spares.remove(directory, spare);
        }
    }

    /** Returns how many bytes the files have together. */
    long bytes() {
        long sum = 0;
        for (Spare spare : spares.values()) {
            sum += spare.bytes;
        }
        return sum;
    }
}
