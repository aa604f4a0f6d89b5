package io.firn.log;

import io.firn.spi.Block.Sidecar;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The positions of batches in a segment, by offset and by timestamp, with one entry for about every
 * 4 KiB. One thread adds entries; others read those that were added before the offsets that they
 * see were published.
 *
 * <p>As bytes it is Kafka's {@code .index} (last offset of a batch less the segment's base,
 * position of that batch) and {@code .timeindex} (largest timestamp so far, last offset of its
 * batch less the base).
 */
public final class SparseIndex {
    static final int INTERVAL_BYTES = Sidecar.INTERVAL_BYTES;
    private static final int OFFSET_ENTRY = Sidecar.INDEX.entryBytes();
    private static final int TIME_ENTRY = Sidecar.TIMEINDEX.entryBytes();

    /** Entries that there is room for at first. */
    private static final int FEW = 4;

    private static final VarHandle COUNT;
    private static final VarHandle TIME_COUNT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            COUNT = lookup.findVarHandle(SparseIndex.class, "count", int.class);
            TIME_COUNT = lookup.findVarHandle(SparseIndex.class, "timeCount", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The most entries that whole batches can need. */
    private final int mostEntries;

    private final int intervalBytes;

    // Replaced by larger ones before the count that needs them is published. A reader reads the
    // count first.
    private int[] lastOffsets;
    private int[] positions;
    private long[] times;
    private int[] timeOffsets;
    private volatile int count;
    private volatile int timeCount;

    private int bytesSinceEntry;
    private long maxTimestamp = -1;
    private int maxTimestampOffset;

    /**
     * Creates an empty index for a segment of that many bytes, with room for a few entries. It
     * grows, since most partitions never fill a segment.
     */
    public SparseIndex(int segmentBytes) {
        this(segmentBytes / INTERVAL_BYTES + 1, FEW, FEW, INTERVAL_BYTES);
    }

    private SparseIndex(int mostEntries, int entries, int timeEntries, int intervalBytes) {
        this.mostEntries = mostEntries;
        this.intervalBytes = intervalBytes;
        lastOffsets = new int[entries];
        positions = new int[entries];
        times = new long[timeEntries];
        timeOffsets = new int[timeEntries];
    }

    /**
     * Creates an empty index with room for all batches of a segment of that many bytes, so that no
     * append to it allocates.
     */
    public static SparseIndex roomy(int segmentBytes) {
        int most = segmentBytes / INTERVAL_BYTES + 1;
        return new SparseIndex(most, most, most + 1, INTERVAL_BYTES); // one more time, the last one
    }

    /**
     * Creates an empty index for a segment of that many bytes that grows to a number of entries at
     * most. If there were more, their distance is larger.
     */
    public static SparseIndex small(int segmentBytes, int mostEntries) {
        int interval = Math.max(INTERVAL_BYTES, segmentBytes / mostEntries + 1);
        return new SparseIndex(segmentBytes / interval + 1, FEW, FEW, interval);
    }

    /**
     * Adds a batch.
     *
     * @param lastOffset its last offset, relative to the segment
     */
    public void onBatch(int position, int size, int lastOffset, long batchMaxTimestamp) {
        if (batchMaxTimestamp > maxTimestamp) {
            maxTimestamp = batchMaxTimestamp;
            maxTimestampOffset = lastOffset;
        }
        // Whole batches need no more entries than there is room for. Damaged ones may seem to
        // overlap; without some entries a search begins earlier.
        if (bytesSinceEntry > intervalBytes && count < mostEntries) {
            addEntry(position, lastOffset);
            addTime();
            bytesSinceEntry = 0;
        }
        bytesSinceEntry += size;
    }

    private void addEntry(int position, int lastOffset) {
        int n = count;
        if (n == lastOffsets.length) {
            int[] larger = Arrays.copyOf(lastOffsets, larger(n));
            int[] largerPositions = Arrays.copyOf(positions, larger(n)); // both or none
            VarHandle.releaseFence(); // a reader of the new arrays sees what was copied
            positions = largerPositions;
            lastOffsets = larger;
        }
        lastOffsets[n] = lastOffset;
        positions[n] = position;
        COUNT.setRelease(this, n + 1);
    }

    private static int larger(int length) {
        return Math.max(FEW, 2 * length);
    }

    /** Adds the last timestamp, because the segment is complete. */
    public void complete() {
        if (maxTimestamp >= 0) {
            addTime();
        }
    }

    /** Returns the largest timestamp; −1 when there is none. */
    public long maxTimestamp() {
        return maxTimestamp;
    }

    /** Returns the last entry whose batch ends at or before the offset (relative); −1 for none. */
    int entryBefore(int offset) {
        int n = count;
        return lastAtMost(lastOffsets, n, offset);
    }

    /**
     * Returns the last entry whose batch ends at or before an offset (relative) and begins at or
     * before a position; −1 for none.
     */
    int entryBefore(int offset, int position) {
        int n = count;
        return Math.min(lastAtMost(lastOffsets, n, offset), lastAtMost(positions, n, position));
    }

    /** Returns the position of an entry's batch. */
    int position(int entry) {
        return positions[entry];
    }

    /** Returns the last offset (relative) of an entry's batch. */
    int lastOffset(int entry) {
        return lastOffsets[entry];
    }

    /** Returns the last entry with a smaller timestamp; −1 for none. */
    int timeBefore(long timestamp) {
        int low = 0;
        int high = timeCount - 1;
        while (low <= high) {
            int mid = (low + high) >>> 1;
            if (times[mid] < timestamp) {
                low = mid + 1;
            } else {
                high = mid - 1;
            }
        }
        return high;
    }

    /** Returns the timestamp of an entry: the largest up to its batch. */
    long time(int entry) {
        return times[entry];
    }

    /** Returns the last offset (relative) of the batch with an entry's timestamp. */
    int timeOffset(int entry) {
        return timeOffsets[entry];
    }

    /** Returns the largest timestamp in the bytes of a complete index; −1 when there is none. */
    static long lastTime(byte[] timeBytes) {
        int last = timeBytes.length - TIME_ENTRY;
        return last < 0 ? -1 : ByteBuffer.wrap(timeBytes).getLong(last);
    }

    public byte[] offsetBytes() {
        ByteBuffer b = ByteBuffer.allocate(count * OFFSET_ENTRY);
        for (int i = 0; i < count; i++) {
            b.putInt(lastOffsets[i]).putInt(positions[i]);
        }
        return b.array();
    }

    public byte[] timeBytes() {
        ByteBuffer b = ByteBuffer.allocate(timeCount * TIME_ENTRY);
        for (int i = 0; i < timeCount; i++) {
            b.putLong(times[i]).putInt(timeOffsets[i]);
        }
        return b.array();
    }

    /**
     * Reads an index from bytes.
     *
     * @return null when they cannot be an index of a segment of that many bytes
     */
    static SparseIndex ofBytes(byte[] offsetBytes, byte[] timeBytes, int segmentBytes) {
        if (offsetBytes == null
                || timeBytes == null
                || offsetBytes.length % OFFSET_ENTRY != 0
                || timeBytes.length % TIME_ENTRY != 0) {
            return null;
        }
        int n = offsetBytes.length / OFFSET_ENTRY;
        int times = timeBytes.length / TIME_ENTRY;
        SparseIndex index = new SparseIndex(n, n, times, INTERVAL_BYTES);
        ByteBuffer b = ByteBuffer.wrap(offsetBytes);
        for (int i = 0; i < n; i++) {
            index.lastOffsets[i] = b.getInt();
            index.positions[i] = b.getInt();
            boolean ascends =
                    i == 0
                            || (index.lastOffsets[i] > index.lastOffsets[i - 1]
                                    && index.positions[i] > index.positions[i - 1]);
            if (!ascends || index.positions[i] < 0 || index.positions[i] >= segmentBytes) {
                return null;
            }
        }
        ByteBuffer t = ByteBuffer.wrap(timeBytes);
        for (int i = 0; i < times; i++) {
            index.times[i] = t.getLong();
            index.timeOffsets[i] = t.getInt();
            boolean ascends =
                    i == 0
                            || (index.times[i] > index.times[i - 1]
                                    && index.timeOffsets[i] > index.timeOffsets[i - 1]);
            if (!ascends) {
                return null;
            }
        }
        index.count = n;
        index.timeCount = times;
        index.maxTimestamp = times == 0 ? -1 : index.times[times - 1];
        return index;
    }

    private void addTime() {
        int n = timeCount;
        if (maxTimestamp < 0 || (n > 0 && times[n - 1] >= maxTimestamp)) {
            return;
        }
        if (n == times.length) {
            long[] larger = Arrays.copyOf(times, larger(n));
            int[] largerOffsets = Arrays.copyOf(timeOffsets, larger(n)); // both or none
            VarHandle.releaseFence();
            timeOffsets = largerOffsets;
            times = larger;
        }
        times[n] = maxTimestamp;
        timeOffsets[n] = maxTimestampOffset;
        TIME_COUNT.setRelease(this, n + 1);
    }

    private static int lastAtMost(int[] ascending, int n, int value) {
        int low = 0;
        int high = n - 1;
        while (low <= high) {
            int mid = (low + high) >>> 1;
            if (ascending[mid] <= value) {
                low = mid + 1;
            } else {
                high = mid - 1;
            }
        }
        return high;
    }
}
