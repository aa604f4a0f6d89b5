package io.firn.inspect;

import io.firn.spi.TierRemains;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** The segments of all tiers, by the topics and partitions that their marks name. */
final class FoundSegments {
    private final Map<UUID, Map<Integer, List<SegmentFinding>>> logs = new LinkedHashMap<>();
    private final List<SegmentFinding> nameless = new ArrayList<>();

    /** Verifies a segment, and adds it to its partition. */
    void add(TierRemains.Remains remains) {
        SegmentFinding finding = new SegmentFinding(remains).look();
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

    /** Those that nobody has taken. */
    Map<UUID, Map<Integer, List<SegmentFinding>>> others() {
        return logs;
    }

    /** Those of which nothing says whose they are. */
    List<SegmentFinding> nameless() {
        return nameless;
    }
}
