package io.firn.backup;

import io.firn.UnknownTopicException;
import io.firn.backup.BackupSource.SourceTopic;
import io.firn.cursor.CursorSnapshot;
import io.firn.force.PartitionForcer;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext;
import java.util.ArrayList;
import java.util.List;

/**
 * The point in time that a backup is as of. The order:
 *
 * <ol>
 *   <li>cursors are read, and compactions held, since one would remove what was the latest record
 *       of its key at that time;
 *   <li>while the journal is still, the positions of cursors are taken, and after all of them the
 *       ends of the partitions, of which the journal is the first;
 *   <li>everything below these ends is forced: what was written counts.
 * </ol>
 */
final class StorePoint {
    private final List<TopicPoint> topics = new ArrayList<>();
    private final long timeMs;

    private StorePoint(long timeMs) {
        this.timeMs = timeMs;
    }

    /** A topic at that time. */
    record TopicPoint(SourceTopic source, CursorSnapshot cursors, List<PartitionPoint> partitions) {
        TopicContext context() {
            return source.context();
        }
    }

    /**
     * A partition at that time.
     *
     * @param start the log start offset
     * @param end the next offset
     * @param tail the end of the segment that was appended to
     * @param truncations how often the log was truncated
     */
    record PartitionPoint(
            PartitionForcer forcer, long start, long end, Tail tail, long truncations) {
        SegmentedLog log() {
            return forcer.log();
        }
    }

    /**
     * The end of the segment that was appended to.
     *
     * @param segment null for none
     * @param bytes those below the end
     */
    record Tail(LogSegment segment, int bytes) {
        static final Tail NONE = new Tail(null, 0);
    }

    List<TopicPoint> topics() {
        return topics;
    }

    long timeMs() {
        return timeMs;
    }

    /** Looks at a store; returns when everything below the ends is durable. */
    static StorePoint of(BackupSource source, List<SourceTopic> topics) {
        StorePoint point = new StorePoint(source.context().timeMs());
        List<SourceTopic> present =
                topics.stream().filter(topic -> isThere(topic.cursors()::readAll)).toList();
        source.whileStill(() -> point.look(present));
        point.topics.removeIf(topic -> !isThere(() -> awaitForces(topic)));
        return point;
    }

    /** Runs something; returns false when the topic was deleted meanwhile. */
    private static boolean isThere(Runnable step) {
        try {
            step.run();
            return true;
        } catch (UnknownTopicException e) {
            return false;
        }
    }

    private static void awaitForces(TopicPoint topic) {
        for (PartitionPoint each : topic.partitions()) {
            each.forcer().awaitDurable(each.end());
        }
    }

    /** All in memory: commits of transactions wait meanwhile. */
    private void look(List<SourceTopic> all) {
        for (SourceTopic each : all) {
            topics.add(new TopicPoint(each, each.cursors().snapshot(), new ArrayList<>()));
        }
        for (TopicPoint topic : topics) {
            for (PartitionForcer each : topic.source().partitions()) {
                topic.partitions().add(look(each));
            }
        }
    }

    /** Looks until the ends of the segment and of the log agree, which an append sets in turn. */
    private static PartitionPoint look(PartitionForcer forcer) {
        SegmentedLog log = forcer.log();
        long truncations = log.truncations().count();
        long start = log.logStartOffset();
        while (true) {
            boolean isPoisoned = log.state().isPoisoned(); // what is not forced never will be
            LogSegment last =
                    isPoisoned ? log.segmentFor(log.durableOffset()) : log.activeSegment();
            long pair = last == null ? 0 : isPoisoned ? last.forcedEnd() : last.end();
            long end = isPoisoned ? log.durableOffset() : log.nextOffset();
            if (last != null && last.offsetOf(pair) == end) {
                Tail tail = new Tail(last, LogSegment.positionOf(pair));
                return new PartitionPoint(forcer, start, end, tail, truncations);
            }
            if (last == null && (isPoisoned || log.activeSegment() == null)) {
                return new PartitionPoint(forcer, start, end, Tail.NONE, truncations);
            }
            Thread.onSpinWait();
        }
    }
}
