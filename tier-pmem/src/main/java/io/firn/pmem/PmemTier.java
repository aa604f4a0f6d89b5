package io.firn.pmem;

import io.firn.InvalidOptionException;
import io.firn.StoreFullException;
import io.firn.Survives;
import io.firn.medium.FileMedium;
import io.firn.medium.GuardedLog;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.StorageTier;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javax.annotation.concurrent.GuardedBy;

/**
 * A tier in persistent memory. Each of its directories contains a pool: one file, allocated at its
 * full size and divided into blocks. A segment uses one block; blocks are allocated from the pools
 * in turn.
 *
 * <pre>{@code
 * StorageTier tier = PmemTier.at(Path.of("/mnt/pmem/log"));
 * StorageTier emulated = PmemTier.at(Path.of("/dev/shm/log"))
 *         .withCapacityBytes(1L << 30).withEmulation(Emulation.PLAIN);
 * }</pre>
 *
 * <p>Its options do not change: each {@code with…} returns another tier, which is not open.
 *
 * <p>Thread-safe; allocating and freeing blocks is lock-free. While open for writing, the pools are
 * locked against other processes.
 */
public final class PmemTier implements StorageTier {
    private static final GuardedLog LOG = GuardedLog.get();

    private final PoolOptions options;
    private final AtomicInteger nextPool = new AtomicInteger();
    private volatile List<PmemPool> pools = List.of();
    private volatile List<PmemProvider> providers = List.of();
    private volatile TierContext context;
    private volatile String unknownFileSystem;

    private PmemTier(PoolOptions options) {
        this.options = options;
    }

    /**
     * Returns a tier with a pool in each of the directories, of 0.8 of its file system, on
     * persistent memory only; the store opens it.
     *
     * @throws InvalidOptionException when there is no directory, or one is named twice
     */
    public static PmemTier at(Path... directories) {
        Objects.requireNonNull(directories, "directories");
        for (Path directory : directories) {
            Objects.requireNonNull(directory, "directory");
        }
        return new PmemTier(new PoolOptions(List.of(directories)));
    }

    private PmemTier with(Consumer<PoolOptions> change) {
        PoolOptions changed = new PoolOptions(options);
        change.accept(changed);
        return new PmemTier(changed);
    }

    /** Returns a tier with the same options that is not open. */
    PmemTier copy() {
        return new PmemTier(options);
    }

    /** Returns a tier with another file system for its directories than that of this machine. */
    public PmemTier withMedium(FileMedium value) {
        Objects.requireNonNull(value, "medium");
        return with(changed -> changed.medium = value);
    }

    /**
     * Returns a tier with these bytes of persistent memory for all pools together, of which the
     * pool ratio is used; by default those of the whole file system. A pool that is smaller is
     * enlarged when it is opened; one that is larger stays as it is.
     */
    public PmemTier withCapacityBytes(long value) {
        if (value < 1) {
            throw new InvalidOptionException(
                    "the capacity is a number of bytes above 0, found " + value);
        }
        return with(changed -> changed.capacityBytes = value);
    }

    /** Returns a tier without the limit of {@link #withCapacityBytes}. */
    public PmemTier withoutCapacityBytes() {
        return with(changed -> changed.capacityBytes = PoolOptions.WHOLE_FILE_SYSTEM);
    }

    /** Returns a tier whose pools use this part of the capacity, above 0 and up to 1. */
    public PmemTier withPoolRatio(double value) {
        if (!(value > 0 && value <= 1)) {
            throw new InvalidOptionException(
                    "the pool ratio is above 0 and at most 1, found " + value);
        }
        return with(changed -> changed.poolRatio = value);
    }

    /**
     * Returns a tier with blocks of this size, used when the pools are created: a multiple of 2
     * MiB, up to 1 GiB, default 64 MiB. A segment uses one block, a hundredth of which is kept for
     * its indexes.
     */
    public PmemTier withBlockBytes(int value) {
        if (!PoolFormat.isBlockSize(value)) {
            throw new InvalidOptionException(
                    "a block has a multiple of 2 MiB up to 1 GiB of bytes, found " + value);
        }
        return with(
                changed -> {
                    changed.blockBytes = value;
                    changed.isBlockSizeSet = true;
                });
    }

    /**
     * Returns a tier that treats a path which is not persistent memory in this way; by default it
     * is refused.
     */
    public PmemTier withEmulation(Emulation value) {
        Objects.requireNonNull(value, "emulation");
        return with(changed -> changed.emulation = value);
    }

    /**
     * Returns a tier with this provider, which stores and flushes; by default the best one that
     * works here.
     */
    public PmemTier withProvider(Provider value) {
        Objects.requireNonNull(value, "provider");
        return with(changed -> changed.provider = value);
    }

    /** Wraps the provider; for tests that count or lose stores. */
    PmemTier withWrappedProvider(UnaryOperator<PmemProvider> value) {
        return with(changed -> changed.providerWrapper = value);
    }

    /** Limits the largest segment; for memory of which only pieces can be mapped. */
    PmemTier withMostSegmentBytes(int value) {
        return with(changed -> changed.mostSegmentBytes = value);
    }

    @Override
    public String name() {
        return options.directories().stream()
                .map(Path::toString)
                .collect(Collectors.joining(" ", "pmem ", ""));
    }

    @Override
    public List<Path> directories() {
        return options.directories();
    }

    @Override
    public synchronized void open(TierContext in) throws IOException {
        if (!pools.isEmpty()) {
            throw new IllegalStateException(name() + " is already open");
        }
        context = in;
        openPools();
        LOG.log(
                System.Logger.Level.INFO,
                "{0}: provider {1} ({2}), what is forced survives {3}",
                name(),
                provider(),
                providerReason(),
                survives());
    }

    @GuardedBy("this")
    private void openPools() throws IOException {
        PoolOpener opener = new PoolOpener(this, options, context);
        List<PmemPool> opened = List.copyOf(opener.open());
        providers = List.copyOf(opener.providers());
        pools = opened;
        unknownFileSystem = findUnknownFileSystem();
    }

    /** Only forced emulation depends on the file system. */
    private String findUnknownFileSystem() throws IOException {
        String unknown = null;
        boolean depends = options.emulation() == Emulation.FORCED;
        if (depends && survives() == Survives.PROCESS_CRASH) {
            for (Path directory : options.directories()) {
                String found = options.medium().unknownFileSystem(directory);
                unknown = found == null ? unknown : found;
            }
        }
        return unknown;
    }

    @Override
    public String unknownFileSystem() {
        return unknownFileSystem;
    }

    /** In a read-only tier: maps the pools again when the writing process has enlarged one. */
    private synchronized void followGrowth() throws IOException {
        List<PmemPool> before = pools;
        if (before.stream().anyMatch(pool -> pool.isOutgrown(options.medium()))) {
            openPools();
            // The segments of the old pools can no longer be read; the new pools contain them
            // again.
            for (PmemPool pool : before) {
                pool.close();
            }
        }
    }

    @Override
    public UUID id() {
        return requireOpen().get(0).superblock().tierId();
    }

    @Override
    public String lost() {
        for (PmemPool pool : pools) {
            String lost = pool.lost();
            if (lost != null) {
                return lost;
            }
        }
        return null;
    }

    /** Returns the weakest of its pools' classes. */
    @Override
    public Survives survives() {
        requireOpen();
        Survives weakest = Survives.POWER_LOSS;
        for (PmemProvider each : providers) {
            Survives other = each.survives();
            weakest = other.compareTo(weakest) < 0 ? other : weakest;
        }
        return weakest;
    }

    /** Returns the provider of the first pool; never {@link Provider#AUTO}. */
    public Provider provider() {
        requireOpen();
        return providers.get(0).kind();
    }

    /** Returns why that provider was chosen, and whether the memory is emulated. */
    public String providerReason() {
        requireOpen();
        return providers.get(0).reason();
    }

    /** Returns the bytes of all blocks. */
    @Override
    public OptionalLong capacityBytes() {
        return OptionalLong.of(sizeBytes());
    }

    private long sizeBytes() {
        return requireOpen().stream().mapToLong(PmemPool::capacityBytes).sum();
    }

    @Override
    public long usedBytes() {
        return pools.stream().mapToLong(PmemPool::usedBytes).sum();
    }

    @Override
    public long blockBytes() {
        return requireOpen().stream().mapToInt(pool -> pool.format().blockBytes()).max().getAsInt();
    }

    @Override
    public int maxSegmentBytes() {
        int room = options.mostSegmentBytes();
        for (PmemPool pool : requireOpen()) {
            room = Math.min(room, pool.format().room());
        }
        return room;
    }

    @Override
    public long highestFreeEpoch() {
        return pools.stream().mapToLong(PmemPool::highestFreeEpoch).max().orElse(-1);
    }

    @Override
    public List<Block> list() throws IOException {
        List<Block> all = new ArrayList<>();
        if (requireOpen().get(0).isReadOnly()) {
            followGrowth();
        }
        for (PmemPool pool : requireOpen()) {
            all.addAll(pool.list());
        }
        return all;
    }

    /** Returns an empty list: other files in the directories do not concern the tier. */
    @Override
    public List<String> strangers() {
        return List.of();
    }

    @Override
    public Block reserve(UUID topicId, int partition, int bytes, long epoch) throws IOException {
        List<PmemPool> all = requireOpen();
        if (all.get(0).isReadOnly()) {
            throw new IllegalStateException(name() + " is open read-only");
        }
        int limit = maxSegmentBytes();
        if (bytes < 1 || bytes > limit || partition < 0 || epoch < 0) {
            throw new IllegalArgumentException(
                    "a segment has 1 to "
                            + limit
                            + " bytes, partition and epoch are not negative; found "
                            + bytes
                            + ", "
                            + partition
                            + " and "
                            + epoch);
        }
        Mark reserved = Mark.reserved(topicId, partition, epoch);
        int first = nextPool.getAndIncrement();
        for (int i = 0; i < all.size(); i++) {
            PmemPool pool = all.get(Math.floorMod(first + i, all.size()));
            PmemBlock segment = pool.reserve(reserved, bytes);
            if (segment != null) {
                return segment;
            }
        }
        throw new StoreFullException(
                name()
                        + ": "
                        + bytes
                        + " bytes wanted for a segment, all of its "
                        + sizeBytes()
                        + " bytes are in use: raise the tier's capacity, or let retention or"
                        + " migration make room");
    }

    @Override
    public synchronized void close() throws IOException {
        List<PmemPool> closing = pools;
        pools = List.of();
        IOException failure = null;
        for (PmemPool pool : closing) {
            try {
                pool.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    List<PmemPool> pools() {
        return pools;
    }

    private List<PmemPool> requireOpen() {
        List<PmemPool> all = pools;
        if (all.isEmpty()) {
            throw new IllegalStateException(name() + " is not open");
        }
        return all;
    }
}
