package io.firn.cursor;

import io.firn.CursorReader;
import io.firn.FirnException;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.annotation.concurrent.GuardedBy;

/**
 * How far the cursors of a topic are behind. The next record is looked up once for each position,
 * so that cursors that rest cost no reads. After compaction it may be behind a gap, and behind the
 * last record there may be offsets that no reader waits for. Thread-safe.
 */
public final class CursorLags {
    private static final long UNREADABLE = -1;
    private static final long NO_POSITION = -1;

    private final Cursors cursors;

    @GuardedBy("this")
    private Map<Place, NextRecord> known = Map.of();

    public CursorLags(Cursors cursors) {
        this.cursors = cursors;
    }

    private record Place(String cursor, int partition) {}

    /**
     * The first record from an offset on.
     *
     * @param offset its offset; where there is none, the visible end that was looked up to
     */
    private record NextRecord(long from, long offset, long timestampMs, boolean exists) {

        /** Returns whether it is still the next one, or would be found by searching from here. */
        boolean isFor(long place, long end) {
            return timestampMs != UNREADABLE
                    && (exists ? from <= place && place <= offset : place == from && offset == end);
        }
    }

    /** Named as what it implements, since its text begins with the name. */
    private record CursorMetrics(
            String cursor,
            int partition,
            long offset,
            long lagRecords,
            long lagBytes,
            Optional<Duration> lagTime)
            implements CursorReader.CursorMetrics {}

    /**
     * The lag of each cursor in each partition where it has a position, and of each that retention
     * waits for by its name: one without a position keeps everything, so that it must be seen.
     */
    public synchronized List<CursorReader.CursorMetrics> of(List<? extends Partition> partitions) {
        List<CursorReader.CursorMetrics> lags = new ArrayList<>();
        Map<Place, NextRecord> read = new HashMap<>();
        for (Partition partition : partitions) {
            Map<String, Long> offsets = new TreeMap<>(cursors.offsets(partition.index()));
            for (String name : cursors.topic().options().retainUntilRead().cursors()) {
                offsets.putIfAbsent(name, NO_POSITION);
            }
            offsets.forEach((name, offset) -> lags.add(lag(partition, name, offset, read)));
        }
        known = read;
        return List.copyOf(lags);
    }

    @GuardedBy("this")
    private CursorMetrics lag(
            Partition partition, String name, long offset, Map<Place, NextRecord> read) {
        long end = partition.visibleOffset();
        long from = Math.min(end, Math.max(offset, partition.logStartOffset()));
        long ageMs = 0;
        if (from < end) {
            Place place = new Place(name, partition.index());
            NextRecord next = known.get(place);
            if (next == null || !next.isFor(from, end)) {
                // What was found to have no records still has none.
                boolean goesOn = next != null && !next.exists() && next.from() == from;
                long searched = goesOn ? Math.max(from, Math.min(end, next.offset())) : from;
                next = nextRecord(partition, from, searched);
            }
            read.put(place, next);
            from = Math.min(end, Math.max(from, next.offset()));
            long nowMs = cursors.topic().store().timeMs();
            ageMs =
                    next.timestampMs() == UNREADABLE
                            ? UNREADABLE
                            : next.exists() ? Math.max(0, nowMs - next.timestampMs()) : 0;
        }
        long bytes = bytesFrom(cursors.log(partition.index()), from);
        Optional<Duration> age =
                ageMs == UNREADABLE ? Optional.empty() : Optional.of(Duration.ofMillis(ageMs));
        return new CursorMetrics(name, partition.index(), offset, end - from, bytes, age);
    }

    private static NextRecord nextRecord(Partition partition, long from, long searched) {
        NextRecord[] found = new NextRecord[1];
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(searched);
            tailer.poll(
                    record -> {
                        long timestampMs = record.timestamp();
                        found[0] = new NextRecord(from, record.offset(), timestampMs, true);
                        return Action.STOP;
                    },
                    1);
            return found[0] == null ? new NextRecord(from, tailer.offset(), 0, false) : found[0];
        } catch (FirnException e) {
            // It is damaged, or retention was faster.
            return new NextRecord(from, from, UNREADABLE, true);
        }
    }

    private static long bytesFrom(SegmentedLog log, long offset) {
        long bytes = 0;
        for (LogSegment segment : log.segments()) {
            long pair = segment.end();
            long end = segment.offsetOf(pair);
            long written = LogSegment.positionOf(pair);
            if (segment.baseOffset() >= offset) {
                bytes += written;
            } else if (end > offset) {
                double share = (double) (end - offset) / (end - segment.baseOffset());
                bytes += Math.round(written * share);
            }
        }
        return bytes;
    }
}
