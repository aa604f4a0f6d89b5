package io.firn.open;

import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.StoreOpenException;
import io.firn.TopicOptions;
import io.firn.follow.PublishedOffsetsFile;
import io.firn.log.LogContext;
import io.firn.log.Ownership;
import io.firn.log.StoreConfig;
import io.firn.medium.FileMedium;
import io.firn.medium.FilesToSend;
import io.firn.medium.GuardedLog;
import io.firn.medium.MediumLock;
import io.firn.medium.OpenToOthers;
import io.firn.medium.Reason;
import io.firn.metadata.CutFiles;
import io.firn.metadata.LeasedCounter;
import io.firn.metadata.ProducerFiles;
import io.firn.metadata.SameNames;
import io.firn.metadata.StoreIdentity;
import io.firn.metadata.TopicFiles;
import io.firn.metadata.TopicScan;
import io.firn.metadata.UnreadableTopics;
import io.firn.metadata.UnreadableTopics.Unreadable;
import io.firn.spi.Block;
import io.firn.spi.StorageTier;
import io.firn.spi.TierContext;
import io.firn.store.PartitionLimit;
import io.firn.store.Store;
import io.firn.store.TopicLog;
import io.firn.store.Topics;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    private final Semaphore filesToSend = FilesToSend.places();
    private MediumLock lock;

    private StoreOpener(StoreConfig config) {
        this.config = config;
        this.medium = config.medium();
        this.directory = config.directory();
        this.store = new Store(config);
        this.context = store.context();
        this.topics = store.topics();
    }

    /** Opens or creates a store. */
    public static LogStore open(StoreConfig config) {
        return new StoreOpener(config).open();
    }

    private LogStore open() {
        try {
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
            throw refused(Reason.of(e), e);
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

    private void open(StorageTier tier, TierContext context) throws IOException {
        tier.open(context);
        opened.add(tier);
    }

    private void publishEnds(UUID storeId) throws IOException {
        String holder = medium.holder(directory.resolve(LOCK));
        context.publishTo(
                PublishedOffsetsFile.create(
                        medium, directory, storeId, lock, holder, context.findings()::add));
    }

    /**
     * Waits where a lock file is missing although there is a store: whoever deleted it may have
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

    private void openWritable() throws IOException {
        medium.createDirectories(directory);
        lock = medium.lock(directory.resolve(LOCK));
        context.ownership().own(lock);
        OwnerWatchDuty.begin(context, topics::onLost);
        StoreIdentity identity = StoreIdentity.read(medium, directory);
        if (identity == null) {
            if (!medium.list(context.files().topics()).isEmpty()) {
                throw new IOException(
                        "there are topics, but the file "
                                + StoreIdentity.fileIn(directory)
                                + " that says whose they are is missing: restore it");
            }
            identity = StoreIdentity.create(medium, directory);
        } else {
            awaitLastWriter();
            // A process that was killed may have left a name that is only in a cache (O1).
            medium.forceDirectory(directory);
        }
        UUID storeId = identity.id();
        // Nothing was changed so far that readers of the last writer's offsets may see (O22).
        publishEnds(storeId);
        context.files().spareSpace().open();
        LeasedCounter epochs = new LeasedCounter(context.files(), directory.resolve(EPOCHS));
        LeasedCounter producerIds =
                new LeasedCounter(context.files(), directory.resolve("producer-ids"));
        store.own(lock, producerIds, identity);
        context.own(epochs);
        TopicScan scan = readTopics();
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
        medium.createDirectories(context.files().topics());
        openTopics(scan, found);
        config.tiers().forEach(tier -> tier.strangers().forEach(context.findings()::add));
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
        for (StorageTier tier : config.tiers()) {
            open(tier, new TierContext(storeId, mayCreate, false, filesToSend));
            String id = tier.id().toString();
            missing.remove(id);
            if (!all.contains(id)) {
                all.add(id);
            }
            LOG.log(
                    System.Logger.Level.INFO,
                    "tier {0}: durability class {1}",
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
        if (!all.equals(known)) {
            identity.tiers(all);
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
                + " FileTier.Builder.declareDurable (server: storage.declare.durable=true)";
    }

    private void openTopics(TopicScan scan, Map<UUID, List<Block>> found) throws IOException {
        try {
            openAll(scan, found);
        } catch (OutOfMemoryError e) {
            throw new IOException(PartitionLimit.tooMany(partitionsOf(scan)), e);
        }
    }

    private static long partitionsOf(TopicScan scan) {
        long partitions = 0;
        for (TopicFiles.Description each : scan.readable().values()) {
            partitions += each.deleted() ? 0 : each.options().partitions();
        }
        return partitions;
    }

    private void openAll(TopicScan scan, Map<UUID, List<Block>> found) throws IOException {
        List<Unreadable> unreadable = new ArrayList<>(scan.unreadable());
        for (Map.Entry<UUID, TopicFiles.Description> e : scan.readable().entrySet()) {
            UUID id = e.getKey();
            TopicFiles files = new TopicFiles(context.files(), id);
            List<Block> blocks = found.getOrDefault(id, List.of());
            Unreadable lost = lostStart(id, e.getValue(), blocks);
            if (lost != null) {
                unreadable.add(lost);
            } else {
                files.directory().forceNames();
                open(id, e.getValue(), blocks);
                found.remove(id);
            }
        }
        for (UUID id : scan.empty()) {
            if (!found.containsKey(id)) {
                // A creation that did not reach the file, or a deletion that did not remove the
                // directory.
                new TopicFiles(context.files(), id).delete();
            }
        }
        keepOrphans(unreadable, found);
        topics.unreadable(new UnreadableTopics(unreadable));
    }

    /** Returns why a topic could assign offsets again; null when it knows its next offsets. */
    private Unreadable lostStart(UUID id, TopicFiles.Description description, List<Block> blocks)
            throws IOException {
        if (description.deleted()) {
            return null;
        }
        TopicFiles files = new TopicFiles(context.files(), id);
        ProducerFiles producers = new ProducerFiles(files.directory());
        Set<Integer> filled = new HashSet<>();
        blocks.forEach(block -> filled.add(block.mark().partition()));
        for (int i = 0; i < description.options().partitions(); i++) {
            if (!filled.contains(i) && files.isLogStartDamaged(i) && producers.read(i) == null) {
                return new Unreadable(
                        id,
                        files.startFile(i),
                        description.name(),
                        "the file is damaged, and there are no segments: nothing says which offset"
                                + " comes next in partition "
                                + i,
                        true);
            }
        }
        return null;
    }

    /** Keeps segments of topics without a topic file: they show that a topic was lost (O5). */
    private void keepOrphans(List<Unreadable> unreadable, Map<UUID, List<Block>> found) {
        found.forEach(
                (id, orphans) -> {
                    orphans.forEach(
                            each ->
                                    context.findings()
                                            .add(
                                                    each.name()
                                                            + ": belongs to no topic that is served"));
                    if (unreadable.stream().noneMatch(each -> each.id().equals(id))) {
                        unreadable.add(
                                new Unreadable(
                                        id,
                                        new TopicFiles(context.files(), id).topicFile(),
                                        null,
                                        "the topic file is missing, there are "
                                                + orphans.size()
                                                + " segments, the first of them "
                                                + orphans.get(0).name(),
                                        true));
                    }
                });
    }

    /** Reads everything that a newer version may have written, before anything is changed. */
    private TopicScan readTopics() throws IOException {
        TopicScan scan = TopicScan.of(context.files());
        scan.strangers().forEach(path -> context.findings().add(path + ": not a topic"));
        scan.refuse(each -> topics.limit().whyImpossible(each.options().partitions()));
        topics.limit().checkOpen(partitionsOf(scan));
        for (Map.Entry<UUID, TopicFiles.Description> e : scan.readable().entrySet()) {
            if (!e.getValue().deleted()) {
                checkVersions(e.getKey(), e.getValue().options().partitions());
            }
        }
        return scan;
    }

    private void checkVersions(UUID id, int partitions) throws IOException {
        TopicFiles files = new TopicFiles(context.files(), id);
        files.checkVersions(partitions);
        new ProducerFiles(files.directory()).checkVersions(partitions);
        new CutFiles(files.directory()).checkVersions(partitions);
    }

    private void open(UUID id, TopicFiles.Description description, List<Block> blocks)
            throws IOException {
        if (description.deleted()) {
            for (Block block : blocks) {
                block.delete();
            }
            new TopicFiles(context.files(), id).delete();
            context.tiers().forEach(tier -> tier.forgetTopic(id));
            return;
        }
        TopicOptions options = description.options();
        TopicLog topic = new TopicLog(context, topics, id, description.name(), options);
        Path file = topic.context().files().topicFile();
        topics.checkTiers("topic " + topic.name() + ", from " + file, options);
        String unknown = topic.context().unknownTiers();
        if (unknown != null) {
            context.findings().add(unknown);
        }
        topic.recover(blocks);
        topics.add(topic);
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
