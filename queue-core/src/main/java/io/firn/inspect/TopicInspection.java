package io.firn.inspect;

import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reports a topic: its files, and the segments of each partition in the order of their offsets. */
final class TopicInspection {
    /** More than a store can have. */
    private static final int MOST_PARTITIONS = 10_000_000;

    private final ReadableFiles files;
    private final Report report;

    /** What a topic's file says. */
    private record Description(String name, int partitions, boolean deleted) {
        static Description of(Fields fields) throws DamagedFileException {
            boolean isDeleted = fields.flag("deleted");
            int count = isDeleted ? 0 : fields.integer("partitions", 1, MOST_PARTITIONS);
            return new Description(fields.text("name"), count, isDeleted);
        }
    }

    TopicInspection(ReadableFiles files, Report report) {
        this.files = files;
        this.report = report;
    }

    /** Returns the topic's name; null when it cannot be told, or it is being deleted. */
    String topic(Path directory, UUID id, Map<Integer, List<SegmentFinding>> found) {
        Description topic =
                files.read(
                        directory.resolve(ReadableFiles.TOPIC),
                        ReadableFiles.TOPIC,
                        Description::of,
                        null);
        if (topic == null) {
            report.flaw("  topic %s: its topic file is MISSING, damaged or unreadable", id);
        } else {
            String deleted = topic.deleted ? ", being deleted" : "";
            report.say("  topic %s: id %s%s", Fields.shown(topic.name), id, deleted);
        }
        int count = topic == null ? 0 : topic.partitions;
        for (int partition = 0; partition < count; partition++) {
            List<SegmentFinding> segments = found.remove(partition);
            partition(
                    partition,
                    logStart(directory, partition),
                    segments == null ? List.of() : segments);
        }
        found.forEach((partition, segments) -> partition(partition, 0, segments));
        for (String name : files.list(directory)) {
            if (name.startsWith(ReadableFiles.CURSOR + "-")) {
                Fields cursor = files.read(directory.resolve(name), ReadableFiles.CURSOR);
                String positions = cursor == null ? "UNKNOWN" : cursor.values().toString();
                report.say("    %s: %s", Fields.shown(name), positions);
            }
        }
        return topic == null || topic.deleted ? null : topic.name;
    }

    private long logStart(Path directory, int partition) {
        Path file = directory.resolve(ReadableFiles.START + "-" + partition);
        return files.read(file, ReadableFiles.START, start -> start.offset("offset"), 0L);
    }

    void partition(int partition, long start, List<SegmentFinding> found) {
        report.say("    partition %d: log start %d", partition, start);
        List<SegmentFinding> inOrder = new ArrayList<>(found);
        inOrder.sort(Comparator.comparingLong(SegmentFinding::from));
        long next = -1;
        for (SegmentFinding finding : inOrder) {
            if (found.stream().anyMatch(other -> other.replaces(finding))) {
                report.say("      %s; replaced by compaction, the next open deletes it", finding);
                continue;
            }
            if (!finding.isEmpty()) {
                // Below the log start there may be a part of a segment, or nothing.
                long expected = next < 0 ? start : next;
                if (finding.from() > expected) {
                    report.flaw("      offsets [%d, %d) are MISSING", expected, finding.from());
                } else if (next >= 0 && finding.from() < next) {
                    report.flaw("      the next one OVERLAPS the one before it");
                }
                next = Math.max(next, finding.to());
            }
            report.say("      %s", finding);
            finding.damage().forEach(damage -> report.flaw("        DAMAGED: %s", damage));
        }
    }
}
