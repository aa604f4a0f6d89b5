package io.firn.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The directory of a server. It is deleted when it is closed; if its process was killed before, the
 * next one that is created in the same place deletes it.
 *
 * <p>A locked file shows that the directory is in use. The name contains the process id, since a
 * process that opened and closed the file of a directory of its own would lose that lock.
 */
final class TemporaryDirectory implements AutoCloseable {
    private static final String PREFIX = "firn-junit-";
    private static final String IN_USE = "in-use";

    private final Path path;
    private final FileChannel inUse;

    private TemporaryDirectory(Path path, FileChannel inUse) {
        this.path = path;
        this.inUse = inUse;
    }

    /** Creates a directory where the JVM has its temporary files. */
    static TemporaryDirectory create() {
        return create(Path.of(System.getProperty("java.io.tmpdir")));
    }

    static TemporaryDirectory create(Path parent) {
        String ours = PREFIX + ProcessHandle.current().pid() + "-";
        try {
            deleteAbandoned(parent, ours);
            Path path = Files.createTempDirectory(parent, ours);
            // The file gets its name after its lock: without a lock it means that the process
            // ended.
            Path unlocked = path.resolve(IN_USE + ".new");
            FileChannel inUse =
                    FileChannel.open(
                            unlocked, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            inUse.lock();
            Files.move(unlocked, path.resolve(IN_USE));
            return new TemporaryDirectory(path, inUse);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot create a directory for the server in "
                            + parent
                            + ": it has to be writable, or set java.io.tmpdir to another directory",
                    e);
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            inUse.close();
            delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + path, e);
        }
    }

    private static void deleteAbandoned(Path parent, String ours) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path each : all) {
                if (!each.getFileName().toString().startsWith(ours) && isAbandoned(each)) {
                    deleteIfAllowed(each);
                }
            }
        }
    }

    private static boolean isAbandoned(Path directory) {
        Path file = directory.resolve(IN_USE);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (FileChannel inUse = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = inUse.tryLock()) {
            return lock != null;
        } catch (IOException e) {
            return false; // it is just made or deleted, or belongs to another user
        }
    }

    private static void deleteIfAllowed(Path directory) {
        try {
            delete(directory);
        } catch (IOException e) {
            System.getLogger("io.firn.junit")
                    .log(System.Logger.Level.WARNING, "cannot delete " + directory, e);
        }
    }

    private static void delete(Path directory) throws IOException {
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    /** A file may go meanwhile: the test or another process deletes it too. */
                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException failure)
                            throws IOException {
                        if (failure instanceof NoSuchFileException) {
                            return FileVisitResult.CONTINUE;
                        }
                        throw failure;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path at, IOException failure)
                            throws IOException {
                        Files.deleteIfExists(at);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
