package io.firn.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The segments of a partition in the order of their offsets; only the last ones are not sealed.
 * Readers get an array that is never changed: each change replaces it. Thread-safe.
 */
public final class SegmentList {
    private final Object changing = new Object(); // no other code is called under it
    private volatile LogSegment[] all;

    SegmentList(List<LogSegment> segments) {
        all = segments.toArray(new LogSegment[0]);
    }

    /** Not to be changed by the caller. */
    LogSegment[] all() {
        return all;
    }

    /**
     * The segment that holds the offset or, between two, the later one; null when there is none.
     */
    LogSegment find(long offset) {
        LogSegment[] now = all;
        int low = 0;
        int high = now.length - 1;
        while (low <= high) {
            int mid = (low + high) >>> 1;
            if (now[mid].endOffset() <= offset) {
                low = mid + 1;
            } else {
                high = mid - 1;
            }
        }
        return low < now.length ? now[low] : null;
    }

    /** The segment that was begun last; null when there is none. */
    LogSegment last() {
        LogSegment[] now = all;
        return now.length == 0 ? null : now[now.length - 1];
    }

    /** The segment that is appended to; null when there is none. */
    LogSegment active() {
        LogSegment last = last();
        return last == null || last.endOffset() != LogSegment.OPEN ? null : last;
    }

    /** The oldest segment that is not sealed; null when there is none. */
    public LogSegment oldestUnsealed() {
        LogSegment[] now = all;
        int i = firstUnsealed(now);
        return i < now.length ? now[i] : null;
    }

    /** Index of the oldest segment that is not sealed. */
    public static int firstUnsealed(LogSegment[] segments) {
        int i = segments.length;
        while (i > 0 && !segments[i - 1].isSealed()) {
            i--;
        }
        return i;
    }

    /** Bytes of all batches. */
    public long bytes() {
        long bytes = 0;
        for (LogSegment segment : all) {
            bytes += segment.written();
        }
        return bytes;
    }

    void add(LogSegment segment) {
        synchronized (changing) {
            LogSegment[] now = Arrays.copyOf(all, all.length + 1);
            now[now.length - 1] = segment;
            all = now;
        }
    }

    @SuppressWarnings("ReferenceEquality") // this very segment
    public void removeFirst(LogSegment segment) {
        synchronized (changing) {
            LogSegment[] now = all;
            if (now.length > 0 && now[0] == segment) {
                all = Arrays.copyOfRange(now, 1, now.length);
            }
        }
    }

    /** Takes out the last segment, into which nothing was written. */
    @SuppressWarnings("ReferenceEquality") // this very segment
    void removeLast(LogSegment segment) {
        synchronized (changing) {
            LogSegment[] now = all;
            if (now.length > 0 && now[now.length - 1] == segment) {
                all = Arrays.copyOf(now, now.length - 1);
            }
        }
    }

    /** Takes out the segments that begin at an offset or above it, and returns them in order. */
    List<LogSegment> removeFrom(long offset) {
        synchronized (changing) {
            LogSegment[] now = all;
            int kept = now.length;
            while (kept > 0 && now[kept - 1].baseOffset() >= offset) {
                kept--;
            }
            all = Arrays.copyOf(now, kept);
            return List.of(Arrays.copyOfRange(now, kept, now.length));
        }
    }

    /** Replaces neighbours, which are in the list, by one segment. */
    @SuppressWarnings("ReferenceEquality") // these very segments
    void replace(List<LogSegment> sources, LogSegment made) {
        synchronized (changing) {
            List<LogSegment> now = new ArrayList<>(Arrays.asList(all));
            int at = 0;
            while (now.get(at) != sources.get(0)) {
                at++;
            }
            now.subList(at, at + sources.size()).clear();
            now.add(at, made);
            all = now.toArray(new LogSegment[0]);
        }
    }

    /**
     * Adds those of the found segments that are missing. Removes only one that a found one takes
     * the place of, because it begins at the same offset: as long as its end is not known, it would
     * hold every offset above it.
     */
    void addMissing(LogSegment[] found) {
        synchronized (changing) {
            if (!Arrays.equals(found, all)) {
                NavigableMap<Long, LogSegment> byBase = new TreeMap<>();
                Stream.concat(Arrays.stream(all), Arrays.stream(found))
                        .forEach(segment -> byBase.put(segment.baseOffset(), segment));
                all = byBase.values().toArray(new LogSegment[0]);
            }
        }
    }

    void replace(LogSegment[] found) {
        synchronized (changing) {
            all = found;
        }
    }
}
