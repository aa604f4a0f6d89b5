package io.firn.store;

import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.spi.TierInspector;
import io.firn.spi.TierRemains;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Shows what is in a store and its tiers, in whatever state they are, and changes nothing: tiers,
 * topics, partitions, and the segments of each partition in the order of their offsets, with what
 * is damaged and what is missing.
 */
public final class StoreInspection {
    private static final int DEPTH = 4;
    private static final String STORE = "store";
    private static final int VERSION = 1;

    private static final String SOUND = "nothing is wrong";

    private final FileMedium medium;
    private final List<TierInspector> inspectors;
    private final List<String> lines = new ArrayList<>();
    private final List<Path> stores = new ArrayList<>();
    private final List<TierRemains> tiers = new ArrayList<>();

    private final Map<UUID, Map<Integer, List<SegmentFinding>>> logs = new LinkedHashMap<>();
    private final List<SegmentFinding> nameless = new ArrayList<>();
    private int flaws;

    private StoreInspection(FileMedium medium) {
        this.medium = medium;
        this.inspectors =
                ServiceLoader.load(TierInspector.class, TierInspector.class.getClassLoader())
                        .stream()
                        .map(ServiceLoader.Provider::get)
                        .toList();
    }

    /**
     * Returns a line for each thing in or below the directories; the last line says how many things
     * are wrong.
     *
     * @throws IOException when a directory cannot be read
     */
    public static List<String> of(FileMedium medium, List<Path> directories) throws IOException {
        StoreInspection inspection = new StoreInspection(medium);
        for (Path directory : directories) {
            inspection.find(directory.toAbsolutePath().normalize(), 0);
        }
        inspection.report(directories);
        return inspection.lines;
    }

    /**
     * Prints what is in or below the named directories. Exits with 1 when something is wrong, and
     * with 2 when a directory does not exist.
     */
    public static void main(String[] directories) throws IOException {
        List<Path> paths = new ArrayList<>();
        for (String directory : directories) {
            paths.add(Path.of(directory));
            if (!FileMedium.real().exists(Path.of(directory))) {
                System.err.println("There is no " + directory + ": name directories, or --help");
                System.exit(2);
            }
        }
        List<String> lines = of(FileMedium.real(), paths);
        lines.forEach(System.out::println);
        if (!lines.get(lines.size() - 1).equals(SOUND)) {
            System.exit(1);
        }
    }

    private void find(Path directory, int depth) throws IOException {
        List<String> names;
        try {
            names = medium.list(directory);
        } catch (NotDirectoryException e) {
            return;
        }
        for (TierInspector inspector : inspectors) {
            try {
                TierRemains found = inspector.inspect(medium, directory);
                if (found != null) {
                    tiers.add(found);
                }
            } catch (IOException e) {
                flaw("the tier in %s cannot be inspected: %s", directory, e.getMessage());
            }
        }
        Path topics = StoreFiles.topicsIn(directory);
        if (names.contains(topics.getFileName().toString())) {
            stores.add(directory);
        }
        for (String name : names) {
            boolean known = TopicScan.idOf(name) != null || topics.endsWith(name);
            if (depth < DEPTH && !known) {
                find(directory.resolve(name), depth + 1);
            }
        }
    }

    private void report(List<Path> directories) throws IOException {
        for (TierRemains tier : tiers) {
            say(
                    "tier %s: id %s, store %s",
                    tier.name(), known(tier.tierId()), known(tier.storeId()));
            tier.notes().forEach(note -> say("  %s", note));
            tier.flaws().forEach(flaw -> flaw("  %s", flaw));
            tier.segments().forEach(this::sort);
        }
        for (Path store : stores) {
            reportStore(store);
        }
        for (Map.Entry<UUID, Map<Integer, List<SegmentFinding>>> log : logs.entrySet()) {
            flaw(
                    "topic %s: UNKNOWN to the stores above, no topic file says its name",
                    log.getKey());
            log.getValue().forEach((partition, found) -> reportPartition(partition, 0, found));
        }
        for (SegmentFinding finding : nameless) {
            flaw("owner unknown: %s", finding);
            finding.damage.forEach(damage -> say("  DAMAGED: %s", damage));
        }
        if (stores.isEmpty() && tiers.isEmpty()) {
            flaw("no store and no tier in or below %s", directories);
        }
        say(flaws == 0 ? SOUND : "%d things are wrong", flaws);
    }

    private static Object known(UUID id) {
        return id == null ? "DESTROYED" : id;
    }

    private void sort(TierRemains.Remains remains) {
        SegmentFinding finding = new SegmentFinding(remains).look();
        if (remains.mark() == null) {
            nameless.add(finding);
            return;
        }
        logs.computeIfAbsent(remains.mark().topicId(), id -> new TreeMap<>())
                .computeIfAbsent(remains.mark().partition(), p -> new ArrayList<>())
                .add(finding);
    }

    private void reportStore(Path store) throws IOException {
        Map<String, String> identity = read(store.resolve(STORE), STORE);
        if (identity == null) {
            flaw("store %s: its file '%s' is MISSING or damaged", store, STORE);
        } else {
            say("store %s: id %s", store, identity.get("id"));
            for (String id : identity.getOrDefault("tiers", "").split(" ")) {
                List<String> found = new ArrayList<>();
                for (TierRemains tier : tiers) {
                    if (tier.tierId() != null && tier.tierId().toString().equals(id)) {
                        found.add(tier.name());
                    }
                }
                if (found.isEmpty() && !id.isEmpty()) {
                    flaw("  tier %s: NOT FOUND intact in the directories above", id);
                } else {
                    say("  tier %s: %s", id, String.join(", ", found));
                }
            }
        }
        Path topics = StoreFiles.topicsIn(store);
        Map<String, UUID> byName = new TreeMap<>();
        for (String directory : medium.list(topics)) {
            UUID id = TopicScan.idOf(directory);
            String name = id == null ? null : reportTopic(topics.resolve(directory), id);
            UUID other = name == null ? null : byName.put(name, id);
            if (other != null) {
                flaw("  topics %s and %s have ONE NAME: %s", other, id, name);
            }
        }
    }

    /** Returns the topic's name; null when it cannot be told, or it is being deleted. */
    private String reportTopic(Path directory, UUID id) throws IOException {
        Map<String, String> topic = read(directory.resolve("topic"), "topic");
        boolean deleted = topic != null && Boolean.parseBoolean(topic.get("deleted"));
        if (topic == null) {
            flaw("  topic %s: its topic file is MISSING or damaged", id);
        } else {
            say("  topic %s: id %s%s", topic.get("name"), id, deleted ? ", being deleted" : "");
        }
        Map<Integer, List<SegmentFinding>> partitions = logs.remove(id);
        int count = topic == null ? 0 : Integer.parseInt(topic.getOrDefault("partitions", "0"));
        for (int partition = 0; partition < count; partition++) {
            List<SegmentFinding> found = partitions == null ? null : partitions.remove(partition);
            Map<String, String> start = read(directory.resolve("start-" + partition), "start");
            long from = start == null ? 0 : Long.parseLong(start.get("offset"));
            reportPartition(partition, from, found == null ? List.of() : found);
        }
        if (partitions != null) {
            partitions.forEach((partition, found) -> reportPartition(partition, 0, found));
        }
        for (String name : medium.list(directory)) {
            if (name.startsWith("cursor-")) {
                say("    %s: %s", name, read(directory.resolve(name), "cursor"));
            }
        }
        return topic == null || deleted ? null : topic.get("name");
    }

    private void reportPartition(int partition, long start, List<SegmentFinding> found) {
        say("    partition %d: log start %d", partition, start);
        List<SegmentFinding> inOrder = new ArrayList<>(found);
        inOrder.sort(Comparator.comparingLong(SegmentFinding::from));
        long next = -1;
        for (SegmentFinding finding : inOrder) {
            if (!finding.isEmpty()) {
                // Below the log start there may be a part of a segment, or nothing.
                long expected = next < 0 ? start : next;
                if (finding.from() > expected) {
                    flaw("      offsets [%d, %d) are MISSING", expected, finding.from());
                } else if (next >= 0 && finding.from() < next) {
                    flaw("      the next one OVERLAPS the one before it");
                }
                next = Math.max(next, finding.to());
            }
            say("      %s", finding);
            finding.damage.forEach(damage -> flaw("        DAMAGED: %s", damage));
        }
    }

    /** Null when it is missing or damaged; the latter is reported. */
    private Map<String, String> read(Path file, String magic) {
        try {
            return SmallFile.read(medium, file, magic, VERSION);
        } catch (IOException e) {
            flaw("  DAMAGED: %s", e.getMessage());
            return null;
        }
    }

    private void flaw(String format, Object... arguments) {
        flaws++;
        say(format, arguments);
    }

    private void say(String format, Object... arguments) {
        lines.add(String.format(format, arguments));
    }
}
