package io.firn.spi;

import io.firn.DurabilityClass;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What Firn asks of a file system, and no more. Everything that must survive a crash goes through a
 * medium, so that a test can put a simulated one under the same code and lose whatever was not
 * forced.
 *
 * <p>Implementations are thread-safe, and no call is disturbed by the interrupt status of the
 * calling thread: the status is kept, the call completes.
 */
public interface FileMedium {

    /** The file system of this machine. */
    static FileMedium real() {
        return RealFileMedium.INSTANCE;
    }

    /** Whether something lies at the path. */
    boolean exists(Path path);

    /**
     * The names in a directory, sorted; empty when there is no such directory.
     *
     * @throws java.nio.file.NotDirectoryException when it is a file
     * @throws IOException when the directory cannot be read
     */
    List<String> list(Path directory) throws IOException;

    /**
     * Creates the directory and its missing parents, and forces the directory above each one that
     * was created: on return they are durable.
     */
    void createDirectories(Path directory) throws IOException;

    /**
     * Creates a new file, open for reading and writing; its name is durable after {@link
     * #forceDirectory}.
     *
     * @throws java.nio.file.FileAlreadyExistsException when something has the name
     */
    MediumFile create(Path file) throws IOException;

    /**
     * Opens a file that exists.
     *
     * @throws java.nio.file.NoSuchFileException when it does not
     */
    MediumFile open(Path file, boolean writable) throws IOException;

    /**
     * Renames within a directory, atomically, over whatever has the new name; durable after {@link
     * #forceDirectory}.
     *
     * @throws java.nio.file.NoSuchFileException when nothing has the old name
     */
    void rename(Path from, Path to) throws IOException;

    /**
     * Deletes a file or an empty directory when it is there; durable after {@link #forceDirectory}.
     */
    void delete(Path path) throws IOException;

    /** Makes creations, renames and deletions in the directory durable. */
    void forceDirectory(Path directory) throws IOException;

    /** What a forced file on this path survives. */
    DurabilityClass durabilityClass(Path path) throws IOException;

    /** Bytes that may still be written below the path. */
    long usableBytes(Path path) throws IOException;

    /**
     * Takes an exclusive lock that lives in a file of its own, against other processes and against
     * this one, and writes into it who holds it.
     *
     * @return closes to release the lock
     * @throws io.firn.StoreLockedException when somebody holds it, with what the holder wrote
     */
    AutoCloseable lock(Path file) throws IOException;

    /**
     * Returns whether it is certain that nobody holds the lock in a file, neither another process
     * nor this one. Writes nothing. A medium that cannot tell returns false.
     */
    default boolean isUnlocked(Path file) throws IOException {
        return false;
    }
}
