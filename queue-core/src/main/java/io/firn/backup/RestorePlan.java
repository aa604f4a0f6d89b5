package io.firn.backup;

import io.firn.Backup.Part;
import io.firn.RestoreOptions;
import io.firn.UnknownTopicException;
import io.firn.medium.MediumFile;
import io.firn.spi.Mark;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** What a restore makes of a backup: the chosen topics, each partition up to its limit. */
final class RestorePlan {
    private final SavedBackup saved;
    private final RestoreOptions options;
    private final Map<UUID, PlannedTopic> topics = new LinkedHashMap<>();

    /**
     * A topic to be made.
     *
     * @param partitions by their numbers
     */
    record PlannedTopic(SavedTopic saved, List<PlannedPartition> partitions) {
        /** Returns where each partition ends. */
        long[] ends() {
            return partitions.stream().mapToLong(PlannedPartition::end).toArray();
        }

        boolean isCut() {
            return partitions.stream().anyMatch(PlannedPartition::isCut);
        }
    }

    /**
     * A partition to be made.
     *
     * @param end the offset after its last record
     * @param isCut whether the backup has more
     */
    record PlannedPartition(long start, long end, boolean isCut, List<Piece> pieces) {}

    /**
     * A segment, or the beginning of one.
     *
     * @param mark the one that it gets
     */
    record Piece(SavedSegment segment, Mark mark) {}

    RestorePlan(SavedBackup saved, RestoreOptions options) throws IOException {
        this.saved = saved;
        this.options = options;
        checkNames();
        for (SavedTopic each : saved.topics()) {
            if (each.isJournal() || options.topics().isEmpty() || isChosen(each)) {
                topics.put(each.id(), plan(each));
            }
        }
    }

    private boolean isChosen(SavedTopic topic) {
        return options.topics().contains(topic.name());
    }

    private void checkNames() {
        Set<String> unknown = new TreeSet<>(options.topics());
        unknown.addAll(options.topicsWithOffsets());
        saved.topics().stream()
                .filter(each -> !each.isJournal())
                .forEach(each -> unknown.remove(each.name()));
        if (!unknown.isEmpty()) {
            throw new UnknownTopicException(
                    "the backup in " + saved.root() + " has no topics " + unknown);
        }
    }

    Map<UUID, PlannedTopic> topics() {
        return topics;
    }

    /** Returns the segments that are read, which are compared as a whole. */
    List<SavedSegment> segments() {
        return topics.values().stream()
                .flatMap(topic -> topic.partitions().stream())
                .flatMap(partition -> partition.pieces().stream())
                .map(Piece::segment)
                .toList();
    }

    /**
     * Returns whether there are limits. What the journal has decided and not carried out is then
     * left out: its data may be cut off.
     */
    private boolean hasLimits() {
        return options.untilTime().isPresent() || !options.topicsWithOffsets().isEmpty();
    }

    private PlannedTopic plan(SavedTopic topic) throws IOException {
        List<PlannedPartition> partitions = new ArrayList<>();
        for (SavedPartition each : topic.partitions()) {
            if (topic.isJournal() && hasLimits()) {
                // Numbers of decisions go on from here, since cursors remember theirs.
                partitions.add(new PlannedPartition(each.end(), each.end(), true, List.of()));
            } else {
                partitions.add(plan(each, cutOf(topic, each)));
            }
        }
        return new PlannedTopic(topic, partitions);
    }

    private LogCut cutOf(SavedTopic topic, SavedPartition partition) {
        if (topic.isJournal()) {
            return LogCut.NONE;
        }
        return new LogCut(
                options.untilOffset(topic.name(), partition.index()).orElse(Long.MAX_VALUE),
                options.untilTime().map(RestorePlan::toMillis).orElse(Long.MAX_VALUE));
    }

    /** A time beyond what a timestamp can be is no limit. */
    private static long toMillis(Instant time) {
        try {
            return time.toEpochMilli();
        } catch (ArithmeticException e) {
            return time.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    private PlannedPartition plan(SavedPartition partition, LogCut cut) throws IOException {
        List<Piece> pieces = new ArrayList<>();
        for (SavedSegment each : partition.segments()) {
            Mark mark = each.mark();
            if (!cut.isNone(mark.offset())) {
                try (MediumFile file = saved.open(each)) {
                    mark = cut.of(file, mark);
                }
            }
            if (mark.position() > 0) {
                pieces.add(new Piece(each, mark));
            }
            if (mark.offset() < each.mark().offset()) {
                long end = Math.max(partition.start(), mark.offset());
                pieces.removeIf(piece -> piece.mark().offset() <= partition.start());
                return new PlannedPartition(partition.start(), end, true, pieces);
            }
        }
        return new PlannedPartition(partition.start(), partition.end(), false, pieces);
    }

    /** Returns the partitions that are made, without the journal. */
    List<Part> parts() {
        List<Part> parts = new ArrayList<>();
        for (PlannedTopic topic : topics.values()) {
            for (int i = 0; i < topic.partitions().size() && !topic.saved().isJournal(); i++) {
                PlannedPartition each = topic.partitions().get(i);
                parts.add(new Part(topic.saved().name(), i, each.start(), each.end()));
            }
        }
        return parts;
    }
}
