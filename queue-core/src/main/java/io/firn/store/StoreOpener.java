package io.firn.store;

import io.firn.FirnException;
import io.firn.StoreOpenException;
import io.firn.TopicOptions;
import io.firn.spi.FileMedium;
import io.firn.spi.Segment;
import io.firn.spi.SmallFile;
import io.firn.spi.StorageTier;
import io.firn.spi.TierContext;
import io.firn.spi.UnsupportedVersionException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Opens a store. The order: lock, identity, tiers (all of them must be there before anything is cut
 * or dropped), counters, topics, segments; then the background starts.
 */
final class StoreOpener {
    private static final System.Logger LOG = System.getLogger("io.firn");
    static final String LOCK = "lock";
    private static final String STORE = "store";
    private static final int VERSION = 1;
    private static final String ID = "id";
    private static final String TIERS = "tiers";

    private final StoreConfig config;
    private final FileMedium medium;
    private final Path directory;
    private final Store store;
    private final List<StorageTier> opened = new ArrayList<>();
    private AutoCloseable lock;

    private StoreOpener(StoreConfig config) {
        this.config = config;
        this.medium = config.medium();
        this.directory = config.directory();
        this.store = new Store(config);
    }

    static Store open(StoreConfig config) {
        return new StoreOpener(config).open();
    }

    private Store open() {
        try {
            if (config.readOnly()) {
                openReadOnly();
            } else {
                openWritable();
            }
            store.start();
            return store;
        } catch (IOException | NumberFormatException e) {
            abandon();
            throw new StoreOpenException(
                    "the store " + directory + " cannot be opened: " + e.getMessage(), e);
        } catch (InternalError e) {
            abandon();
            throw new StoreOpenException(
                    "the store " + directory + " cannot be read: its medium failed", e);
        } catch (RuntimeException e) {
            abandon();
            if (e instanceof FirnException && e.getCause() instanceof IOException) {
                throw new StoreOpenException(
                        "the store " + directory + " cannot be opened: " + e.getMessage(), e);
            }
            throw e;
        }
    }

    /** Of what was handed in only what was opened here: the rest may be an open store's. */
    private void abandon() {
        if (lock != null) {
            store.own(lock, null, null);
        }
        store.release(opened);
    }

    private void open(StorageTier tier, TierContext context) throws IOException {
        tier.open(context);
        opened.add(tier);
    }

    private void openWritable() throws IOException {
        medium.createDirectories(directory);
        lock = medium.lock(directory.resolve(LOCK));
        Map<String, String> identity = readIdentity();
        if (identity == null) {
            if (!medium.list(TopicFiles.topicsIn(directory)).isEmpty()) {
                throw new IOException(
                        "there are topics, but the file "
                                + directory.resolve(STORE)
                                + " that says whose they are is missing: restore it");
            }
            identity = new LinkedHashMap<>();
            identity.put(ID, UUID.randomUUID().toString());
            identity.put(TIERS, "");
            SmallFile.write(medium, directory.resolve(STORE), STORE, VERSION, identity);
        } else {
            // A process that was killed may have left a name that only a cache knows (O1).
            medium.forceDirectory(directory);
        }
        store.spareSpace().open();
        LeasedCounter epochs = new LeasedCounter(medium, directory.resolve("epochs"));
        LeasedCounter producerIds = new LeasedCounter(medium, directory.resolve("producer-ids"));
        store.own(lock, epochs, producerIds);
        Map<UUID, TopicFiles.Description> topics = readTopics();
        openTiers(identity);
        Map<UUID, List<Segment>> found = new HashMap<>();
        for (StorageTier tier : config.tiers()) {
            epochs.above(tier.highestFreeEpoch());
            for (Segment block : tier.list()) {
                if (block.mark() == null) {
                    // Going on without it would give its offsets again.
                    throw new IOException(
                            block.name()
                                    + ": both of its marks are destroyed, so it cannot be told how"
                                    + " far it was durable; nothing was changed: open the store"
                                    + " read-only, or move the file away to go on without it; for"
                                    + " a block of a pool there is bin/firn-repair");
                }
                epochs.above(block.mark().epoch());
                found.computeIfAbsent(block.mark().topicId(), id -> new ArrayList<>()).add(block);
            }
        }
        medium.createDirectories(TopicFiles.topicsIn(directory));
        openTopics(topics, found);
        for (List<Segment> orphans : found.values()) {
            orphans.forEach(
                    o -> store.addFinding(o.name() + ": belongs to no topic of this store; kept"));
        }
        config.tiers().forEach(tier -> tier.strangers().forEach(store::addFinding));
    }

    private Map<String, String> readIdentity() throws IOException {
        return SmallFile.read(medium, directory.resolve(STORE), STORE, VERSION);
    }

    private void openTiers(Map<String, String> identity) throws IOException {
        UUID storeId = UUID.fromString(identity.get(ID));
        List<String> known = new ArrayList<>(List.of(identity.get(TIERS).split(" ")));
        known.remove("");
        if (config.tiers().size() < known.size()) {
            throw new IOException(
                    "it has "
                            + known.size()
                            + " tiers, "
                            + config.tiers().size()
                            + " were named: name all, or open it read-only");
        }
        // A tier that must be there is not made anew: an empty one would hide the loss.
        boolean mayCreate = config.tiers().size() > known.size();
        List<String> missing = new ArrayList<>(known);
        List<String> all = new ArrayList<>(known);
        for (StorageTier tier : config.tiers()) {
            open(tier, new TierContext(storeId, mayCreate, false));
            String id = tier.id().toString();
            missing.remove(id);
            if (!all.contains(id)) {
                all.add(id);
            }
            LOG.log(
                    System.Logger.Level.INFO,
                    "tier {0}: durability class {1}",
                    tier.name(),
                    tier.durabilityClass());
        }
        if (!missing.isEmpty()) {
            throw new IOException(
                    "its tiers "
                            + missing
                            + " are not among those named: nothing was changed; name them, or open"
                            + " it read-only");
        }
        if (!all.equals(known)) {
            Map<String, String> complete = new LinkedHashMap<>(identity);
            complete.put(TIERS, String.join(" ", all));
            SmallFile.write(medium, directory.resolve(STORE), STORE, VERSION, complete);
        }
    }

    private void openTopics(
            Map<UUID, TopicFiles.Description> topics, Map<UUID, List<Segment>> found)
            throws IOException {
        for (Map.Entry<UUID, TopicFiles.Description> e : topics.entrySet()) {
            UUID id = e.getKey();
            TopicFiles files = new TopicFiles(store, id);
            if (e.getValue() != null) {
                files.forceNames();
                open(id, e.getValue(), found.getOrDefault(id, List.of()));
                found.remove(id);
            } else if (found.containsKey(id)) {
                store.addFinding(
                        TopicFiles.topicsIn(directory).resolve(id.toString())
                                + ": its topic file is missing: restore it");
            } else {
                files.delete(); // its creation did not get as far as its file
            }
        }
    }

    /**
     * Reads all that could be too new before anything is changed; null for topics without a file.
     */
    private Map<UUID, TopicFiles.Description> readTopics() throws IOException {
        Map<UUID, TopicFiles.Description> topics = new LinkedHashMap<>();
        for (String name : medium.list(TopicFiles.topicsIn(directory))) {
            UUID id = idOf(name);
            if (id == null) {
                store.addFinding(TopicFiles.topicsIn(directory).resolve(name) + ": not a topic");
                continue;
            }
            TopicFiles files = new TopicFiles(store, id);
            try {
                TopicFiles.Description description = files.read();
                if (description != null) {
                    files.checkVersions(description.options().partitions());
                }
                topics.put(id, description);
            } catch (UnsupportedVersionException e) {
                throw e;
            } catch (IOException e) {
                store.addFinding(e.getMessage() + ": the topic is not served, nothing is deleted");
            }
        }
        return topics;
    }

    private void open(UUID id, TopicFiles.Description description, List<Segment> blocks)
            throws IOException {
        TopicOptions options = description.options();
        TopicLog topic = new TopicLog(store, id, description.name(), options);
        if (description.deleted()) {
            for (Segment block : blocks) {
                block.delete();
            }
            topic.files().delete();
            return;
        }
        store.checkTiers(options);
        topic.recover(blocks);
        store.addTopic(topic);
    }

    private void openReadOnly() throws IOException {
        Map<String, String> identity = readIdentity();
        if (identity == null) {
            throw new IOException(
                    "there is no store: the file " + directory.resolve(STORE) + " is missing");
        }
        UUID storeId = UUID.fromString(identity.get(ID));
        for (StorageTier tier : config.tiers()) {
            open(tier, new TierContext(storeId, false, true));
        }
        Follower follower = new Follower(store);
        store.follow(follower);
        follower.refresh();
    }

    static UUID idOf(String name) {
        try {
            return UUID.fromString(name);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
