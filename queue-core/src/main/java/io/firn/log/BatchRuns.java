package io.firn.log;

import io.firn.format.BatchFormat;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs of whole batches that were found after a damaged one, by position, and the choice among
 * those that contradict each other. Not thread-safe.
 */
final class BatchRuns {
    /** The most runs that are compared; more matter only if a batch contains more batches. */
    private static final int MAX_RUNS = 1000;

    private final List<Run> runs = new ArrayList<>();

    /**
     * Batches with valid CRCs and consecutive offsets.
     *
     * @param after the damaged batch after them; null when they end at the end of the segment
     */
    record Run(int from, int to, long base, long next, int batches, DamagedBatch after) {

        /** Returns whether there is room for a damaged batch, and for its offsets, before a run. */
        boolean mayPrecede(Run run) {
            return run.from - to >= BatchFormat.HEADER_LENGTH
                    && run.base > next
                    && !after.contradicts(run.from, run.base);
        }
    }

    boolean isFull() {
        return runs.size() >= MAX_RUNS;
    }

    /** Adds a run that is after all others. */
    void add(Run run) {
        runs.add(run);
    }

    void clear() {
        runs.clear();
    }

    /**
     * Returns the index of the run that ends at a damaged batch which is shown to end at a
     * position; −1 for none.
     *
     * @param base the offset that is stored there
     * @param isRun whether a whole batch with that offset begins there
     */
    int supportedBy(int position, long base, boolean isRun) {
        for (int i = 0; i < runs.size(); i++) {
            DamagedBatch after = runs.get(i).after;
            if (after != null && base > after.offset() && after.endsAt(position, base, isRun)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Returns the position of the first accepted run, −1 when there is none. Of all runs, those are
     * accepted that do not contradict each other and together cover the most bytes.
     */
    int firstBelieved() {
        return firstBelieved(runs.size(), -1);
    }

    /** As {@link #firstBelieved()}, when the run with an index is certain. */
    int firstBelievedUpTo(int certain) {
        return firstBelieved(certain + 1, certain);
    }

    /** As {@link #firstBelieved()}, when the run that was added last is certain. */
    int firstBelievedUpToLast() {
        return firstBelievedUpTo(runs.size() - 1);
    }

    private int firstBelieved(int count, int certain) {
        long[] bytes = new long[count];
        int[] first = new int[count];
        int best = -1;
        for (int i = 0; i < count; i++) {
            Run run = runs.get(i);
            first[i] = run.from;
            for (int before = 0; before < i; before++) {
                if (bytes[before] > bytes[i] && runs.get(before).mayPrecede(run)) {
                    bytes[i] = bytes[before];
                    first[i] = first[before];
                }
            }
            bytes[i] += run.to - run.from;
            if (best < 0 || bytes[i] >= bytes[best]) {
                best = i;
            }
        }
        int last = certain < 0 ? best : certain;
        return last < 0 ? -1 : first[last];
    }
}
