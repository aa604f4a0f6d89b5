package io.firn.replica;

import io.firn.log.TruncationCounter.TruncatedOffsets;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a replicated partition was truncated to, as its file {@code truncated-P} says: how many
 * truncations there were, and from each number on the lowest offset that was cut to since. A reader
 * that remembers how many it has seen finds out whether what it has read is still there.
 *
 * <p>Only those are kept that a later one has not cut below, and of these the latest {@value
 * #MOST}; for older ones the answer is lower than it need be, never higher. Immutable.
 */
public final class TruncationHistory implements TruncatedOffsets {
    /** Of a partition that was never truncated. */
    public static final TruncationHistory NONE =
            new TruncationHistory(0, false, new long[0], new long[0]);

    /**
     * Of a partition whose file is damaged or lost: in a read-only store, until a writer has opened
     * the store. No count is this one, so that readers are told.
     */
    public static final TruncationHistory UNKNOWN =
            new TruncationHistory(-1, false, new long[0], new long[0]);

    static final int MOST = 32;
    private static final String COUNT = "count";
    private static final String IN_PROGRESS = "inProgress";
    private static final String CUT = "cut.";

    private final long count;
    private final boolean inProgress;
    private final long[] numbers; // ascending
    private final long[] offsets; // ascending

    private TruncationHistory(long count, boolean inProgress, long[] numbers, long[] offsets) {
        this.count = count;
        this.inProgress = inProgress;
        this.numbers = numbers;
        this.offsets = offsets;
    }

    @Override
    public long count() {
        return count;
    }

    /** Returns whether the last one is not over, or a crash has interrupted it. */
    public boolean isInProgress() {
        return inProgress;
    }

    /** As the interface says; 0 if there were never so many: then the file was lost. */
    @Override
    public long lowestSince(long seen) {
        if (seen == count) {
            return Long.MAX_VALUE;
        }
        if (seen > count || offsets.length == 0) {
            return 0;
        }
        int at = Arrays.binarySearch(numbers, seen + 1);
        return offsets[at >= 0 ? at : -at - 1];
    }

    @Override
    public long lowestInProgress() {
        return inProgress ? lowestSince(count - 1) : Long.MAX_VALUE;
    }

    /** Returns whether it is not known how many truncations there were. */
    public boolean isUnknown() {
        return count < 0;
    }

    /**
     * Returns what a partition goes on with whose file was lost: one truncation to 0 is in
     * progress.
     *
     * @param number to count from, which no reader knows: counting from 0 again, a later truncation
     *     would get a number that readers have seen, and those would miss it
     */
    public static TruncationHistory afterLoss(long number) {
        return new TruncationHistory(number, true, new long[] {number}, new long[] {0});
    }

    /** Returns the same and a truncation that begins. */
    public TruncationHistory begin(long offset) {
        int kept = offsets.length;
        while (kept > 0 && offsets[kept - 1] >= offset) {
            kept--;
        }
        long[] newNumbers = Arrays.copyOf(numbers, kept + 1);
        long[] newOffsets = Arrays.copyOf(offsets, kept + 1);
        newNumbers[kept] = count + 1;
        newOffsets[kept] = offset;
        if (newNumbers.length > MOST) {
            long lowest = newOffsets[0];
            newNumbers = Arrays.copyOfRange(newNumbers, 1, newNumbers.length);
            newOffsets = Arrays.copyOfRange(newOffsets, 1, newOffsets.length);
            newOffsets[0] = lowest;
        }
        return new TruncationHistory(count + 1, true, newNumbers, newOffsets);
    }

    /** Returns the same with all truncations over. */
    public TruncationHistory end() {
        return new TruncationHistory(count, false, numbers, offsets);
    }

    Map<String, String> toText() {
        Map<String, String> values = new TreeMap<>();
        values.put(COUNT, Long.toString(count));
        values.put(IN_PROGRESS, Boolean.toString(inProgress));
        for (int i = 0; i < numbers.length; i++) {
            values.put(CUT + numbers[i], Long.toString(offsets[i]));
        }
        return values;
    }

    /** Reads what {@link #toText} returned. */
    static TruncationHistory of(Fields fields) throws DamagedFileException {
        TreeMap<Long, Long> cuts = new TreeMap<>();
        Fields all = fields.below(CUT);
        for (String key : all.keys()) {
            cuts.put(all.numberIn(key, 0, Fields.MOST), all.offset(key));
        }
        long count = fields.number(COUNT, -1, Fields.MOST);
        if (count > 0 && (cuts.isEmpty() || cuts.lastKey() != count)) {
            throw fields.damaged("the last of " + count + " truncations is missing");
        }
        long before = -1;
        for (long offset : cuts.values()) {
            if (offset <= before) {
                throw fields.damaged("its truncations are not in the order of their offsets");
            }
            before = offset;
        }
        return new TruncationHistory(
                count,
                fields.flag(IN_PROGRESS),
                cuts.keySet().stream().mapToLong(number -> number).toArray(),
                cuts.values().stream().mapToLong(offset -> offset).toArray());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TruncationHistory history
                && history.count == count
                && history.inProgress == inProgress
                && Arrays.equals(history.numbers, numbers)
                && Arrays.equals(history.offsets, offsets);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(count);
    }

    @Override
    public String toString() {
        return toText().toString();
    }
}
