package io.firn.open;

import io.firn.Backup;
import io.firn.Finding;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.LogStoreBuilder;
import io.firn.RestoreOptions;
import io.firn.Tier;
import io.firn.backup.SavedBackup;
import io.firn.backup.StoreRestore;
import io.firn.budget.HeapBudget;
import io.firn.log.StoreConfig;
import io.firn.log.TierState;
import io.firn.medium.FileMedium;
import io.firn.medium.WithoutLinks;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/** Collects and checks the options of a store. For one thread. */
public final class StoreBuilder extends LogStoreBuilder {
    private static final int LEAST_COMPACTION_MEMORY = 1 << 10;
    private static final int MOST_COMPACTION_MEMORY = 1 << 30;
    private static final long LEAST_COMPACTION_RATE = 64 << 10;
    private static final long LEAST_READ_MEMORY = 1 << 20;
    private static final long LEAST_DEFAULT_READ_MEMORY = 16 << 20;
    private static final long MOST_DEFAULT_READ_MEMORY = 256 << 20;
    private static final long LEAST_SCRUB_PERIOD_MS = 1000;
    private static final int MOST_FORCE_THREADS = 64;
    private static final long MAX_INTERVAL_MS = Duration.ofHours(1).toMillis();

    private final Path directory;
    private final FileMedium medium;
    private final List<StorageTier> tiers = new ArrayList<>();
    private final List<String> tierLabels = new ArrayList<>();
    private final List<Finding.Listener> findingListeners = new ArrayList<>();
    private EpochClock clock;
    private NanoClock nanoClock = SystemNanoClock.INSTANCE;
    private Supplier<IdleStrategy> idleStrategy;
    private ThreadFactory threadFactory;
    private boolean createsBesideUnreadable;
    private boolean allowsLinkedDirectories;
    private boolean verifiesEveryRead;
    private boolean invokerMode;
    private int forceThreads = 32;
    private int maxPartitions;
    private long markIntervalMs = 100;
    private long cursorIntervalMs = 100;
    private long producerExpiryMs = Duration.ofDays(1).toMillis();
    private long producerNameExpiryMs = Duration.ofDays(7).toMillis();
    private int compactionMemory = (int) HeapBudget.COMPACTION.bytes(4 << 20, 32 << 20);
    private long compactionRate = 32 << 20;
    private long readMemory =
            HeapBudget.READERS.bytes(LEAST_DEFAULT_READ_MEMORY, MOST_DEFAULT_READ_MEMORY);
    private long scrubPeriodMs = Duration.ofDays(7).toMillis();
    private int journalSegmentBytes = 4 << 20;

    /** For {@link java.util.ServiceLoader}: only {@link #at} may be called on the new object. */
    public StoreBuilder() {
        this.directory = null;
        this.medium = null;
    }

    private StoreBuilder(Path directory, FileMedium medium) {
        this.directory = Objects.requireNonNull(directory, "directory");
        this.medium = Objects.requireNonNull(medium, "medium");
    }

    /**
     * Returns a builder for a store whose metadata is in a directory of another file system, such
     * as a simulated one.
     */
    public static StoreBuilder over(Path directory, FileMedium medium) {
        return new StoreBuilder(directory, medium);
    }

    @Override
    protected LogStoreBuilder at(Path storeDirectory) {
        return new StoreBuilder(storeDirectory, FileMedium.real());
    }

    @Override
    public LogStoreBuilder tier(Tier tier) {
        add(null, tier);
        return this;
    }

    @Override
    public LogStoreBuilder tier(String label, Tier tier) {
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(tier, "tier");
        if (!isTierLabel(label) || tierLabels.contains(label)) {
            throw new InvalidOptionException(
                    "a tier's label has 1 to 32 of the characters a-z 0-9 - and is given once: '"
                            + label
                            + "'");
        }
        add(label, tier);
        return this;
    }

    private void add(String label, Tier tier) {
        Objects.requireNonNull(tier, "tier");
        if (!(tier instanceof StorageTier)) {
            throw new InvalidOptionException(
                    "a tier must implement "
                            + StorageTier.class.getName()
                            + ", as FileTier and PmemTier do; "
                            + tier.getClass().getName()
                            + " does not");
        }
        tiers.add((StorageTier) tier);
        tierLabels.add(label);
    }

    @Override
    public LogStoreBuilder createTopicsBesideUnreadableOnes() {
        createsBesideUnreadable = true;
        return this;
    }

    @Override
    public LogStoreBuilder allowLinkedDirectories() {
        allowsLinkedDirectories = true;
        return this;
    }

    @Override
    public LogStoreBuilder verifyEveryRead() {
        verifiesEveryRead = true;
        return this;
    }

    /**
     * Sets the size of the segments of the journal of transactions, if the store gets one: tests on
     * simulated media copy them often.
     */
    public StoreBuilder journalSegmentBytes(int value) {
        journalSegmentBytes = value;
        return this;
    }

    @Override
    public LogStoreBuilder findingListener(Finding.Listener listener) {
        findingListeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    @Override
    public LogStoreBuilder invokerMode() {
        invokerMode = true;
        return this;
    }

    @Override
    public LogStoreBuilder clock(EpochClock value) {
        clock = Objects.requireNonNull(value, "clock");
        return this;
    }

    @Override
    public LogStoreBuilder nanoClock(NanoClock value) {
        nanoClock = Objects.requireNonNull(value, "nanoClock");
        return this;
    }

    @Override
    public LogStoreBuilder idleStrategy(Supplier<IdleStrategy> value) {
        idleStrategy = Objects.requireNonNull(value, "idleStrategy");
        return this;
    }

    @Override
    public LogStoreBuilder threadFactory(ThreadFactory value) {
        threadFactory = Objects.requireNonNull(value, "threadFactory");
        return this;
    }

    @Override
    public LogStoreBuilder forceThreads(int value) {
        if (value < 1 || value > MOST_FORCE_THREADS) {
            throw new InvalidOptionException(
                    "forceThreads must be from 1 to " + MOST_FORCE_THREADS + ", not " + value);
        }
        forceThreads = value;
        return this;
    }

    @Override
    public LogStoreBuilder maxPartitions(int value) {
        if (value < 1) {
            throw new InvalidOptionException("maxPartitions must be at least 1, not " + value);
        }
        maxPartitions = value;
        return this;
    }

    @Override
    public LogStoreBuilder markInterval(Duration value) {
        markIntervalMs = interval("markInterval", value);
        return this;
    }

    @Override
    public LogStoreBuilder cursorInterval(Duration value) {
        cursorIntervalMs = interval("cursorInterval", value);
        return this;
    }

    @Override
    public LogStoreBuilder producerExpiry(Duration value) {
        producerExpiryMs = expiry("producerExpiry", value);
        return this;
    }

    @Override
    public LogStoreBuilder producerNameExpiry(Duration value) {
        producerNameExpiryMs = expiry("producerNameExpiry", value);
        return this;
    }

    @Override
    public LogStoreBuilder compactionMemory(int bytes) {
        if (bytes < LEAST_COMPACTION_MEMORY || bytes > MOST_COMPACTION_MEMORY) {
            throw new InvalidOptionException(
                    "compactionMemory must be from 1 KiB to 1 GiB, not " + bytes + " bytes");
        }
        compactionMemory = bytes;
        return this;
    }

    @Override
    public LogStoreBuilder compactionRate(long bytesPerSecond) {
        if (bytesPerSecond < LEAST_COMPACTION_RATE) {
            throw new InvalidOptionException(
                    "compactionRate must be at least 64 KiB per second, not "
                            + bytesPerSecond
                            + " bytes");
        }
        compactionRate = bytesPerSecond;
        return this;
    }

    @Override
    public LogStoreBuilder readMemory(long bytes) {
        if (bytes < LEAST_READ_MEMORY) {
            throw new InvalidOptionException(
                    "readMemory must be at least 1 MiB, not " + bytes + " bytes");
        }
        readMemory = bytes;
        return this;
    }

    @Override
    public LogStoreBuilder scrubPeriod(Duration value) {
        long ms = millis("scrubPeriod", value);
        if (ms < LEAST_SCRUB_PERIOD_MS) {
            throw new InvalidOptionException("scrubPeriod must be at least 1 s, not " + value);
        }
        scrubPeriodMs = ms;
        return this;
    }

    @Override
    public LogStore open() {
        return open(false);
    }

    @Override
    public LogReader openReadOnly() {
        return ReadOnlyViews.of(open(true));
    }

    @Override
    public Backup restore(Path backup, RestoreOptions options, MoveControl control) {
        Objects.requireNonNull(backup, "backup");
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(control, "control");
        return new StoreRestore(config(false), backup).run(options, control);
    }

    @Override
    protected Backup verifyBackup(Path backup, MoveControl control) {
        return SavedBackup.verify(medium, backup, control);
    }

    private LogStore open(boolean readOnly) {
        return StoreOpener.open(config(readOnly));
    }

    private StoreConfig config(boolean readOnly) {
        if (tiers.isEmpty()) {
            throw new InvalidOptionException(
                    "a store needs at least one tier, for example .tier(FileTier.at(path))");
        }
        checkDirectories();
        checkLabels();
        return new StoreConfig(
                directory,
                List.copyOf(tiers),
                new ArrayList<>(tierLabels),
                List.copyOf(findingListeners),
                WithoutLinks.below("the store", directory, medium, allowsLinkedDirectories),
                clock,
                nanoClock,
                idleStrategy,
                threadFactory,
                readOnly,
                createsBesideUnreadable,
                verifiesEveryRead,
                invokerMode,
                forceThreads,
                maxPartitions,
                markIntervalMs,
                cursorIntervalMs,
                producerExpiryMs,
                producerNameExpiryMs,
                compactionMemory,
                compactionRate,
                readMemory,
                scrubPeriodMs,
                journalSegmentBytes);
    }

    /** Otherwise the second one of two tiers would find the first one's lock, or its segments. */
    private void checkDirectories() {
        Map<Path, StorageTier> used = new HashMap<>();
        for (StorageTier tier : tiers) {
            for (Path named : tier.directories()) {
                StorageTier other = used.putIfAbsent(realPath(named), tier);
                if (other != null) {
                    throw new InvalidOptionException(
                            "two tiers use the directory "
                                    + named
                                    + ": tier "
                                    + tiers.indexOf(other)
                                    + " ("
                                    + other.name()
                                    + ") and tier "
                                    + tiers.lastIndexOf(tier)
                                    + " ("
                                    + tier.name()
                                    + "); give each tier a directory of its own");
                }
            }
        }
    }

    /** A tier without a label is called by its place. */
    private void checkLabels() {
        for (int i = 0; i < tiers.size(); i++) {
            if (tierLabels.get(i) == null && tierLabels.contains(TierState.labelOf(i))) {
                throw new InvalidOptionException(
                        "tier "
                                + i
                                + " ("
                                + tiers.get(i).name()
                                + ") has no label, so it is called '"
                                + TierState.labelOf(i)
                                + "', which is the label of another tier: give it one");
            }
        }
    }

    /** As it is named where it does not exist, or is none of this machine's. */
    private static Path realPath(Path directory) {
        try {
            return directory.toRealPath();
        } catch (IOException e) {
            return directory.toAbsolutePath().normalize();
        }
    }

    private static long expiry(String name, Duration value) {
        long ms = millis(name, value);
        if (ms < 1) {
            throw new InvalidOptionException(name + " must be at least 1 ms, not " + value);
        }
        return ms;
    }

    private static long interval(String name, Duration value) {
        long ms = millis(name, value);
        if (ms < 1 || ms > MAX_INTERVAL_MS) {
            throw new InvalidOptionException(name + " must be from 1 ms to 1 h, not " + value);
        }
        return ms;
    }
}
