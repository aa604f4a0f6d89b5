package io.firn.file;

import io.firn.Survives;
import io.firn.medium.FileMedium;
import io.firn.medium.WithoutLinks;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.StorageTier;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.annotation.concurrent.GuardedBy;

/**
 * A tier in a directory, with a subdirectory for each partition and a file for each segment. A
 * sealed segment is a plain Kafka {@code .log} with its {@code .index} and {@code .timeindex}. The
 * active segment's file has its final size from the start, and takes space as it is written.
 *
 * <pre>{@code
 * StorageTier tier = FileTier.at(Path.of("/data/log"));
 * StorageTier small = FileTier.at(Path.of("/data/log")).withCapacityBytes(10L << 30);
 * }</pre>
 *
 * <p>Its options do not change: each {@code with…} returns another tier, which is not open.
 *
 * <p>Thread-safe. While open for writing it is locked against other processes.
 */
public final class FileTier implements StorageTier {
    private static final int MAX_SEGMENT_BYTES = 1 << 30;

    private final Options options;
    private final Path root;
    private final FileMedium medium;
    private final long capacityBytes;
    private final TierOwnership ownership;
    private final TierContents contents;

    /** Directories of topics and partitions whose names are durable. */
    private final Set<Path> durable = ConcurrentHashMap.newKeySet();

    private TierContext context;
    private Survives survives;
    private String unknownFileSystem;
    private volatile List<String> strangers = List.of();
    private volatile boolean open;

    /** What a user has chosen. */
    private record Options(
            Path directory,
            FileMedium medium,
            long capacityBytes,
            boolean isDeclaredDurable,
            boolean allowsLinkedDirectories) {}

    private FileTier(Options options) {
        this.options = options;
        this.root = options.directory.toAbsolutePath().normalize();
        this.medium =
                WithoutLinks.below(
                        "the file tier", root, options.medium, options.allowsLinkedDirectories);
        this.capacityBytes = options.capacityBytes;
        this.ownership = new TierOwnership(medium, root);
        this.contents = new TierContents(this, medium, root, capacityBytes);
    }

    /**
     * Returns a tier in a directory of this machine, limited only by its file system; the store
     * opens it.
     */
    public static FileTier at(Path directory) {
        Objects.requireNonNull(directory, "directory");
        return new FileTier(
                new Options(directory, FileMedium.real(), Long.MAX_VALUE, false, false));
    }

    /** Returns a tier with another file system for its directory than that of this machine. */
    public FileTier withMedium(FileMedium value) {
        Objects.requireNonNull(value, "medium");
        return new FileTier(
                new Options(
                        options.directory,
                        value,
                        capacityBytes,
                        options.isDeclaredDurable,
                        options.allowsLinkedDirectories));
    }

    /**
     * Returns a tier with a limit of the bytes that its segments' files may use together.
     *
     * @throws IllegalArgumentException when not positive
     */
    public FileTier withCapacityBytes(long value) {
        if (value < 1) {
            throw new IllegalArgumentException(
                    "the capacity is a number of bytes above 0, found " + value);
        }
        return new FileTier(
                new Options(
                        options.directory,
                        options.medium,
                        value,
                        options.isDeclaredDurable,
                        options.allowsLinkedDirectories));
    }

    /**
     * Returns a tier of which the user declares that forced files survive a power failure where
     * Firn does not know the file system, as on network file systems and FUSE: its class is then
     * {@link Survives#POWER_LOSS}. Changes nothing where it knows, such as in memory.
     */
    public FileTier withDeclaredDurable() {
        return new FileTier(
                new Options(
                        options.directory,
                        options.medium,
                        capacityBytes,
                        true,
                        options.allowsLinkedDirectories));
    }

    /**
     * Returns a tier that allows symbolic links to directories in its directory, such as that of a
     * topic on another file system; a warning is logged. Without this they are refused. The tier's
     * directory itself may be a link in any case, and a file must not be one.
     */
    public FileTier withLinkedDirectories() {
        return new FileTier(
                new Options(
                        options.directory,
                        options.medium,
                        capacityBytes,
                        options.isDeclaredDurable,
                        true));
    }

    @Override
    public String name() {
        return "file " + root;
    }

    @Override
    public boolean hasOpenFiles() {
        return true;
    }

    @Override
    public List<Path> directories() {
        return List.of(root);
    }

    @Override
    public synchronized void open(TierContext context) throws IOException {
        if (open) {
            throw new IllegalStateException(name() + " is already open");
        }
        this.context = context;
        contents.filesToSend(context.filesToSend());
        ownership.acquire(context);
        try {
            unknownFileSystem = medium.unknownFileSystem(root);
            survives = medium.survives(root);
            if (unknownFileSystem != null && options.isDeclaredDurable) {
                unknownFileSystem = null;
                survives = Survives.POWER_LOSS;
            }
            scan();
            if (!context.isReadOnly()) {
                contents.spareDescriptors().keep();
            }
            if (ownership.knowsReaders()) {
                contents.spareFiles().keep();
            }
            open = true;
        } finally {
            if (!open) {
                contents.spareFiles().end();
                contents.spareDescriptors().end();
                ownership.release();
            }
        }
    }

    @GuardedBy("this")
    private void scan() throws IOException {
        if (context.isReadOnly()) {
            ownership.announceReader();
        }
        TierScan scan = new TierScan(contents, root, medium, context.isReadOnly());
        // A caller may still read a segment that was known before and no longer exists.
        Set<FileBlock> wanted = new HashSet<>(contents.segments().values());
        try {
            scan.run(contents.segments());
            if (!context.isReadOnly()) {
                durable.addAll(scan.recover(context.isAfterCleanClose()));
            }
            wanted.addAll(scan.segments().values());
            contents.update(scan.segments());
            strangers = List.copyOf(scan.strangers());
        } finally {
            scan.releaseAllExcept(wanted);
        }
    }

    @Override
    public UUID id() {
        requireOpen();
        return ownership.identity().tierId();
    }

    @Override
    public String lost() {
        return ownership.lost();
    }

    @Override
    public Survives survives() {
        requireOpen();
        return survives;
    }

    @Override
    public String unknownFileSystem() {
        requireOpen();
        return unknownFileSystem;
    }

    @Override
    public OptionalLong capacityBytes() {
        return capacityBytes == Long.MAX_VALUE
                ? OptionalLong.empty()
                : OptionalLong.of(capacityBytes);
    }

    @Override
    public long uncollectedBytes() {
        return contents.uncollected().bytes();
    }

    /**
     * Returns the bytes of the segments' files, including copies that are being made. The file of
     * an active segment counts with its final size, to which it may grow. A file that is kept for
     * the next segment counts, too. Sidecars, a few thousandths of that, are not counted.
     */
    @Override
    public long usedBytes() {
        return contents.usedBytes();
    }

    @Override
    public OptionalLong freeBytes() {
        OptionalLong below = StorageTier.super.freeBytes();
        try {
            long usable = medium.usableBytes(root);
            return OptionalLong.of(Math.min(usable, below.orElse(Long.MAX_VALUE)));
        } catch (IOException e) {
            return OptionalLong.empty(); // a look at it, on which nothing depends
        }
    }

    @Override
    public void dropSpares() {
        contents.spareFiles().drop();
    }

    @Override
    public int maxSegmentBytes() {
        return MAX_SEGMENT_BYTES;
    }

    @Override
    public synchronized List<Block> list() throws IOException {
        requireOpen();
        if (context.isReadOnly()) {
            scan();
        }
        return new ArrayList<>(new TreeMap<>(contents.segments()).values());
    }

    @Override
    public synchronized List<Block> list(UUID topicId, int partition) throws IOException {
        requireOpen();
        PartitionDirectory directory = directoryOf(topicId, partition);
        if (context.isReadOnly()) {
            ownership.announceReader(); // a writer may have made the file since
            TierScan scan = new TierScan(contents, root, medium, true);
            Set<FileBlock> wanted = new HashSet<>(contents.segments().values());
            try {
                scan.run(directory, contents.segments());
                wanted.addAll(scan.segments().values());
                contents.update(directory, scan.segments());
            } finally {
                scan.releaseAllExcept(wanted);
            }
        }
        return new ArrayList<>(contents.segmentsIn(directory));
    }

    /** In a read-only tier this opens one file, unless the segment was begun in an earlier term. */
    @Override
    public synchronized Block find(UUID topicId, int partition, long epoch) throws IOException {
        requireOpen();
        if (context.isReadOnly()) {
            PartitionDirectory directory = directoryOf(topicId, partition);
            FileBlock known = contents.segments().get(directory.active(epoch));
            if (known != null) {
                return known;
            }
            FileBlock found = new PartitionScan(contents, directory, Map.of()).findActive(epoch);
            if (found != null && found.mark() != null) {
                contents.found(found);
                return found;
            }
            if (found != null) {
                found.release(); // it is being sealed
            }
        }
        return StorageTier.super.find(topicId, partition, epoch);
    }

    private PartitionDirectory directoryOf(UUID topicId, int partition) {
        return PartitionDirectory.of(medium, context.isReadOnly(), root, topicId, partition);
    }

    @Override
    public List<String> strangers() {
        return strangers;
    }

    @Override
    public void reportDamage(Consumer<String> onDamage) {
        contents.reportDamage(onDamage);
    }

    @Override
    public Block reserve(UUID topicId, int partition, int bytes, long epoch) throws IOException {
        requireWritable();
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
        // First: the space that it has counts for what is wanted.
        SpareFiles.Spare spare = contents.spareFiles().take(directoryOf(topicId, partition));
        FileBlock made = null;
        try {
            contents.grant(wanted);
            try {
                made = reserve(directoryFor(topicId, partition), bytes, epoch, spare);
                return made;
            } finally {
                contents.add(wanted, made);
            }
        } finally {
            if (made == null && spare != null) {
                contents.spareFiles().delete(spare);
            }
        }
    }

    private FileBlock reserve(
            PartitionDirectory directory, int bytes, long epoch, SpareFiles.Spare spare)
            throws IOException {
        long brought = spare == null ? 0 : spare.bytes();
        contents.requireSpace(directory, Math.max(0, MarkPages.fileBytes(bytes) - brought));
        return contents.spareDescriptors()
                .reserve(new Reservation(contents, directory, bytes, epoch, spare));
    }

    private PartitionDirectory directoryFor(UUID topicId, int partition) throws IOException {
        PartitionDirectory directory =
                PartitionDirectory.of(medium, false, root, topicId, partition);
        Path topic = directory.path().getParent();
        if (!durable.contains(directory.path())) {
            if (!medium.exists(root)) {
                medium.createDirectories(root); // somebody has deleted it
            }
            if (!durable.contains(topic) || !medium.exists(topic)) {
                medium.createDirectory(topic);
                durable.add(topic);
            }
            medium.createDirectory(directory.path());
            durable.add(directory.path());
        }
        return directory;
    }

    /** Unlike the default, writes the segment's bytes once, to a file of exactly their length. */
    @Override
    public BlockCopy beginCopy(Mark sealed, long epoch) throws IOException {
        requireWritable();
        contents.endEarlier(directoryOf(sealed.topicId(), sealed.partition()).filesOf(sealed));
        contents.grant(sealed.position());
        FileCopy begun = null;
        try {
            PartitionDirectory directory = directoryFor(sealed.topicId(), sealed.partition());
            if (sealed.generation() > 0) {
                allowRewritten(directory);
            }
            begun = FileCopy.begin(contents, contents, directory, sealed);
            return begun;
        } finally {
            contents.begin(sealed.position(), begun);
        }
    }

    /**
     * Deletes the topic's directories as far as they are empty. A reader in another process that
     * lists them meanwhile finds them empty or missing, which is the same to it.
     */
    @Override
    public void forgetTopic(UUID topicId) throws IOException {
        requireWritable();
        Path topic = root.resolve(FileNames.topic(topicId));
        if (!medium.exists(topic)) {
            return;
        }
        List<Path> partitions = new ArrayList<>();
        for (String name : medium.list(topic)) {
            if (FileNames.parsePartition(name) >= 0) {
                partitions.add(topic.resolve(name));
            }
        }
        durable.remove(topic);
        partitions.forEach(durable::remove);
        for (Path partition : partitions) {
            contents.spareFiles().drop(partition);
            TierScan.deleteIfEmpty(medium, partition);
        }
        TierScan.deleteIfEmpty(medium, topic);
    }

    private void allowRewritten(PartitionDirectory directory) throws IOException {
        try {
            ownership.allowRewritten();
        } catch (IOException e) {
            throw directory.orFull(e, 1, 1);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (!open) {
            return;
        }
        open = false;
        contents.releaseAll();
        durable.clear();
        contents.spareFiles().end();
        contents.spareDescriptors().end();
        ownership.release();
    }

    private void requireWritable() {
        requireOpen();
        if (context.isReadOnly()) {
            throw new IllegalStateException(name() + " is open read-only");
        }
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException(name() + " is not open");
        }
    }
}
