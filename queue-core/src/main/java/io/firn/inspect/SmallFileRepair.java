package io.firn.inspect;

import io.firn.InvalidOptionException;
import io.firn.RefusedException;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.SmallFile;
import io.firn.medium.WholeFile;
import io.firn.metadata.RebuiltTopic;
import io.firn.metadata.StoreIdentity;
import io.firn.metadata.TopicFiles;
import io.firn.metadata.TopicScan;
import io.firn.spi.Mark;
import io.firn.spi.TierInspector;
import io.firn.spi.TierInspector.RebuiltFile;
import io.firn.spi.TierInspector.TierRemains;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Makes the small files of a store again without which it cannot be opened, from what its segments
 * and its other files tell: the counters, the file of a tier, the files of topics. For one thread.
 */
public final class SmallFileRepair {
    private static final String LOCK = "lock";
    private static final String COUNTER = "counter";
    private static final int TOPIC_VERSION = 3;
    private static final int MOST_BYTES = 32 << 20;

    /** More than a store has leased at once. */
    private static final long EPOCHS_AHEAD = 1_000_000;

    /** More than a store will ever hand out. */
    private static final long PRODUCER_IDS = 1L << 40;

    private final FileMedium medium;
    private final Path store;
    private final List<Path> tiers;
    private final Map<UUID, String> names;
    private final List<TierInspector> inspectors =
            ServiceLoader.load(TierInspector.class, TierInspector.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();
    private final List<RebuiltFile> rebuilt = new ArrayList<>();

    private StoreIdentity identity;
    private List<TierRemains> remains;

    private SmallFileRepair(
            FileMedium medium, Path store, List<Path> tiers, Map<UUID, String> names) {
        this.medium = medium;
        this.store = store;
        this.tiers = tiers;
        this.names = names;
    }

    /**
     * Returns what would be made again; nothing is changed, and no lock is acquired.
     *
     * @param tiers the directories of all tiers
     * @param names the names of topics, by id, that are known otherwise
     * @throws RefusedException when the files that are left do not tell enough
     */
    public static List<RebuiltFile> plan(
            FileMedium medium, Path store, List<Path> tiers, Map<UUID, String> names)
            throws IOException {
        return new SmallFileRepair(medium, store, tiers, names).plan();
    }

    /**
     * Replaces the files. A copy of each is durable before the file is replaced, and a file is
     * replaced as a whole: after a crash, this can be done again.
     *
     * @param copies a new directory for the copies
     * @throws io.firn.StoreLockedException when a process has the store or a tier open
     */
    public static List<RebuiltFile> execute(
            FileMedium medium, Path store, List<Path> tiers, Map<UUID, String> names, Path copies)
            throws IOException {
        List<MediumLock> locks = new ArrayList<>();
        try {
            locks.add(medium.lock(store.resolve(LOCK)));
            for (Path tier : tiers) {
                locks.add(medium.lock(tier.resolve(LOCK)));
            }
            List<RebuiltFile> all = new SmallFileRepair(medium, store, tiers, names).plan();
            for (RebuiltFile each : all) {
                keep(medium, each.file(), copies);
            }
            for (RebuiltFile each : all) {
                medium.createDirectories(each.file().getParent());
                WholeFile.write(medium, each.file(), each.content());
            }
            return all;
        } finally {
            for (MediumLock each : locks) {
                each.close();
            }
        }
    }

    private static void keep(FileMedium medium, Path file, Path copies) throws IOException {
        byte[] bytes = WholeFile.read(medium, file, MOST_BYTES);
        if (bytes != null) {
            Path parent = file.getParent().getFileName();
            medium.createDirectories(copies);
            WholeFile.write(medium, copies.resolve(parent + "-" + file.getFileName()), bytes);
        }
    }

    private List<RebuiltFile> plan() throws IOException {
        identity = StoreIdentity.read(medium, store);
        if (identity == null) {
            throw new RefusedException(
                    "there is no file "
                            + StoreIdentity.fileIn(store)
                            + ", which says what belongs to the store: restore it from a backup");
        }
        remains = new ArrayList<>();
        List<Path> nameless = new ArrayList<>();
        for (Path tier : tiers) {
            inspect(tier, nameless);
        }
        if (!nameless.isEmpty()) {
            tier(nameless);
        }
        counter("epochs", highestEpoch() + EPOCHS_AHEAD);
        counter("producer-ids", PRODUCER_IDS);
        topics();
        return rebuilt;
    }

    private void inspect(Path directory, List<Path> nameless) throws IOException {
        for (TierInspector each : inspectors) {
            TierRemains found = each.inspect(medium, directory);
            if (found != null) {
                remains.add(found);
                if (found.tierId() == null) {
                    nameless.add(directory);
                }
            }
        }
    }

    /** Of one tier that has lost its file, the id is the one that no other tier has. */
    private void tier(List<Path> nameless) throws IOException {
        List<String> missing = new ArrayList<>(identity.tiers());
        remains.forEach(each -> missing.remove(String.valueOf(each.tierId())));
        if (nameless.size() > 1 || missing.size() != 1) {
            throw new RefusedException(
                    "it is not known which tiers these are: "
                            + nameless
                            + "; the store has "
                            + identity.tiers().size()
                            + ", of which "
                            + missing.size()
                            + " are missing. Name all tiers; of two that have lost their files, one"
                            + " has to be restored from a backup");
        }
        UUID id = UUID.fromString(missing.get(0));
        int before = rebuilt.size();
        for (TierInspector each : inspectors) {
            RebuiltFile file = each.rebuild(medium, nameless.get(0), id, identity.id());
            if (file != null) {
                rebuilt.add(file);
            }
        }
        if (rebuilt.size() == before) {
            throw new RefusedException(
                    "what names the tier in "
                            + nameless.get(0)
                            + " cannot be made again: restore it from a backup");
        }
    }

    /** The marks of all segments of which one is left. */
    private Stream<Mark> segments() {
        return remains.stream()
                .flatMap(each -> each.segments().stream())
                .map(TierRemains.Remains::mark)
                .filter(Objects::nonNull);
    }

    private long highestEpoch() {
        return segments().mapToLong(Mark::epoch).max().orElse(0);
    }

    /** Returns the files of a topic. */
    private List<String> others(Path directory) throws IOException {
        return medium.exists(directory) ? medium.list(directory) : List.of();
    }

    /** A counter that is missing begins above what was ever used; a damaged one stops the open. */
    private void counter(String name, long leasedBelow) throws IOException {
        Path file = store.resolve(name);
        try {
            Fields fields = Fields.read(medium, file, COUNTER, 1);
            if (fields != null) {
                fields.offset("leasedBelow");
            }
        } catch (DamagedFileException e) {
            Map<String, String> values = Map.of("leasedBelow", Long.toString(leasedBelow));
            rebuilt.add(
                    new RebuiltFile(
                            file,
                            "damaged",
                            SmallFile.content(file, COUNTER, 1, values),
                            List.of("no number from " + leasedBelow + " on was used")));
        }
    }

    private void topics() throws IOException {
        Path topics = store.resolve(ReadableFiles.TOPICS);
        Map<UUID, String> lost = new LinkedHashMap<>();
        boolean hasJournal = !identity.has(StoreIdentity.TRANSACTIONS);
        Set<UUID> withSegments = new HashSet<>();
        segments().forEach(each -> withSegments.add(each.topicId()));
        Set<UUID> all = new TreeSet<>(withSegments);
        medium.list(topics).stream()
                .map(TopicScan::idOf)
                .filter(Objects::nonNull)
                .forEach(all::add);
        for (UUID id : all) {
            Path file = topics.resolve(id.toString()).resolve(ReadableFiles.TOPIC);
            try {
                Fields fields = Fields.read(medium, file, ReadableFiles.TOPIC, TOPIC_VERSION);
                if (fields != null) {
                    hasJournal |= fields.text("name").equals(TopicFiles.JOURNAL);
                } else if (withSegments.contains(id) || !others(file.getParent()).isEmpty()) {
                    lost.put(id, "missing");
                }
            } catch (DamagedFileException e) {
                lost.put(id, "damaged");
            }
        }
        for (UUID id : names.keySet()) {
            if (!lost.containsKey(id)) {
                throw new InvalidOptionException("no topic with the id " + id + " is damaged");
            }
        }
        for (Map.Entry<UUID, String> each : lost.entrySet()) {
            // It cannot be told from others by its segments.
            boolean isJournal = !hasJournal && lost.size() == 1;
            topic(topics, each.getKey(), each.getValue(), isJournal);
        }
    }

    private void topic(Path topics, UUID id, String found, boolean isJournal) throws IOException {
        Path directory = topics.resolve(id.toString());
        Path file = directory.resolve(ReadableFiles.TOPIC);
        List<String> others = others(directory);
        Map<Integer, Boolean> partitions = new TreeMap<>();
        for (String name : others) {
            if (name.matches("(start|producers|truncated)-[0-9]{1,9}")) {
                partitions.put(Integer.parseInt(name.substring(name.indexOf('-') + 1)), false);
            }
        }
        segments()
                .filter(each -> each.topicId().equals(id))
                .forEach(
                        each ->
                                partitions.merge(
                                        each.partition(),
                                        each.generation() > 0,
                                        Boolean::logicalOr));
        int count = partitions.keySet().stream().mapToInt(each -> each + 1).max().orElse(1);
        String name = names.getOrDefault(id, isJournal ? TopicFiles.JOURNAL : null);
        RebuiltTopic topic =
                RebuiltTopic.of(
                        medium,
                        file,
                        new RebuiltTopic.Evidence(
                                name,
                                count,
                                partitions.containsValue(true),
                                others.stream().anyMatch(each -> each.startsWith("truncated-"))));
        rebuilt.add(new RebuiltFile(file, found, topic.content(), topic.assumed()));
    }
}
