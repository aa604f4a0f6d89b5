package io.firn;

import java.time.Duration;
import java.util.Objects;

/**
 * How a tailer reads at a cursor, see {@link Topic#openTailer(CursorOptions, int...)}: where it
 * begins at first, when it advances the cursor, and what it does when retention has overtaken it.
 * Immutable; each {@code with…} returns a changed copy.
 *
 * <p>By default it begins at the start, advances the cursor after 1,000 records and after 100 ms,
 * and fails when it was overtaken.
 */
public final class CursorOptions {
    private static final long NEVER = Long.MAX_VALUE;

    /** Told what a tailer could not read because retention had deleted it. */
    @FunctionalInterface
    public interface OvertakenHandler {

        /**
         * Called on the thread that polls, before the tailer goes on at the log start. What it
         * throws ends the poll, and the tailer stays where it is.
         *
         * @param partition the partition
         * @param fromOffset the first offset that was not read
         * @param toOffset the log start, where the tailer goes on
         */
        void onOvertaken(int partition, long fromOffset, long toOffset);
    }

    enum First {
        START,
        END,
        TIMESTAMP
    }

    private final String cursor;
    private final First first;
    private final long timestampMs;
    private final int commitRecords;
    private final long commitMs;
    private final OvertakenHandler onOvertaken;

    private CursorOptions(
            String cursor,
            First first,
            long timestampMs,
            int commitRecords,
            long commitMs,
            OvertakenHandler onOvertaken) {
        this.cursor = cursor;
        this.first = first;
        this.timestampMs = timestampMs;
        this.commitRecords = OptionValues.inRange("records", commitRecords, 1, Integer.MAX_VALUE);
        this.commitMs = OptionValues.inRange("interval", commitMs, 1, NEVER);
        this.onOvertaken = onOvertaken;
    }

    /** Returns the defaults, for the cursor of this name; it is created if there is none. */
    public static CursorOptions at(String cursor) {
        Objects.requireNonNull(cursor, "cursor");
        return new CursorOptions(cursor, First.START, 0, 1_000, 100, null);
    }

    /** Where the cursor has no position yet, begins at the earliest record. */
    public CursorOptions withFirstAtStart() {
        return new CursorOptions(cursor, First.START, 0, commitRecords, commitMs, onOvertaken);
    }

    /** Where the cursor has no position yet, begins at the visible end. */
    public CursorOptions withFirstAtEnd() {
        return new CursorOptions(cursor, First.END, 0, commitRecords, commitMs, onOvertaken);
    }

    /**
     * Where the cursor has no position yet, begins at the first record with this timestamp (ms) or
     * a later one, or else at the visible end.
     */
    public CursorOptions withFirstAtTimestamp(long value) {
        return new CursorOptions(
                cursor, First.TIMESTAMP, value, commitRecords, commitMs, onOvertaken);
    }

    /**
     * Advances the cursor after so many records, and so long after a record was handled that the
     * cursor has not passed; the latter as long as the tailer is polled. A time is looked at after
     * each poll and after every 16 records in it.
     *
     * @param records 1 or more
     * @param interval 1 ms or more
     * @throws InvalidOptionException when one of them is less
     */
    public CursorOptions withCommitEvery(int records, Duration interval) {
        long ms = OptionValues.millis("interval", interval);
        return new CursorOptions(cursor, first, timestampMs, records, ms, onOvertaken);
    }

    /** As {@link #withCommitEvery(int, Duration)}, by the number of records only. */
    public CursorOptions withCommitEvery(int records) {
        return new CursorOptions(cursor, first, timestampMs, records, NEVER, onOvertaken);
    }

    /** Advances the cursor in {@link CursorTailer#commit} only. */
    public CursorOptions withCommitByHand() {
        return withCommitEvery(Integer.MAX_VALUE);
    }

    /**
     * When retention has deleted the next record, goes on at the log start; {@link
     * CursorTailer#overtakenRecords} counts what was lost.
     *
     * @param handler told each time
     */
    public CursorOptions withStartAgain(OvertakenHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return new CursorOptions(cursor, first, timestampMs, commitRecords, commitMs, handler);
    }

    /** When retention has deleted the next record, {@code poll} throws; this is the default. */
    public CursorOptions withFailWhenOvertaken() {
        return new CursorOptions(cursor, first, timestampMs, commitRecords, commitMs, null);
    }

    /** Returns the cursor's name. */
    public String cursor() {
        return cursor;
    }

    First first() {
        return first;
    }

    long timestampMs() {
        return timestampMs;
    }

    boolean isByHand() {
        return commitRecords == Integer.MAX_VALUE && commitMs == NEVER;
    }

    int commitRecords() {
        return commitRecords;
    }

    /** In ns; {@link Long#MAX_VALUE} for no time. */
    long commitNs() {
        return commitMs > NEVER / 1_000_000 ? NEVER : commitMs * 1_000_000;
    }

    /** Null to fail. */
    OvertakenHandler onOvertaken() {
        return onOvertaken;
    }
}
