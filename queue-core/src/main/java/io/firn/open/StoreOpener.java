package io.firn.open;

import io.firn.Finding.Kind;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.StoreMetrics;
import io.firn.StoreOpenException;
import io.firn.findings.FindingKey;
import io.firn.follow.PublishedOffsetsFile;
import io.firn.log.LogContext;
import io.firn.log.Ownership;
import io.firn.log.StoreConfig;
import io.firn.log.TierState;
import io.firn.medium.FileErrors;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.GuardedLog;
import io.firn.medium.OpenToOthers;
import io.firn.medium.SendableFile;
import io.firn.metadata.LeasedCounter;
import io.firn.metadata.SameNames;
import io.firn.metadata.StoreIdentity;
import io.firn.metadata.TopicScan;
import io.firn.spi.Block;
import io.firn.spi.StorageTier;
import io.firn.spi.StorageTier.TierContext;
import io.firn.store.Store;
import io.firn.store.Topics;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Opens a store. The order: lock, identity, tiers (all of them must be there before anything is cut
 * or dropped), counters, topics, segments; then the background starts.
 */
public final class StoreOpener {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final String EPOCHS = "epochs";
    private static final String LOCK = "lock";

    /** Several times as long as a writer goes without a look at its lock files. */
    private static final long LOST_LOCK_WAIT_MS = 10 * Ownership.INTERVAL_MS;

    private final StoreConfig config;
    private final FileMedium medium;
    private final Path directory;
    private final Store store;
    private final LogContext context;
    private final Topics topics;
    private final List<StorageTier> opened = new ArrayList<>();
    private final Semaphore filesToSend = SendableFile.places();
    private MediumLock lock;
    private boolean isNew;

    private StoreOpener(StoreConfig config) {
        this.config = config;
        this.directory = config.directory();
        this.store = new Store(config);
        this.context = store.context();
        this.medium = context.files().medium();
        this.topics = store.topics();
    }

    /** Opens or creates a store. */
    public static LogStore open(StoreConfig config) {
        return new StoreOpener(config).open();
    }

    private LogStore open() {
        try {
            config.findingListeners().forEach(context.findings()::add);
            if (!config.invokerMode()) { // a store without threads
                store.use(medium.use());
            }
            if (config.readOnly()) {
                OpenToOthers.warn(medium, "the store", directory);
                store.start(openReadOnly());
            } else {
                OpenToOthers.warnOfOwnerToo(medium, "the store", directory);
                openWritable();
                store.start(null);
                store.recoverTransactions();
            }
            return store;
        } catch (IOException e) {
            abandon();
            throw refused(FileErrors.describe(e), e);
        } catch (InternalError e) {
            abandon();
            throw new StoreOpenException(
                    "the store "
                            + directory
                            + " cannot be opened: its medium failed; on a file system that copies"
                            + " on write, as btrfs, that may be a full disk: make room first",
                    e);
        } catch (RuntimeException e) {
            abandon();
            if (e instanceof FirnException && e.getCause() instanceof IOException) {
                throw refused(e.getMessage(), e);
            }
            throw e;
        } catch (Error e) {
            abandon(); // no memory, or no thread, may be there the next time
            throw e;
        }
    }

    /**
     * What was found is told once, as the message, with the place where it was found; the cause is
     * what led to it, if anything did.
     */
    private StoreOpenException refused(String reason, Exception found) {
        // Without a reason, the type of the system's error says something.
        boolean isOurs = !(found instanceof FileSystemException e && e.getReason() == null);
        StoreOpenException refused =
                new StoreOpenException(
                        "the store " + directory + " cannot be opened: " + reason,
                        isOurs ? found.getCause() : found);
        if (isOurs) {
            refused.setStackTrace(found.getStackTrace());
        }
        return refused;
    }

    /** Closes only what was opened here: the other tiers may belong to an open store. */
    private void abandon() {
        context.background().close(); // one of its threads may have been started
        if (lock != null) {
            store.own(lock, null, null);
        }
        store.release(opened);
    }

    private void open(StorageTier tier, TierContext tierContext) throws IOException {
        tier.reportDamage(context.stateOf(tier)::noteDamage);
        tier.open(tierContext);
        opened.add(tier);
    }

    private void publishOffsets(UUID storeId) throws IOException {
        FindingKey key = FindingKey.of(Kind.READERS_DELAYED, context.subject());
        String holder = medium.holder(directory.resolve(LOCK));
        context.publishTo(
                PublishedOffsetsFile.create(
                        medium,
                        directory,
                        new PublishedOffsetsFile.Writer(storeId, lock, holder),
                        text -> context.findings().begin(key, text)));
    }

    /**
     * Waits where a lock file is missing although there is a store: what deleted it may have
     * deleted the published offsets, too, and then only the writer itself can find out that it is
     * not the only one. It does before each acknowledgement, see {@link Ownership}.
     */
    private void awaitLastWriter() throws IOException {
        Path ends = directory.resolve(PublishedOffsetsFile.NAME);
        if (!lock.isNew() || medium.runningSystem() == null || medium.exists(ends)) {
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "the store {0} had no lock file: waiting {1} ms for a writer that may have lost it",
                directory,
                LOST_LOCK_WAIT_MS);
        long endNs = System.nanoTime() + LOST_LOCK_WAIT_MS * 1_000_000;
        while (System.nanoTime() < endNs) {
            LockSupport.parkNanos(endNs - System.nanoTime());
        }
    }

    /** Reads the store's file, or creates the store; the names that it found are durable then. */
    private StoreIdentity identify(boolean isCreated) throws IOException {
        StoreIdentity found = StoreIdentity.read(medium, directory);
        isNew = found == null;
        if (!isNew) {
            boolean wasOpen = medium.exists(directory.resolve(PublishedOffsetsFile.NAME));
            context.cleanClose().take(found.id(), wasOpen);
        }
        boolean isClean = context.cleanClose().wasFound();
        if (!isCreated && !isClean) {
            medium.createDirectories(directory); // forces its name
        }
        if (isNew) {
            return create();
        }
        awaitLastWriter();
        if (!isClean) {
            // A process that was killed may have left a name that is only in a cache (O1).
            medium.forceDirectory(directory);
        }
        if (!medium.exists(context.files().topics())) {
            medium.createDirectory(context.files().topics());
        }
        return found;
    }

    private StoreIdentity create() throws IOException {
        if (!medium.list(context.files().topics()).isEmpty()) {
            throw new IOException(
                    "there are topics, but the file "
                            + StoreIdentity.fileIn(directory)
                            + " that says whose they are is missing: restore it");
        }
        StoreIdentity created = StoreIdentity.create(medium, directory);
        context.cleanClose().take(created.id(), true);
        medium.createDirectory(context.files().topics()); // one force for both names
        return created;
    }

    /** Creates the store's directory; returns false if it is there. */
    private boolean makeDirectory() throws IOException {
        if (!medium.exists(directory)) {
            medium.createDirectories(directory);
            return true;
        }
        try {
            medium.list(directory);
        } catch (NotDirectoryException e) {
            throw new FileSystemException(
                    directory.toString(), null, "is a file, should be a directory");
        }
        return false;
    }

    private void openWritable() throws IOException {
        boolean isCreated = makeDirectory();
        lock = medium.lock(directory.resolve(LOCK));
        context.ownership().own(lock);
        OwnerWatchDuty.begin(context, topics::onLost);
        StoreIdentity identity = identify(isCreated);
        UUID storeId = identity.id();
        // Nothing was changed so far that readers of the last writer's offsets may see (O22).
        publishOffsets(storeId);
        LeasedCounter epochs = counter(EPOCHS);
        if (isNew) {
            context.files().spareSpace().openNew(epochs);
        } else {
            context.files().spareSpace().open();
        }
        LeasedCounter producerIds = counter("producer-ids");
        store.own(lock, producerIds, identity);
        context.own(epochs);
        TopicOpener topicOpener = new TopicOpener(context, topics);
        TopicScan scan = topicOpener.read();
        openTiers(identity);
        Map<UUID, List<Block>> found = new HashMap<>();
        for (StorageTier tier : config.tiers()) {
            epochs.above(tier.highestFreeEpoch());
            for (Block block : tier.list()) {
                if (block.mark() == null) {
                    // Without it, its offsets would be assigned again.
                    throw new IOException(
                            block.name()
                                    + ": both of its marks are destroyed, so it is unknown how"
                                    + " far it was durable; nothing was changed: open the store"
                                    + " read-only, or move the file away to open without it; for"
                                    + " a block of a pool use bin/firn repair");
                }
                epochs.above(block.mark().epoch());
                found.computeIfAbsent(block.mark().topicId(), id -> new ArrayList<>()).add(block);
            }
        }
        // Before anything is cut or dropped.
        SameNames.refuse(context.files().topics(), scan.sharedNames(), found);
        topicOpener.open(scan, found);
        topics.compareWithDescriptors();
        context.tiers().forEach(TierState::noteStrangers);
    }

    private LeasedCounter counter(String name) throws IOException {
        return new LeasedCounter(context.files(), directory.resolve(name), isNew);
    }

    /** Returns the tiers that the configuration names, each with the identity that it has. */
    private String named() {
        return config.tiers().stream()
                .map(tier -> tier.id() + " (" + tier.name() + ")")
                .collect(Collectors.joining(", "));
    }

    private void openTiers(StoreIdentity identity) throws IOException {
        UUID storeId = identity.id();
        List<String> known = identity.tiers();
        if (config.tiers().size() < known.size()) {
            throw new IOException(
                    "it has "
                            + known.size()
                            + " tiers, "
                            + config.tiers().size()
                            + " were named: name all, or open it read-only");
        }
        // A missing tier is not created again: an empty one would hide the loss.
        boolean mayCreate = config.tiers().size() > known.size();
        List<String> missing = new ArrayList<>(known);
        List<String> all = new ArrayList<>(known);
        List<String> drained = new ArrayList<>();
        for (StorageTier tier : config.tiers()) {
            TierContext common = new TierContext(storeId, mayCreate, false, filesToSend);
            open(tier, context.cleanClose().wasFound() ? common.afterCleanClose() : common);
            String id = tier.id().toString();
            missing.remove(id);
            if (identity.drained().contains(id)) {
                drained.add(id);
                context.stateOf(tier)
                        .drain(
                                known.contains(id)
                                        ? StoreMetrics.Drain.IN_PROGRESS
                                        : StoreMetrics.Drain.DONE);
            } else if (!all.contains(id)) {
                all.add(id);
            }
            LOG.log(
                    System.Logger.Level.INFO,
                    "tier {0}: what is forced survives {1}",
                    tier.name(),
                    tier.survives());
            if (tier.unknownFileSystem() != null) {
                LOG.log(System.Logger.Level.WARNING, unknownFileSystemOf(tier));
            }
        }
        if (!missing.isEmpty()) {
            throw new IOException(
                    "its tiers "
                            + missing
                            + " are not among those named, "
                            + named()
                            + ": nothing was changed; name them, or open it read-only");
        }
        // A drained tier that is not named any more is forgotten: if it comes back, it is a new
        // one.
        if (!all.equals(known) || !drained.containsAll(identity.drained())) {
            identity.tiers(all, drained);
        }
    }

    private static String unknownFileSystemOf(StorageTier tier) {
        return "tier "
                + tier.name()
                + " is on a file system of type "
                + tier.unknownFileSystem()
                + ", of which Firn does not know what a force survives: its class is "
                + tier.survives()
                + "; if forced files survive a power failure there, declare that with"
                + " FileTier.withDeclaredDurable (server: storage.declare.durable=true)";
    }

    private Follower openReadOnly() throws IOException {
        StoreIdentity identity = StoreIdentity.read(medium, directory);
        if (identity == null) {
            throw new IOException(
                    "there is no store: the file "
                            + StoreIdentity.fileIn(directory)
                            + " is missing");
        }
        UUID storeId = identity.id();
        for (StorageTier tier : config.tiers()) {
            open(tier, new TierContext(storeId, false, true, filesToSend));
        }
        Follower follower =
                new Follower(
                        context,
                        topics,
                        storeId,
                        directory.resolve(LOCK),
                        directory.resolve(EPOCHS));
        context.follow(follower::refreshNow);
        store.own(follower::close);
        follower.lookFirst();
        return follower;
    }
}
