package io.firn.medium;

import io.firn.Survives;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.FileErrors.OutOfInodesException;
import io.firn.medium.FileMedium.MediumLock;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The file system of this machine. Bytes are read and written with a {@link RandomAccessFile},
 * which interrupts do not affect. An interrupt would close a {@link FileChannel}, so a channel is
 * opened for one call only, and the call is repeated if it was interrupted; a file that is only
 * sent is opened again ({@link SendableFile}).
 */
final class RealFileMedium implements FileMedium {
    static final RealFileMedium INSTANCE = new RealFileMedium(Platform.CURRENT);

    /** What a new file and its entry in a directory need at most, on the systems that are usual. */
    private static final int ENOUGH_BYTES = 64 * 1024;

    /** Attempts to change a name while another process has the file open for a moment. */
    private static final int TRIES = 20;

    private static final long RETRY_MS = 10;

    /** On Windows a file is not sparse unless it was created so. */
    private static final Set<OpenOption> SPARSE =
            Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.SPARSE);

    private final Platform platform;

    /** Creates the medium as it is on a platform. */
    RealFileMedium(Platform platform) {
        this.platform = platform;
    }

    @Override
    public AutoCloseable use() throws IOException {
        return MappingThread.INSTANCE.use();
    }

    @Override
    public boolean exists(Path path) throws IOException {
        return look(path) != null;
    }

    private static boolean isDirectory(Path path) throws IOException {
        BasicFileAttributes found = look(path);
        return found != null && found.isDirectory();
    }

    /** Returns null only when the system has answered that there is nothing at the path. */
    private static BasicFileAttributes look(Path path) throws IOException {
        try {
            return RegularFiles.attributesOf(path, true);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw OutOfDescriptorsException.orSame(path, e);
        }
    }

    @Override
    public boolean isLink(Path path) throws IOException {
        try {
            return RegularFiles.attributesOf(path).isSymbolicLink();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        List<String> names = new ArrayList<>();
        try {
            RegularFiles.requireDirectory(directory);
        } catch (NoSuchFileException e) {
            return List.of();
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                names.add(entry.getFileName().toString());
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        } catch (IOException e) {
            throw OutOfDescriptorsException.orSame(directory, e);
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        Path existing = directory.toAbsolutePath();
        while (existing != null && !isDirectory(existing)) {
            missing.push(existing);
            existing = existing.getParent();
        }
        forceParentOfExisting(existing);
        while (!missing.isEmpty()) {
            createDirectory(missing.pop());
        }
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        try {
            createNew(directory, Files::createDirectory, FileModes.ofDirectory(directory));
        } catch (FileAlreadyExistsException e) {
            if (!isDirectory(directory)) {
                throw new FileSystemException(
                        directory.toString(), null, "is a file, should be a directory");
            }
        }
        forceDirectory(directory.getParent());
    }

    /** An earlier process may have been killed between creating the directory and forcing it. */
    private void forceParentOfExisting(Path existing) throws IOException {
        if (existing == null || existing.getParent() == null) {
            return;
        }
        try {
            forceDirectory(existing.getParent());
        } catch (AccessDeniedException e) {
            // A directory that we cannot read is not one in which we created anything.
            return;
        }
    }

    @Override
    public MediumFile create(Path file) throws IOException {
        createNew(file, this::createFile, FileModes.ofFile(file));
        try {
            return openFile(file, true);
        } catch (IOException e) {
            Files.deleteIfExists(file); // so that it can be created again
            throw e;
        }
    }

    private Path createFile(Path file, FileAttribute<?>... attributes) throws IOException {
        if (!platform.usesChannels()) {
            return Files.createFile(file, attributes);
        }
        FileChannel.open(file, SPARSE, attributes).close();
        return file;
    }

    private MediumFile openFile(Path file, boolean writable) throws IOException {
        return platform.usesChannels()
                ? ChannelFile.open(file, writable, platform)
                : new RealFile(file, RegularFiles.open(file, writable));
    }

    private interface Creation {
        Path create(Path path, FileAttribute<?>... attributes) throws IOException;
    }

    private void createNew(Path path, Creation creation, FileAttribute<?>... attributes)
            throws IOException {
        try {
            creation.create(path, attributes);
        } catch (IOException e) {
            IOException why = OutOfDescriptorsException.orSame(path, e);
            throw why == e && SystemMessage.NO_SPACE.isMeantBy(e) ? noSpace(path, e) : why;
        }
    }

    /** Returns the error, or that there is no inode if there is space for bytes. */
    private IOException noSpace(Path path, IOException e) {
        try {
            long usable = usableBytes(path);
            return usable < ENOUGH_BYTES ? e : new OutOfInodesException(path, usable, e);
        } catch (IOException again) {
            e.addSuppressed(again);
            return e;
        }
    }

    @Override
    public MediumFile open(Path file, boolean writable) throws IOException {
        return openFile(file, writable);
    }

    @Override
    public boolean canChangeFilesInUse() {
        return platform.canChangeFilesInUse();
    }

    @Override
    public boolean hasExactNames() {
        return platform.hasExactNames();
    }

    @Override
    public FileChannel openToSend(Path file) throws IOException {
        return RegularFiles.openChannel(file, StandardOpenOption.READ);
    }

    @Override
    public FileStatus statusOf(Path file) throws IOException {
        BasicFileAttributes found = RegularFiles.attributesOf(file);
        return new FileStatus(found.fileKey(), found.size());
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        change(
                () -> {
                    if (!platform.canChangeFilesInUse()) {
                        makeWay(look(from), to);
                    }
                    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
                });
    }

    /** Windows replaces no directory, and a file only by another one. */
    private static void makeWay(BasicFileAttributes from, Path to) throws IOException {
        BasicFileAttributes present = from == null ? null : look(to);
        if (present == null) {
            return;
        }
        if (from.isDirectory() != present.isDirectory()) {
            throw new FileAlreadyExistsException(
                    to.toString(), null, "one is a file, the other a directory");
        }
        if (present.isDirectory()) {
            Files.delete(to); // if it is empty
        }
    }

    /** A change of names. */
    @FunctionalInterface
    private interface Change {
        void run() throws IOException;
    }

    /**
     * Makes a change, and repeats it where a file cannot be changed while it is open: a reader in
     * another process has a small file open for a moment, and so have scanners for viruses.
     */
    private void change(Change change) throws IOException {
        boolean interrupted = false;
        try {
            for (int tries = 1; ; tries++) {
                try {
                    change.run();
                    return;
                } catch (FileSystemException e) {
                    if (platform.canChangeFilesInUse() || tries == TRIES || isNotOfUse(e)) {
                        throw e;
                    }
                    interrupted |= pause();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean isNotOfUse(FileSystemException e) {
        return e instanceof NoSuchFileException
                || e instanceof DirectoryNotEmptyException
                || e instanceof FileAlreadyExistsException
                || e instanceof AtomicMoveNotSupportedException;
    }

    /** Returns whether the pause was interrupted. */
    private static boolean pause() {
        try {
            Thread.sleep(RETRY_MS);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    @Override
    public void link(Path file, Path second) throws IOException {
        try {
            // A backup made of links has the file, too: its content is not ours alone.
            if (namesOf(file) != 1) {
                throw new FileSystemException(
                        file.toString(), null, "has several names, one expected");
            }
            Files.createLink(second, file);
        } catch (UnsupportedOperationException | IllegalArgumentException e) {
            throw new IOException(file + " cannot have a second name here", e);
        }
    }

    private static int namesOf(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public boolean hasOneName(Path file) throws IOException {
        try {
            return namesOf(file) == 1;
        } catch (UnsupportedOperationException | IllegalArgumentException e) {
            return false; // the system does not count them
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        change(() -> Files.deleteIfExists(path));
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        if (!platform.forcesDirectories()) {
            RegularFiles.requireDirectory(directory);
            return; // unknownFileSystem says that a loss of power may undo changes of names
        }
        boolean interrupted = Thread.interrupted();
        try {
            while (!tryForceDirectory(directory)) {
                interrupted |= Thread.interrupted();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean tryForceDirectory(Path directory) throws IOException {
        try (FileChannel channel = RegularFiles.openDirectory(directory, StandardOpenOption.READ)) {
            channel.force(true);
            return true;
        } catch (ClosedByInterruptException e) {
            return false;
        }
    }

    @Override
    public Survives survives(Path path) throws IOException {
        Survives known = fileSystem(path).survives();
        return known == null ? Survives.PROCESS_CRASH : known;
    }

    @Override
    public String unknownFileSystem(Path path) throws IOException {
        FileSystemType type = fileSystem(path);
        return type.survives() == null ? type.name() : null;
    }

    private FileSystemType fileSystem(Path path) throws IOException {
        Path existing = nearestExisting(path);
        try {
            FileSystemType type = FileSystemType.of(existing);
            return platform.forcesDirectories() ? type : type.withoutForcedDirectories();
        } catch (IOException e) {
            throw undetermined(existing, e);
        }
    }

    @Override
    public long usableBytes(Path path) throws IOException {
        // Without a look at all mounts, which a file store needs, and for which a file is opened.
        File place = nearestExisting(path).toFile();
        long bytes = place.getUsableSpace();
        boolean isKnown = bytes > 0 || place.getTotalSpace() > 0; // otherwise 0 may be an error
        return isKnown ? bytes : fileStore(path).getUsableSpace();
    }

    @Override
    public String writableByOthers(Path path) {
        return FileModes.writableByOthers(path);
    }

    @Override
    public String foreignOwner(Path path) {
        return FileModes.foreignOwner(path);
    }

    @Override
    public boolean isUnlocked(Path file) throws IOException {
        return FileLocks.isFree(file);
    }

    @Override
    public String holder(Path file) throws IOException {
        return FileLocks.holder(file);
    }

    @Override
    public Closeable share(Path file) throws IOException {
        return platform.locksKeepReadersOut() ? () -> {} : SharedLocks.acquire(file);
    }

    @Override
    public boolean isShared(Path file) throws IOException {
        return platform.locksKeepReadersOut() || SharedLocks.isHeld(file);
    }

    @Override
    public UUID runningSystem() {
        return platform == Platform.LINUX ? SystemStart.id() : null;
    }

    /** The start of the system, as Linux identifies it; read when it is first needed. */
    private static final class SystemStart {
        private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");
        private static volatile UUID known;

        static UUID id() {
            UUID id = known;
            if (id == null) { // also when it could not be read for a lack of descriptors
                id = read();
                known = id;
            }
            return id;
        }

        private static UUID read() {
            try {
                return UUID.fromString(Files.readString(FILE).strip());
            } catch (IOException | IllegalArgumentException e) {
                return null; // another system, or one that hides it
            }
        }
    }

    @Override
    public MediumLock lock(Path file) throws IOException {
        return FileLocks.acquire(file);
    }

    @Override
    public String thisProcess() {
        LinuxProcess process = LinuxProcess.current();
        return process == null ? null : process.toString();
    }

    @Override
    public Life lifeOf(String process) {
        LinuxProcess known = LinuxProcess.parse(process);
        return known == null ? Life.UNKNOWN : known.life();
    }

    private static FileStore fileStore(Path path) throws IOException {
        Path existing = nearestExisting(path);
        try {
            return Files.getFileStore(existing);
        } catch (IOException e) {
            throw undetermined(existing, e);
        }
    }

    private static IOException undetermined(Path existing, IOException e) {
        IOException why = OutOfDescriptorsException.orSame(existing, e);
        return new IOException(
                "could not determine the file system of " + existing + ": " + why, why);
    }

    private static Path nearestExisting(Path path) throws IOException {
        Path place = path.toAbsolutePath();
        while (place != null && look(place) == null) {
            place = place.getParent();
        }
        if (place == null) {
            throw new NoSuchFileException(path.toString());
        }
        return place;
    }
}
