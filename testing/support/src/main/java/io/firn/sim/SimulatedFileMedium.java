package io.firn.sim;

import io.firn.StoreLockedException;
import io.firn.Survives;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.MediumFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Predicate;

/**
 * A file system in memory that knows what was forced and what was not.
 *
 * <p>It can be crashed: {@link #crash} gives a medium with what is durable and as much of the rest
 * as a {@link Survival} grants. {@link #kill} gives one on which only the process died: everything
 * is there, but what was not forced may still be lost in the next crash. Both leave this medium as
 * it is, so a test can take a copy before every operation ({@link #onOperation}) and look at all of
 * them afterwards.
 *
 * <p>The rules:
 *
 * <ul>
 *   <li>Pages of 4 KiB are independent of each other until the file, or the mapped range, is
 *       forced. A page that was not forced is old or new after a crash, or what it was in between,
 *       since it may have been written back at any time, or torn between sectors of 512 bytes.
 *   <li>A creation, rename or deletion is durable after a force of its directory; before, each
 *       survives by itself or not. A rename into another directory is two changes. That of a
 *       directory is one change of its parent, and none of what is in it.
 *   <li>A file's size is durable after a force of the file.
 *   <li>A failed force loses pages: later forces leave them alone ({@link SimulatedFile}).
 *   <li>A store through a mapping into a page that was never written throws an {@link
 *       AssertionError} at the next force or look: on a full medium it would be lost, or end the
 *       process.
 * </ul>
 *
 * <p>Everything that changes the medium, forces included, is an operation with a number; {@link
 * #faults} fails some of them. Thread-safe; deterministic as long as its callers are.
 */
public final class SimulatedFileMedium implements FileMedium {
    private static final IntConsumer NOTHING = number -> {};

    private final SimulatedDirectory root;
    private final Faults faults = new Faults();
    private final Set<SimulatedNode> locked = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<SharedLock> shared = new ArrayList<>();
    private final List<String> history = new ArrayList<>();
    private final Set<Object> inUse = new HashSet<>();
    private Survives survives = Survives.POWER_LOSS;
    private long nowMs = 1_000_000_000_000L;
    private Predicate<Path> persistentMemory = path -> false;
    private boolean eadr;
    private IntConsumer hook = NOTHING;
    private int looks;
    private final List<SimulatedMemory> memories = new ArrayList<>();

    /** Files with a mapping that somebody may store into. */
    private final Set<SimulatedFile> watched = Collections.newSetFromMap(new IdentityHashMap<>());

    /** An empty one. */
    public SimulatedFileMedium() {
        this(new SimulatedDirectory());
    }

    private SimulatedFileMedium(SimulatedDirectory root) {
        this.root = root;
    }

    /** What is left after a power cut at this moment. */
    public synchronized SimulatedFileMedium crash(Survival survival) {
        SimulatedFileMedium left = copy();
        left.root.crash(survival);
        return left;
    }

    /** What the next process finds when this one dies at this moment. */
    public synchronized SimulatedFileMedium kill() {
        return copy();
    }

    /**
     * As {@link #kill}, for a test that the next process stores again what it accepts: where a
     * force had failed, its mappings show inverted bytes until it stores the right ones. It has to
     * look at files by reading, not through mappings.
     */
    public synchronized SimulatedFileMedium killAndDisguiseLostPages() {
        SimulatedFileMedium left = copy();
        disguise(left.root);
        return left;
    }

    private static void disguise(SimulatedNode node) {
        if (node instanceof SimulatedFile file) {
            file.disguiseLostPages();
        } else if (node instanceof SimulatedDirectory directory) {
            directory.names().values().forEach(SimulatedFileMedium::disguise);
        }
    }

    private SimulatedFileMedium copy() {
        Map<SimulatedNode, SimulatedNode> copies = SimulatedNode.noCopies();
        SimulatedFileMedium copy = new SimulatedFileMedium((SimulatedDirectory) root.copy(copies));
        memories.forEach(memory -> copy.memories.add((SimulatedMemory) memory.copy(copies)));
        copy.survives = survives;
        copy.nowMs = nowMs;
        copy.persistentMemory = persistentMemory;
        copy.eadr = eadr;
        return copy;
    }

    /**
     * Files that are made from now on lie in persistent memory, if they are among these.
     *
     * @param hasEadr whether what is stored survives without a flush
     */
    public synchronized void usePersistentMemory(Predicate<Path> files, boolean hasEadr) {
        persistentMemory = files;
        eadr = hasEadr;
    }

    /**
     * Bytes of a file in persistent memory, shared with everybody.
     *
     * @param length such that the range lies within a piece of {@link SimulatedMemory#CHUNK} bytes
     */
    public synchronized ByteBuffer memory(Path path, long position, int length, boolean writable)
            throws IOException {
        return file(path).map(position, length, writable);
    }

    /** Flushes the cache lines of a range of a file in persistent memory, and waits for them. */
    public synchronized void forceMemory(Path path, long position, int length) throws IOException {
        int from = (int) position;
        begin("flush [" + from + ", " + (from + length) + ") of", path);
        file(path).force(from, from + length);
    }

    /**
     * Differs, as surely as a hash can say, when what is durable differs from that of another copy
     * of the same medium.
     */
    public synchronized long fingerprint() {
        return root.fingerprint();
    }

    /** What this medium is to refuse. */
    public Faults faults() {
        return faults;
    }

    /** Calls this before each operation takes effect, with its number. */
    public synchronized void onOperation(IntConsumer hook) {
        this.hook = hook;
    }

    /** Ends {@link #onOperation}. */
    public synchronized void ignoreOperations() {
        hook = NOTHING;
    }

    /** Operations so far, failed ones included. */
    public synchronized int operations() {
        return history.size();
    }

    /** Looks so far: what a program asked of the medium without changing it. */
    public synchronized int looks() {
        return looks;
    }

    /** What the operations were, one line each; for failure messages. */
    public synchronized List<String> history() {
        return List.copyOf(history);
    }

    /** Files that are open, ranges that are mapped, and locks that are held. */
    public synchronized int inUse() {
        return inUse.size() + locked.size() + shared.size();
    }

    synchronized void use(Object handleOrMapping) {
        inUse.add(handleOrMapping);
    }

    synchronized void release(Object handleOrMapping) {
        inUse.remove(handleOrMapping);
    }

    void watch(SimulatedFile file) {
        file.watch();
        watched.add(file);
    }

    void unwatch(SimulatedFile file) {
        file.unwatch();
        watched.remove(file);
    }

    /** What {@link #survives(Path)} is to say. */
    public synchronized void setSurvives(Survives survives) {
        this.survives = survives;
    }

    /** The time that files written from now on bear. */
    public synchronized void setTimeMs(long nowMs) {
        this.nowMs = nowMs;
    }

    /** Flips bits of a byte, on the medium too: rot. */
    public synchronized void rot(Path path, int position, int mask) throws IOException {
        file(path).rot(position, mask);
    }

    @Override
    public synchronized boolean exists(Path path) throws IOException {
        look(path);
        return find(path) != null;
    }

    @Override
    public synchronized List<String> list(Path path) throws IOException {
        look(path);
        SimulatedNode node = find(path);
        if (node instanceof SimulatedBytes) {
            throw new NotDirectoryException(path.toString());
        }
        return node instanceof SimulatedDirectory directory
                ? List.copyOf(directory.names().keySet())
                : List.of();
    }

    @Override
    public synchronized void createDirectories(Path path) throws IOException {
        if (find(path) instanceof SimulatedBytes) {
            throw new FileSystemException(path.toString(), null, "is a file");
        }
        List<Path> missing = new ArrayList<>();
        Path place = absolute(path);
        for (; find(place) == null; place = place.getParent()) {
            missing.add(place);
        }
        Collections.reverse(missing);
        if (place.getParent() != null) {
            forceDirectory(place.getParent());
        }
        for (Path next : missing) {
            createDirectory(next);
        }
    }

    @Override
    public synchronized void createDirectory(Path path) throws IOException {
        SimulatedDirectory parent = directory(absolute(path).getParent());
        Object present = find(path);
        if (present instanceof SimulatedBytes) {
            throw new FileSystemException(path.toString(), null, "is a file");
        }
        if (present == null) {
            begin("create directory", path);
            parent.put(nameOf(path), new SimulatedDirectory());
        }
        forceDirectory(absolute(path).getParent());
    }

    @Override
    public synchronized MediumFile create(Path path) throws IOException {
        SimulatedDirectory parent = directory(absolute(path).getParent());
        if (parent.names().containsKey(nameOf(path))) {
            throw new FileAlreadyExistsException(path.toString());
        }
        begin("create", path);
        SimulatedBytes file =
                persistentMemory.test(absolute(path)) ? newMemory() : new SimulatedFile(nowMs);
        parent.put(nameOf(path), file);
        return new SimulatedHandle(this, path, file, true);
    }

    private SimulatedMemory newMemory() {
        SimulatedMemory memory = new SimulatedMemory(nowMs, eadr);
        memories.add(memory);
        return memory;
    }

    @Override
    public synchronized MediumFile open(Path path, boolean writable) throws IOException {
        look(path);
        SimulatedBytes file = file(path);
        if (writable && faults.isReadOnly(path)) {
            throw new AccessDeniedException(path.toString());
        }
        return new SimulatedHandle(this, path, file, writable);
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        Path parent = absolute(from).getParent();
        SimulatedNode node = find(from);
        if (node == null) {
            throw new NoSuchFileException(from.toString());
        }
        requireReplaceable(node, to);
        if (parent.equals(absolute(to).getParent())) {
            begin("rename to " + nameOf(to), from);
            directory(parent).rename(nameOf(from), nameOf(to));
        } else {
            SimulatedDirectory target = directory(absolute(to).getParent());
            begin("rename to " + to, from);
            // Two changes, since a file system need not write both directories at once.
            target.put(nameOf(to), node);
            directory(parent).remove(nameOf(from));
        }
    }

    private void requireReplaceable(SimulatedNode node, Path to) throws IOException {
        SimulatedNode there = find(to);
        if (there == null || there == node) {
            return;
        }
        if (there instanceof SimulatedDirectory != node instanceof SimulatedDirectory) {
            throw new FileSystemException(
                    to.toString(), null, "one is a file, the other a directory");
        }
        if (there instanceof SimulatedDirectory directory && !directory.names().isEmpty()) {
            throw new DirectoryNotEmptyException(to.toString());
        }
    }

    @Override
    public synchronized void link(Path path, Path second) throws IOException {
        SimulatedBytes file = file(path);
        SimulatedDirectory target = directory(absolute(second).getParent());
        if (target.names().containsKey(nameOf(second))) {
            throw new FileAlreadyExistsException(second.toString());
        }
        if (countNames(root, other -> other == file) > 1) {
            throw new FileSystemException(path.toString(), null, "has several names");
        }
        begin("link to " + second, path);
        target.put(nameOf(second), file);
    }

    @Override
    public synchronized boolean hasOneName(Path path) throws IOException {
        look(path);
        SimulatedBytes file = file(path);
        return countNames(root, other -> other == file) == 1;
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        SimulatedNode node = find(path);
        if (node instanceof SimulatedDirectory directory && !directory.names().isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
        if (node == null) {
            look(path);
            return;
        }
        begin("delete", path);
        directory(absolute(path).getParent()).remove(nameOf(path));
    }

    @Override
    public synchronized void forceDirectory(Path path) throws IOException {
        SimulatedDirectory directory = directory(path);
        begin("force directory", path);
        if (!faults.ignores("force directory " + path)) {
            directory.force();
        }
    }

    @Override
    public synchronized Survives survives(Path path) throws IOException {
        look(path);
        return survives;
    }

    @Override
    public synchronized long usableBytes(Path path) throws IOException {
        look(path);
        return usableBytes();
    }

    private long usableBytes() {
        return faults.capacityBytes() == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : Math.max(0, faults.capacityBytes() - usedBytes());
    }

    private long usedBytes() {
        Set<SimulatedBytes> files = Collections.newSetFromMap(new IdentityHashMap<>());
        if (!faults.isSpaceTakenLate()) {
            countNames(root, file -> files.add(file));
            return files.stream().mapToLong(SimulatedBytes::usedBytes).sum();
        }
        root.collect(files);
        return files.stream().mapToLong(SimulatedBytes::taken).sum();
    }

    /** Returns how many names lead to files for which the predicate holds. */
    private static int countNames(SimulatedDirectory directory, Predicate<SimulatedBytes> counted) {
        int count = 0;
        for (SimulatedNode node : directory.names().values()) {
            if (node instanceof SimulatedDirectory below) {
                count += countNames(below, counted);
            } else if (counted.test((SimulatedBytes) node)) {
                count++;
            }
        }
        return count;
    }

    /** A force, where space is taken late. */
    void takeSpace(SimulatedHandle handle) throws IOException {
        SimulatedBytes file = handle.file();
        int used = (int) file.usedBytes();
        if (faults.isSpaceTakenLate() && used - file.taken() > usableBytes()) {
            throw Faults.noSpace(handle.path());
        }
        file.take(used);
    }

    @Override
    public synchronized MediumLock lock(Path path) throws IOException {
        look(path);
        boolean isNew = find(path) == null;
        if (isNew) {
            create(path).close();
        } else {
            open(path, true).close();
        }
        SimulatedNode file = find(path);
        if (!locked.add(file)) {
            throw new StoreLockedException(path + " is locked by this process (simulated)");
        }
        return new Lock(absolute(path), file, isNew);
    }

    @Override
    public synchronized boolean isUnlocked(Path path) throws IOException {
        look(path);
        SimulatedNode file = find(path);
        return file != null && !locked.contains(file);
    }

    @Override
    public synchronized Closeable share(Path path) throws IOException {
        look(path);
        SharedLock lock = new SharedLock(file(path));
        shared.add(lock);
        return lock;
    }

    @Override
    public synchronized boolean isShared(Path path) throws IOException {
        look(path);
        SimulatedNode file = file(path);
        return shared.stream().anyMatch(each -> each.file == file);
    }

    /** One of the locks that readers have. */
    private final class SharedLock implements Closeable {
        private final SimulatedNode file;

        SharedLock(SimulatedNode file) {
            this.file = file;
        }

        @Override
        public void close() {
            synchronized (SimulatedFileMedium.this) {
                shared.remove(this);
            }
        }
    }

    /** A lock that is held until it is closed once. */
    private final class Lock implements MediumLock {
        private final Path path;
        private final SimulatedNode file;
        private final boolean isNew;
        private boolean held = true;

        Lock(Path path, SimulatedNode file, boolean isNew) {
            this.path = path;
            this.file = file;
            this.isNew = isNew;
        }

        @Override
        public String lost() {
            synchronized (SimulatedFileMedium.this) {
                SimulatedNode found = find(path);
                boolean isThere = !held || found == file;
                return isThere
                        ? null
                        : "expected "
                                + path
                                + " to be the file that was locked, found "
                                + (found == null ? "no file" : "another file")
                                + " (simulated)";
            }
        }

        @Override
        public Object identity() {
            return file;
        }

        @Override
        public boolean isNew() {
            return isNew;
        }

        @Override
        public void close() {
            synchronized (SimulatedFileMedium.this) {
                if (held) {
                    held = false;
                    locked.remove(file);
                }
            }
        }
    }

    /**
     * Counts an operation, shows the medium as it is before it, and fails it when it is to fail.
     */
    int begin(String what, Path path) throws IOException {
        history.add(what + " " + path);
        int number = history.size();
        if (hook != NOTHING) {
            memories.forEach(SimulatedMemory::look);
            watched.forEach(SimulatedFile::look);
            hook.accept(number);
        }
        if (faults.isReadOnly(path)) {
            throw new AccessDeniedException(path.toString(), null, "read-only (simulated)");
        }
        if (faults.fails(number)) {
            throw Faults.ioError(path);
        }
        if (faults.isWithoutSpace(number)) {
            throw Faults.noSpace(path);
        }
        return number;
    }

    /** Counts a look, which changes nothing, and fails it when it is to fail. */
    void look(Path path) throws IOException {
        if (faults.isBlind(++looks)) {
            throw Faults.ioError(path);
        }
    }

    /** Writes as much as there is room for, or as a fault allows, and complains about the rest. */
    void write(SimulatedHandle handle, long position, byte[] source, int offset, int length)
            throws IOException {
        Path path = handle.path();
        int number = begin("write " + length + " bytes at " + position + " of", path);
        long room = faults.isSpaceTakenLate() ? Long.MAX_VALUE : usableBytes();
        int fitting = handle.file().fitting(position, length, room);
        int count = faults.isTooShort(number) ? Math.min(fitting, length / 2) : fitting;
        handle.file().write(position, source, offset, count, nowMs);
        if (count < fitting) {
            throw Faults.ioError(path);
        } else if (count < length) {
            throw Faults.noSpace(path);
        }
    }

    long nowMs() {
        return nowMs;
    }

    private SimulatedDirectory directory(Path path) throws IOException {
        SimulatedNode node = find(path);
        if (node instanceof SimulatedDirectory directory) {
            return directory;
        }
        throw node == null
                ? new NoSuchFileException(path.toString())
                : new NotDirectoryException(path.toString());
    }

    private SimulatedBytes file(Path path) throws IOException {
        SimulatedNode node = find(path);
        if (node instanceof SimulatedBytes file) {
            return file;
        }
        throw node == null
                ? new NoSuchFileException(path.toString())
                : new FileSystemException(path.toString(), null, "is a directory");
    }

    private SimulatedNode find(Path path) {
        SimulatedNode node = root;
        for (Path name : absolute(path)) {
            node =
                    node instanceof SimulatedDirectory directory
                            ? directory.names().get(name.toString())
                            : null;
        }
        return node;
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    private static String nameOf(Path path) {
        return path.getFileName().toString();
    }

    /** All files and directories, one line each. */
    @Override
    public synchronized String toString() {
        StringBuilder out = new StringBuilder();
        print(root, "", out);
        return out.toString();
    }

    private static void print(SimulatedNode node, String path, StringBuilder out) {
        if (node instanceof SimulatedBytes file) {
            byte[] bytes = new byte[file.size()];
            file.read(0, bytes, 0, bytes.length);
            out.append(path).append(' ').append(bytes.length).append(" bytes, hash ");
            out.append(Integer.toHexString(Arrays.hashCode(bytes))).append('\n');
        } else if (node instanceof SimulatedDirectory directory) {
            for (Map.Entry<String, SimulatedNode> entry : directory.names().entrySet()) {
                print(entry.getValue(), path + "/" + entry.getKey(), out);
            }
            if (directory.names().isEmpty()) {
                out.append(path).append("/\n");
            }
        }
    }
}
