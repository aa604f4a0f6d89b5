package io.firn.medium;

import io.firn.Survives;
import io.firn.medium.FileErrors.OutOfInodesException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * The operations that Firn needs of a file system. Everything that must survive a crash goes
 * through a medium, so that a test can run the same code on a simulated one that loses whatever was
 * not forced.
 *
 * <p>Implementations are thread-safe. An interrupt of the calling thread does not disturb a call:
 * the call completes and the interrupt status is kept.
 *
 * @see io.firn.spi.StorageTier
 */
public interface FileMedium {

    /** Returns the file system of this machine. */
    static FileMedium real() {
        return RealFileMedium.INSTANCE;
    }

    /**
     * Keeps what calls need, such as a thread, until the result is closed; without it each call
     * gets its own. A store does so while it is open.
     *
     * @throws IOException when there is none
     */
    default AutoCloseable use() throws IOException {
        return () -> {};
    }

    /**
     * Returns whether a file or directory exists at the path. False means that the medium has
     * answered that there is none: what is missing may be created anew, so a look that failed must
     * not pass for that answer.
     *
     * @throws IOException when it cannot be found out
     */
    boolean exists(Path path) throws IOException;

    /**
     * Returns whether a symbolic link has this name; false where it cannot be told, which is the
     * default.
     */
    default boolean isLink(Path path) throws IOException {
        return false;
    }

    /**
     * Returns the names in a directory, sorted; empty when there is no such directory.
     *
     * @throws java.nio.file.NotDirectoryException when it is a file
     * @throws IOException when the directory cannot be read
     */
    List<String> list(Path directory) throws IOException;

    /**
     * Creates the directory and its missing parents, durably: forces the parent of each directory
     * that was created. Where a medium has access rights, what is created here and by {@link
     * #create} is for the owner of the process; see SECURITY.md for directories that are shared.
     */
    void createDirectories(Path directory) throws IOException;

    /**
     * Creates the directory, unless it is there, in one whose own name is known to be durable. As
     * {@link #createDirectories}, but for the force of the parent's parent: where there are
     * thousands of directories, these take as long as all else.
     *
     * @throws java.nio.file.NoSuchFileException when there is no parent
     */
    void createDirectory(Path directory) throws IOException;

    /**
     * Creates a new file, open for reading and writing; its name is durable after {@link
     * #forceDirectory}.
     *
     * @throws java.nio.file.FileAlreadyExistsException when the name exists
     */
    MediumFile create(Path file) throws IOException;

    /**
     * Opens an existing regular file. A symbolic link that has its name is not followed.
     *
     * @throws java.nio.file.NoSuchFileException when it does not exist
     * @throws IOException when it is something else, which is not opened
     */
    MediumFile open(Path file, boolean writable) throws IOException;

    /**
     * Returns whether a file can be cut, replaced and deleted while it is open or mapped. Where it
     * cannot, as on Windows, the call throws an exception, changes nothing, and can be repeated.
     */
    default boolean canChangeFilesInUse() {
        return true;
    }

    /**
     * Returns whether names that differ only in case, or in dots at their ends, are names of
     * different files.
     */
    default boolean hasExactNames() {
        return true;
    }

    /**
     * Opens an existing file for the system, which is to send its bytes somewhere without a copy
     * ({@link FileChannel#transferTo}).
     *
     * @return null when the files of this medium are not files of the system, which is the default
     */
    default FileChannel openToSend(Path file) throws IOException {
        return null;
    }

    /**
     * What one call tells of a file.
     *
     * @param identity identifies the file under each of its names, as long as it has one, or is
     *     open or mapped; null when this is not known
     * @param bytes its length
     */
    record FileStatus(Object identity, long bytes) {}

    /**
     * Looks at a file without opening it.
     *
     * @return null when the medium cannot do that, which is the default
     */
    default FileStatus statusOf(Path file) throws IOException {
        return null;
    }

    /** Returns {@link FileStatus#identity}; null when it is not known. */
    default Object identityOf(Path file) throws IOException {
        FileStatus status = statusOf(file);
        return status == null ? null : status.identity();
    }

    /**
     * Renames within a file system, atomically; durable after {@link #forceDirectory}. A file
     * replaces a file that has the new name, a directory replaces an empty directory. If the names
     * are in two directories, a crash before both were forced may leave the file with both names or
     * none.
     *
     * <p>A directory keeps what is in it, and the durability of that: what was forced in it under
     * the old name is durable under the new one. Open files and mappings stay valid.
     *
     * @throws java.nio.file.NoSuchFileException when the old name does not exist
     * @throws IOException when the new name is that of a directory that is not empty, or one of the
     *     two is a file and the other a directory; nothing is changed
     */
    void rename(Path from, Path to) throws IOException;

    /**
     * Gives a file that has one name a second one, in the same file system; durable after {@link
     * #forceDirectory}.
     *
     * @throws java.nio.file.NoSuchFileException when the file does not exist
     * @throws java.nio.file.FileAlreadyExistsException when the second name exists
     * @throws IOException when the file has several names, or the medium cannot do that, which is
     *     the default
     */
    default void link(Path file, Path second) throws IOException {
        throw new IOException(file + " cannot have a second name on this medium");
    }

    /**
     * Returns whether it is certain that a file has no other name, such as one in a backup made of
     * links; false where the medium cannot tell, which is the default.
     *
     * @throws java.nio.file.NoSuchFileException when the file does not exist
     */
    default boolean hasOneName(Path file) throws IOException {
        return false;
    }

    /** Deletes a file or an empty directory if it exists; durable after {@link #forceDirectory}. */
    void delete(Path path) throws IOException;

    /**
     * Makes creations, renames and deletions in the directory durable. A medium that cannot do that
     * does nothing; {@link #unknownFileSystem} says so.
     */
    void forceDirectory(Path directory) throws IOException;

    /**
     * Returns the access rights of a file or directory if others than its owner may write to it, as
     * text.
     *
     * @return null if they may not, if it does not exist, or if the medium cannot tell
     */
    default String writableByOthers(Path path) {
        return null;
    }

    /**
     * Returns who owns a file or directory if that is neither the user of this process nor root.
     *
     * @return null if it is one of them, if it does not exist, or if the medium cannot tell
     */
    default String foreignOwner(Path path) {
        return null;
    }

    /**
     * Returns what a forced file on this path survives: the weaker class where {@link
     * #unknownFileSystem} names one.
     */
    Survives survives(Path path) throws IOException;

    /**
     * Returns the type of the file system of a path if it is not known what a forced file survives
     * there, as on network file systems and FUSE.
     *
     * @return null when it is known
     */
    default String unknownFileSystem(Path path) throws IOException {
        return null;
    }

    /** Returns the bytes that may still be written below the path. */
    long usableBytes(Path path) throws IOException;

    /**
     * Returns whether an error means that there is no space, for bytes or for another file. Where
     * the system's message is not known, the remaining bytes decide.
     *
     * @param wanted the bytes that were to be written below the path
     */
    static boolean isNoSpace(IOException e, FileMedium medium, Path path, long wanted) {
        if (e instanceof OutOfInodesException || SystemMessage.NO_SPACE.isMeantBy(e)) {
            return true;
        }
        try {
            return medium.usableBytes(path) < wanted;
        } catch (IOException again) {
            e.addSuppressed(again);
            return false;
        }
    }

    /**
     * Acquires an exclusive lock on a lock file, against other processes and within this one, and
     * writes into the file who holds it.
     *
     * @return the lock; closing it releases it
     * @throws io.firn.StoreLockedException when the lock is held, with what the holder wrote
     */
    MediumLock lock(Path file) throws IOException;

    /**
     * Returns whether it is certain that no process holds the lock in a file, neither another
     * process nor this one. Writes nothing. A medium that cannot tell returns false.
     */
    default boolean isUnlocked(Path file) throws IOException {
        return false;
    }

    /**
     * Returns what the holder of the lock in a file wrote about itself; null when no process holds
     * the lock, or the medium cannot tell.
     */
    default String holder(Path file) throws IOException {
        return null;
    }

    /**
     * Acquires a shared lock in a file, which any number of processes, and this one several times,
     * can hold at the same time. Writes nothing, so that the file need not be writable. Where
     * {@link #isShared} always says so, which is the default, the lock need not exist.
     *
     * @return what releases it
     * @throws java.nio.file.NoSuchFileException when the file does not exist
     * @throws IOException when it cannot be locked
     */
    default Closeable share(Path file) throws IOException {
        return () -> {};
    }

    /**
     * Returns whether a process, which may be this one, has a shared lock in a file; true where the
     * medium cannot tell, which is the default.
     *
     * @throws java.nio.file.NoSuchFileException when the file does not exist
     */
    default boolean isShared(Path file) throws IOException {
        return true;
    }

    /**
     * Returns an identity of the running system, another one after each start of it. All processes
     * that get the same one see each other's stores into mappings of one file at once, and in the
     * order of the stores.
     *
     * @return null when mappings of this medium are not shared in this way, or that is not known
     */
    default UUID runningSystem() {
        return null;
    }

    /** Whether a process runs. */
    enum Life {
        RUNS,
        ENDED,
        /** It may run where this process cannot see it, as in another container. */
        UNKNOWN
    }

    /**
     * Returns a text that tells this process from all others that ran or will run on this start of
     * the system; null when that is not known.
     */
    default String thisProcess() {
        return null;
    }

    /** Returns whether a process runs that {@link #thisProcess} has identified. */
    default Life lifeOf(String process) {
        return Life.UNKNOWN;
    }

    /**
     * A lock that this process holds on a lock file. A lock belongs to the file, not to its name:
     * when the file is deleted, replaced or moved, another process can lock what has the name next.
     * Its holder therefore has to look. Thread-safe.
     */
    interface MediumLock extends AutoCloseable {

        /**
         * Looks whether the name still leads to the locked file.
         *
         * @return null while it does, as far as is known; otherwise what was expected and found
         */
        String lost();

        /** Returns {@link FileMedium.FileStatus#identity} of the locked file; null when unknown. */
        Object identity();

        /** Returns whether there was no file, so that this lock has created it. */
        boolean isNew();

        /** Releases the lock. Idempotent. */
        @Override
        void close() throws IOException;
    }
}
