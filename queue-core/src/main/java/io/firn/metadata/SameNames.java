package io.firn.metadata;

import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Refuses to open a store with two topics of one name: only a person can decide which one is meant,
 * so the message shows what is in each.
 */
public final class SameNames {
    private SameNames() {}

    /**
     * Throws when topics share a name.
     *
     * @param topics the directory with a directory for each topic
     * @param shared names with the ids of their topics
     * @param found the segments of all tiers, by topic
     */
    public static void refuse(
            Path topics, Map<String, List<UUID>> shared, Map<UUID, List<Block>> found)
            throws IOException {
        if (shared.isEmpty()) {
            return;
        }
        StringBuilder text = new StringBuilder(400);
        shared.forEach(
                (name, ids) -> {
                    text.append(ids.size()).append(" topics have the name '").append(name);
                    text.append("': ");
                    for (UUID id : ids) {
                        text.append(topics.resolve(id.toString()));
                        text.append(" with ");
                        text.append(contents(found.getOrDefault(id, List.of()))).append("; ");
                    }
                });
        text.append(
                "no topic was changed. Keep one of each name: move the directory of the other, and"
                        + " the segments of that id, away, and open the store again. Opened"
                        + " read-only it serves its other topics");
        throw new IOException(text.toString());
    }

    private static String contents(List<Block> segments) {
        Map<Integer, Range> byPartition = new TreeMap<>();
        long bytes = 0;
        for (Block segment : segments) {
            Mark mark = segment.mark();
            bytes += segment.usedBytes();
            if (mark.state() != SegmentState.RESERVED) {
                byPartition.merge(mark.partition(), Range.of(mark), Range::join);
            }
        }
        StringBuilder text = new StringBuilder(80);
        text.append(segments.size()).append(" segments of ").append(bytes).append(" bytes");
        byPartition.forEach(
                (partition, range) ->
                        text.append(", partition ")
                                .append(partition)
                                .append(" with offsets ")
                                .append(range));
        return text.toString();
    }

    /** The range of offsets that is durable by the marks. */
    private record Range(long from, long to) {
        static Range of(Mark mark) {
            return new Range(mark.baseOffset(), Math.max(mark.baseOffset(), mark.offset()));
        }

        Range join(Range other) {
            return new Range(Math.min(from, other.from), Math.max(to, other.to));
        }

        @Override
        public String toString() {
            return "[" + from + ", " + to + ")";
        }
    }
}
