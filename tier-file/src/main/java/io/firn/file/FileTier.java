package io.firn.file;

import io.firn.DurabilityClass;
import io.firn.StoreFullException;
import io.firn.medium.FileMedium;
import io.firn.medium.Uncollected;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.StorageTier;
import io.firn.spi.TierContext;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A tier in a directory, with a subdirectory for each partition and a file for each segment. A
 * sealed segment is a plain Kafka {@code .log} with its {@code .index} and {@code .timeindex}. The
 * space of the active segment is reserved ahead of the writer.
 *
 * <pre>{@code
 * StorageTier tier = FileTier.at(Path.of("/data/log"));
 * StorageTier small = FileTier.builder(Path.of("/data/log")).capacityBytes(10L << 30).build();
 * }</pre>
 *
 * <p>Thread-safe. While open for writing it is locked against other processes.
 */
public final class FileTier implements StorageTier {
    private static final int MAX_SEGMENT_BYTES = 1 << 30;

    private final Uncollected uncollected = new Uncollected();
    private final Path root;
    private final FileMedium medium;
    private final long capacityBytes;
    private final Map<Path, FileBlock> segments = new ConcurrentHashMap<>();

    /** Copies that are being made. */
    private final Set<FileCopy> copies = ConcurrentHashMap.newKeySet();

    /** Directories whose names are durable. */
    private final Set<Path> durable = ConcurrentHashMap.newKeySet();

    /** Guards {@link #pendingBytes} and decisions that depend on it. */
    private final Object occupancy = new Object();

    private long pendingBytes;
    private TierContext context;
    private TierIdentity identity;
    private DurabilityClass durabilityClass;
    private AutoCloseable lock;

    /** In a read-only tier: segments that were gone at the last scan. */
    private Set<FileBlock> vanished = Set.of();

    private volatile List<String> strangers = List.of();
    private volatile boolean open;

    private FileTier(Builder builder) {
        this.root = builder.directory.toAbsolutePath().normalize();
        this.medium = builder.medium;
        this.capacityBytes = builder.capacityBytes;
    }

    /** Returns a tier in a directory of this machine, limited only by its file system. */
    public static FileTier at(Path directory) {
        return builder(directory).build();
    }

    /** Returns a builder for a tier in a directory. */
    public static Builder builder(Path directory) {
        return new Builder(directory);
    }

    @Override
    public String name() {
        return "file " + root;
    }

    @Override
    public synchronized void open(TierContext context) throws IOException {
        if (open) {
            throw new IllegalStateException(name() + " is open already");
        }
        this.context = context;
        // Whoever it belongs to is found out before anything is written, the lock included.
        identity = readIdentity();
        if (!context.readOnly()) {
            takeOver();
        }
        try {
            durabilityClass = medium.durabilityClass(root);
            lookAround();
            open = true;
        } finally {
            if (!open) {
                unlock();
            }
        }
    }

    private TierIdentity readIdentity() throws IOException {
        TierIdentity found = TierIdentity.read(medium, root);
        if (found == null && (context.readOnly() || !context.create())) {
            throw new IOException(
                    root
                            + " should hold a file tier of store "
                            + context.storeId()
                            + ", but there is no file '"
                            + FileNames.TIER
                            + "' in it: is the right file system mounted there?");
        }
        if (found != null && !found.storeId().equals(context.storeId())) {
            throw new IOException(
                    root
                            + " belongs to store "
                            + found.storeId()
                            + ", expected was store "
                            + context.storeId()
                            + ": give each store directories of its own");
        }
        return found;
    }

    /** Locks the tier, and creates it when it is new. */
    private void takeOver() throws IOException {
        if (identity == null) {
            requireEmpty();
        }
        try {
            if (identity == null) {
                medium.createDirectories(root);
            }
            lock = medium.lock(root.resolve(FileNames.LOCK));
        } catch (IOException e) {
            throw new IOException(
                    "the directory "
                            + root
                            + " of a file tier must be writable, and is not ("
                            + e
                            + "): change its permissions, or open read-only",
                    e);
        }
        boolean taken = false;
        try {
            // Again, now that nobody else can create it.
            identity = readIdentity();
            if (identity == null) {
                identity = new TierIdentity(UUID.randomUUID(), context.storeId());
                identity.write(medium, root);
            }
            taken = true;
        } finally {
            if (!taken) {
                unlock();
            }
        }
    }

    private void requireEmpty() throws IOException {
        List<String> names;
        try {
            names = new ArrayList<>(medium.list(root));
        } catch (NotDirectoryException e) {
            throw new IOException(root + " should be a directory for a file tier, is a file", e);
        }
        names.removeAll(FileNames.atRoot());
        if (!names.isEmpty()) {
            throw new IOException(
                    root
                            + " should be empty or a file tier, but has no file '"
                            + FileNames.TIER
                            + "' and holds "
                            + names.size()
                            + " other things, like "
                            + names.get(0)
                            + ": give the tier a directory of its own, or restore that file");
        }
    }

    private void lookAround() throws IOException {
        TierScan scan = new TierScan(this, root, medium, context.readOnly());
        // Of those that were known before, somebody may still go to one that is gone by now.
        Set<FileBlock> before = new HashSet<>(segments.values());
        Set<FileBlock> wanted = new HashSet<>(before);
        try {
            scan.run(segments);
            if (!context.readOnly()) {
                durable.addAll(scan.settle());
            }
            wanted.addAll(scan.segments().values());
            segments.putAll(scan.segments());
            segments.keySet().retainAll(scan.segments().keySet());
            // By the next look, whoever asked for the list has seen that they are gone.
            vanished.forEach(FileBlock::release);
            before.removeAll(scan.segments().values());
            vanished = before;
            strangers = List.copyOf(scan.strangers());
        } finally {
            scan.releaseAllBut(wanted);
        }
    }

    @Override
    public UUID id() {
        requireOpen();
        return identity.tierId();
    }

    @Override
    public DurabilityClass durabilityClass() {
        requireOpen();
        return durabilityClass;
    }

    @Override
    public long capacityBytes() {
        return capacityBytes;
    }

    /**
     * Returns the bytes of the segments' files, including copies that are being made. Sidecars, a
     * few thousandths of that, are not counted.
     */
    @Override
    public long uncollectedBytes() {
        return uncollected.bytes();
    }

    Uncollected uncollected() {
        return uncollected;
    }

    @Override
    public long usedBytes() {
        long sum = 0;
        for (FileCopy copy : copies) {
            sum += copy.fileBytes();
        }
        for (FileBlock segment : segments.values()) {
            sum += segment.usedBytes();
        }
        return sum;
    }

    @Override
    public int maxSegmentBytes() {
        return MAX_SEGMENT_BYTES;
    }

    @Override
    public synchronized List<Block> list() throws IOException {
        requireOpen();
        if (context.readOnly()) {
            lookAround();
        }
        return new ArrayList<>(new TreeMap<>(segments).values());
    }

    @Override
    public List<String> strangers() {
        return strangers;
    }

    @Override
    public Block reserve(UUID topicId, int partition, int bytes, long epoch) throws IOException {
        requireOpen();
        if (context.readOnly()) {
            throw new IllegalStateException(name() + " is open read-only");
        }
        if (bytes < 1 || bytes > MAX_SEGMENT_BYTES || partition < 0 || epoch < 0) {
            throw new IllegalArgumentException(
                    "a segment has 1 to "
                            + MAX_SEGMENT_BYTES
                            + " bytes, partition and epoch are not negative; found "
                            + bytes
                            + ", "
                            + partition
                            + " and "
                            + epoch);
        }
        long wanted = MarkPages.fileBytes(bytes);
        takeRoom(wanted);
        FileBlock made = null;
        try {
            PartitionDirectory directory = directoryFor(topicId, partition);
            made = new Reservation(this, directory, bytes, epoch).make();
            return made;
        } finally {
            // From now on the file itself is what counts.
            giveRoom(wanted, made);
        }
    }

    private PartitionDirectory directoryFor(UUID topicId, int partition) throws IOException {
        PartitionDirectory directory =
                PartitionDirectory.of(medium, false, root, topicId, partition);
        if (!durable.contains(directory.path())) {
            medium.createDirectories(directory.path());
            durable.add(directory.path());
        }
        return directory;
    }

    /** Unlike the default, writes a file of the segment's length, and only once. */
    @Override
    public BlockCopy beginCopy(Mark sealed, long epoch) throws IOException {
        requireOpen();
        if (context.readOnly()) {
            throw new IllegalStateException(name() + " is open read-only");
        }
        takeRoom(sealed.position());
        FileCopy copy = null;
        try {
            PartitionDirectory directory = directoryFor(sealed.topicId(), sealed.partition());
            copy = FileCopy.begin(this, directory, sealed);
            return copy;
        } finally {
            synchronized (occupancy) {
                pendingBytes -= sealed.position();
                if (copy != null) {
                    copies.add(copy);
                }
            }
        }
    }

    /**
     * Called when a copy has ended.
     *
     * @param made the segment that it became, or null
     */
    void endCopy(FileCopy copy, FileBlock made) {
        synchronized (occupancy) {
            copies.remove(copy);
            if (made != null) {
                segments.put(made.key(), made);
            }
        }
    }

    private void takeRoom(long wanted) {
        synchronized (occupancy) {
            long used = usedBytes() + pendingBytes;
            if (wanted > capacityBytes - used) {
                throw new StoreFullException(
                        root
                                + ": "
                                + wanted
                                + " bytes wanted for a segment, "
                                + used
                                + " of "
                                + capacityBytes
                                + " in use: raise the tier's capacity, or let retention or"
                                + " migration make room");
            }
            pendingBytes += wanted;
        }
    }

    private void giveRoom(long wanted, FileBlock made) {
        synchronized (occupancy) {
            pendingBytes -= wanted;
            if (made != null) {
                segments.put(made.key(), made);
            }
        }
    }

    void forget(FileBlock segment) {
        segments.remove(segment.key(), segment);
    }

    @Override
    public synchronized void close() throws IOException {
        if (!open) {
            return;
        }
        open = false;
        segments.values().forEach(FileBlock::release);
        segments.clear();
        vanished.forEach(FileBlock::release);
        vanished = Set.of();
        durable.clear();
        unlock();
    }

    private void unlock() throws IOException {
        AutoCloseable held = lock;
        lock = null;
        try {
            if (held != null) {
                held.close();
            }
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("could not unlock " + root, e);
        }
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException(name() + " is not open");
        }
    }

    /** The options of a file tier. Not thread-safe. */
    public static final class Builder {
        private final Path directory;
        private FileMedium medium = FileMedium.real();
        private long capacityBytes = Long.MAX_VALUE;

        private Builder(Path directory) {
            this.directory = Objects.requireNonNull(directory, "directory");
        }

        /** Sets the file system of the directory; by default that of this machine. */
        public Builder medium(FileMedium medium) {
            this.medium = Objects.requireNonNull(medium, "medium");
            return this;
        }

        /**
         * Sets the bytes that the segments' files may use together; by default unlimited.
         *
         * @throws IllegalArgumentException when not positive
         */
        public Builder capacityBytes(long capacityBytes) {
            if (capacityBytes < 1) {
                throw new IllegalArgumentException(
                        "the capacity is a number of bytes above 0, found " + capacityBytes);
            }
            this.capacityBytes = capacityBytes;
            return this;
        }

        /** Returns the tier, which the store will open. */
        public FileTier build() {
            return new FileTier(this);
        }
    }
}
