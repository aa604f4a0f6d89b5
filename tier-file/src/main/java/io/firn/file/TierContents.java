package io.firn.file;

import io.firn.StoreFullException;
import io.firn.medium.FileMedium;
import io.firn.medium.Uncollected;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import javax.annotation.concurrent.GuardedBy;

/**
 * The segments of a tier and the copies that are being made in it, and the space that they use of
 * the tier's capacity. Thread-safe, except that one thread at a time calls {@link #update} and
 * {@link #releaseAll}.
 */
final class TierContents implements BlockOwner, FileCopy.Listener {
    /**
     * More than what the file system keeps for a segment that is deleted before its first batch.
     */
    private static final long CLEARLY_MORE = 64 * 1024;

    private static final int MOST_DAMAGE = 100;
    private static final long GRANTED = -1;

    private final StorageTier tier;
    private final FileMedium medium;
    private final Path root;
    private final long capacityBytes;
    private final Uncollected uncollected = new Uncollected();
    private final SpareDescriptors spareDescriptors;
    private final SpareFiles spareFiles;
    private final Map<Path, FileBlock> segments = new ConcurrentHashMap<>();
    private volatile Consumer<String> onDamage = what -> {};
    private final Set<String> damage = ConcurrentHashMap.newKeySet();
    private final Set<FileCopy> copies = ConcurrentHashMap.newKeySet();

    /** Also guards decisions that depend on {@link #pendingBytes}. */
    private final Object occupancy = new Object();

    /** Usable bytes of the file system that were not enough for a write; 0 for none. */
    private volatile long notEnough;

    /** Space that was granted and is not visible yet as a segment or a copy. */
    @GuardedBy("occupancy")
    private long pendingBytes;

    /** Set before there is a segment. */
    private volatile Semaphore filesToSend;

    /** In a read-only tier: segments that the last scan no longer found. */
    private Set<FileBlock> vanished = Set.of();

    TierContents(StorageTier tier, FileMedium medium, Path root, long capacityBytes) {
        this.tier = tier;
        this.medium = medium;
        this.root = root;
        this.capacityBytes = capacityBytes;
        this.spareDescriptors = new SpareDescriptors(medium, root.resolve(FileNames.TIER));
        this.spareFiles =
                new SpareFiles(
                        medium,
                        root.resolve(FileNames.READERS),
                        () -> isLimited() ? capacityBytes - usedBytes() : Long.MAX_VALUE);
    }

    /** Sets the places of files that may be open to be sent. */
    void filesToSend(Semaphore places) {
        filesToSend = places;
    }

    @Override
    public StorageTier tier() {
        return tier;
    }

    @Override
    public Uncollected uncollected() {
        return uncollected;
    }

    @Override
    public Semaphore filesToSend() {
        return filesToSend;
    }

    @Override
    public SpareDescriptors spareDescriptors() {
        return spareDescriptors;
    }

    @Override
    public SpareFiles spareFiles() {
        return spareFiles;
    }

    @Override
    public void foundDamage(String what) {
        if (damage.size() < MOST_DAMAGE && damage.add(what)) {
            onDamage.accept(what);
        }
    }

    /** Sets whom to tell what was found damaged. */
    void reportDamage(Consumer<String> told) {
        onDamage = told;
    }

    /** Returns the segments by {@link FileBlock#key}. */
    Map<Path, FileBlock> segments() {
        return segments;
    }

    /** Returns the segments of a partition in the order of their keys. */
    Collection<FileBlock> segmentsIn(PartitionDirectory directory) {
        Map<Path, FileBlock> in = new TreeMap<>(segments);
        in.values().removeIf(segment -> !segment.isIn(directory));
        return in.values();
    }

    /** Adds a segment that another process has begun. */
    void found(FileBlock segment) {
        segments.put(segment.key(), segment);
    }

    /** Replaces the segments by those that a scan found. */
    void update(Map<Path, FileBlock> found) {
        update(new HashSet<>(segments.values()), found);
    }

    /** Replaces the segments of a partition by those that a scan of its directory found. */
    void update(PartitionDirectory directory, Map<Path, FileBlock> found) {
        update(new HashSet<>(segmentsIn(directory)), found);
    }

    private void update(Set<FileBlock> missing, Map<Path, FileBlock> found) {
        segments.putAll(found);
        // A caller that still uses the list before this one may read a segment that is now missing;
        // by the next scan it has seen the list without it.
        vanished.forEach(FileBlock::release);
        missing.removeAll(found.values());
        missing.forEach(this::forget);
        vanished = missing;
    }

    void releaseAll() {
        segments.values().forEach(FileBlock::release);
        segments.clear();
        vanished.forEach(FileBlock::release);
        vanished = Set.of();
        copies.forEach(FileCopy::closeFile);
    }

    /**
     * The space is not set aside: a segment takes it as it is written. But one that could not be
     * filled is better begun elsewhere. What the garbage collector gives back is for the next try.
     */
    @Override
    public void requireSpace(PartitionDirectory directory, long bytes) throws IOException {
        long usable = directory.usableBytes();
        long wanted = Math.max(bytes, notEnough + 1);
        if (usable < wanted && spareFiles.drop() > 0) {
            usable = directory.usableBytes();
        }
        if (usable < wanted) {
            uncollected.collect(wanted - usable);
            throw directory.full(null, bytes);
        }
        notEnough = 0;
    }

    /**
     * From now on the tier is full, until the file system has more space than now. It may have some
     * left that it does not give to us, because of a quota.
     */
    @Override
    public StoreFullException noSpace(StoreFullException why, long given) throws IOException {
        boolean isMore = spareFiles.drop() > 0;
        long usable = medium.usableBytes(root);
        notEnough = isMore || usable == Long.MAX_VALUE ? 0 : usable + given + CLEARLY_MORE;
        return why;
    }

    @Override
    public void forget(FileBlock block) {
        segments.remove(block.key(), block);
    }

    long usedBytes() {
        long sum = spareFiles.bytes();
        for (FileCopy copy : copies) {
            sum += copy.fileBytes();
        }
        for (FileBlock segment : segments.values()) {
            sum += segment.usedBytes();
        }
        return sum;
    }

    /**
     * Grants space, which {@link #add} or {@link #begin} accounts for in the end; if need be that
     * of the spare files.
     *
     * @throws StoreFullException when the capacity does not suffice
     */
    void grant(long bytes) {
        long used = tryGrant(bytes);
        if (used != GRANTED && spareFiles.drop() > 0) {
            used = tryGrant(bytes);
        }
        if (used != GRANTED) {
            throw new StoreFullException(
                    root
                            + ": "
                            + bytes
                            + " bytes wanted for a segment, "
                            + used
                            + " of "
                            + capacityBytes
                            + " in use: raise the tier's capacity, or let retention or"
                            + " migration make room");
        }
    }

    /** Returns {@link #GRANTED}, or the bytes in use when the rest does not suffice. */
    private long tryGrant(long bytes) {
        synchronized (occupancy) {
            // Without a limit thousands would be added up for nothing.
            long used = isLimited() ? usedBytes() + pendingBytes : 0;
            if (bytes > capacityBytes - used) {
                return used;
            }
            pendingBytes += bytes;
            return GRANTED;
        }
    }

    private boolean isLimited() {
        return capacityBytes != Long.MAX_VALUE;
    }

    /**
     * Ends a grant: from now on the file itself is counted.
     *
     * @param made the segment that was made; null when that failed
     */
    void add(long granted, FileBlock made) {
        synchronized (occupancy) {
            pendingBytes -= granted;
            if (made != null) {
                segments.put(made.key(), made);
            }
        }
    }

    /**
     * Abandons an earlier copy of the same name that could not be cleaned up. Otherwise that would
     * be tried again later, and could delete the segment that the next copy became.
     */
    void endEarlier(SegmentFiles files) throws IOException {
        for (FileCopy copy : copies) {
            if (copy.log().equals(files.log())) {
                copy.abandon();
            }
        }
    }

    /**
     * Ends a grant: from now on the copy is counted.
     *
     * @param begun the copy; null when it could not be begun
     */
    void begin(long granted, FileCopy begun) {
        synchronized (occupancy) {
            pendingBytes -= granted;
            if (begun != null) {
                copies.add(begun);
            }
        }
    }

    @Override
    public void ended(FileCopy copy, FileBlock made) {
        synchronized (occupancy) {
            copies.remove(copy);
            if (made != null) {
                segments.put(made.key(), made);
            }
        }
    }
}
