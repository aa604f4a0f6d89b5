package io.firn.inspect;

import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.medium.WithoutLinks;
import io.firn.metadata.TopicScan;
import io.firn.spi.TierInspector.TierRemains;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Shows what is in a store and its tiers, in whatever state they are, and changes nothing: tiers,
 * topics, partitions, and the segments of each partition in the order of their offsets, with what
 * is damaged and what is missing.
 */
public final class StoreInspection {
    private final Report report = new Report();
    private final InspectionScope scope;
    private final ReadableFiles files;
    private final TopicInspection topics;
    private final FoundSegments segments;

    private StoreInspection(FileMedium medium, boolean isDeep) {
        this.segments = new FoundSegments(isDeep);
        this.scope = new InspectionScope(medium, report);
        this.files = new ReadableFiles(medium, report);
        this.topics = new TopicInspection(files, report);
    }

    /**
     * Returns what is in or below the directories. Changes nothing and acquires no lock; while a
     * process writes, the result may be partly old and partly new.
     *
     * @param isDeep whether to verify each batch, also of sealed segments
     * @throws IOException when a directory cannot be read
     */
    public static Report of(FileMedium medium, List<Path> directories, boolean isDeep)
            throws IOException {
        List<Path> absolute =
                directories.stream().map(each -> each.toAbsolutePath().normalize()).toList();
        return new StoreInspection(WithoutLinks.below(absolute, medium), isDeep).inspect(absolute);
    }

    private Report inspect(List<Path> directories) throws IOException {
        for (Path directory : directories) {
            scope.search(directory);
        }
        scope.tiers().forEach(this::tier);
        for (Path store : scope.stores()) {
            store(store);
        }
        segments.others().forEach(this::unknownTopic);
        for (SegmentFinding finding : segments.nameless()) {
            report.flaw("owner unknown: %s", finding);
            finding.damage().forEach(damage -> report.say("  DAMAGED: %s", damage));
        }
        if (scope.stores().isEmpty() && scope.tiers().isEmpty()) {
            report.flaw("no store and no tier in or below %s", directories);
        }
        report.conclude();
        return report;
    }

    private void tier(TierRemains tier) {
        report.say(
                "tier %s: id %s, store %s",
                tier.name(), known(tier.tierId()), known(tier.storeId()));
        tier.notes().forEach(note -> report.say("  %s", note));
        tier.flaws().forEach(flaw -> report.flaw("  %s", flaw));
        tier.segments().forEach(segments::add);
    }

    private static Object known(UUID id) {
        return id == null ? "DESTROYED" : id;
    }

    private void store(Path store) {
        Fields identity = files.read(store.resolve(ReadableFiles.STORE), ReadableFiles.STORE);
        if (identity == null) {
            report.flaw(
                    "store %s: its file '%s' is MISSING, damaged or unreadable",
                    store, ReadableFiles.STORE);
        } else {
            String storeId = identity.values().getOrDefault("id", "UNKNOWN");
            report.say("store %s: id %s", store, Fields.shown(storeId));
            for (String id : identity.words("tiers")) {
                tierOfStore(id);
            }
        }
        Path directories = store.resolve(ReadableFiles.TOPICS);
        Map<String, UUID> byName = new TreeMap<>();
        for (String directory : files.list(directories)) {
            UUID id = TopicScan.idOf(directory);
            String name =
                    id == null
                            ? null
                            : topics.topic(directories.resolve(directory), id, segments.take(id));
            UUID other = name == null ? null : byName.put(name, id);
            if (other != null) {
                report.flaw("  topics %s and %s have ONE NAME: %s", other, id, name);
            }
        }
    }

    private void tierOfStore(String id) {
        List<String> found = new ArrayList<>();
        for (TierRemains tier : scope.tiers()) {
            if (tier.tierId() != null && tier.tierId().toString().equals(id)) {
                found.add(tier.name());
            }
        }
        if (found.isEmpty()) {
            report.flaw("  tier %s: NOT FOUND intact in the directories above", Fields.shown(id));
        } else {
            report.say("  tier %s: %s", id, String.join(", ", found));
        }
    }

    private void unknownTopic(UUID id, Map<Integer, List<SegmentFinding>> partitions) {
        report.flaw("topic %s: UNKNOWN to the stores above, no topic file says its name", id);
        partitions.forEach((partition, found) -> topics.partition(partition, 0, found));
    }

    /** The segments of all tiers, by the topics and partitions that their marks name. */
    static final class FoundSegments {
        private final Map<UUID, Map<Integer, List<SegmentFinding>>> logs = new LinkedHashMap<>();
        private final List<SegmentFinding> nameless = new ArrayList<>();
        private final boolean isDeep;

        FoundSegments(boolean isDeep) {
            this.isDeep = isDeep;
        }

        /** Inspects a segment, and adds it to its partition. */
        void add(TierRemains.Remains remains) {
            SegmentFinding finding = new SegmentFinding(remains).look(isDeep);
            if (remains.mark() == null) {
                nameless.add(finding);
                return;
            }
            logs.computeIfAbsent(remains.mark().topicId(), id -> new TreeMap<>())
                    .computeIfAbsent(remains.mark().partition(), p -> new ArrayList<>())
                    .add(finding);
        }

        /** Removes and returns the segments of a topic, by partition. */
        Map<Integer, List<SegmentFinding>> take(UUID topicId) {
            Map<Integer, List<SegmentFinding>> found = logs.remove(topicId);
            return found == null ? new TreeMap<>() : found;
        }

        /** Those that were not taken. */
        Map<UUID, Map<Integer, List<SegmentFinding>>> others() {
            return logs;
        }

        /** Those of which nothing says whose they are. */
        List<SegmentFinding> nameless() {
            return nameless;
        }
    }
}
