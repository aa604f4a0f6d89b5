package io.firn.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.CursorMetrics;
import io.firn.FirnException;
import io.firn.Tailer;
import io.firn.Verdict;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How far the cursors of a topic are behind. The timestamp of the next record is read once for each
 * position, so that cursors that rest cost no reads. Thread-safe.
 */
final class CursorLags {
    private static final long UNREADABLE = -1;

    private final Cursors cursors;

    @GuardedBy("this")
    private Map<Place, NextRecord> known = Map.of();

    CursorLags(Cursors cursors) {
        this.cursors = cursors;
    }

    private record Place(String cursor, int partition) {}

    private record NextRecord(long offset, long timestampMs) {}

    private record Lag(
            String cursor, int partition, long offset, long lagRecords, long lagBytes, long lagMs)
            implements CursorMetrics {}

    /** The lag of each cursor in each partition where it has a position. */
    synchronized List<CursorMetrics> of(List<PartitionLog> partitions) {
        List<CursorMetrics> lags = new ArrayList<>();
        Map<Place, NextRecord> read = new HashMap<>();
        for (PartitionLog partition : partitions) {
            cursors.offsets(partition.index())
                    .forEach((name, offset) -> lags.add(lag(partition, name, offset, read)));
        }
        known = read;
        return List.copyOf(lags);
    }

    @GuardedBy("this")
    private Lag lag(PartitionLog partition, String name, long offset, Map<Place, NextRecord> read) {
        long end = partition.visibleOffset();
        long from = Math.min(end, Math.max(offset, partition.logStartOffset()));
        long ageMs = 0;
        if (from < end) {
            Place place = new Place(name, partition.index());
            NextRecord next = known.get(place);
            if (next == null || next.offset() != from || next.timestampMs() == UNREADABLE) {
                next = new NextRecord(from, timestampMs(partition, from));
            }
            read.put(place, next);
            long nowMs = partition.log().store().timeMs();
            ageMs =
                    next.timestampMs() == UNREADABLE
                            ? UNREADABLE
                            : Math.max(0, nowMs - next.timestampMs());
        }
        long bytes = bytesFrom(partition.log(), from);
        return new Lag(name, partition.index(), offset, end - from, bytes, ageMs);
    }

    private static long timestampMs(PartitionLog partition, long offset) {
        long[] timestampMs = {UNREADABLE};
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(offset);
            tailer.poll(
                    record -> {
                        timestampMs[0] = record.timestamp();
                        return Verdict.STOP;
                    },
                    1);
        } catch (FirnException e) {
            return UNREADABLE; // it is damaged, or retention was faster
        }
        return timestampMs[0];
    }

    private static long bytesFrom(SegmentedLog log, long offset) {
        long bytes = 0;
        for (LogSegment segment : log.segments()) {
            long pair = segment.end();
            long end = segment.offsetOf(pair);
            long written = LogSegment.positionOf(pair);
            if (segment.baseOffset >= offset) {
                bytes += written;
            } else if (end > offset) {
                double share = (double) (end - offset) / (end - segment.baseOffset);
                bytes += Math.round(written * share);
            }
        }
        return bytes;
    }
}
