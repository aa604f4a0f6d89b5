package io.firn;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a tailer reads, and where it begins, see {@link Topic#openTailer(TailerOptions)}; at a
 * cursor also when it commits, and what it does when retention has overtaken it. Immutable; each
 * {@code with…} returns a changed copy.
 *
 * <p>By default it reads all partitions from the earliest record, and shows committed records. At a
 * cursor, it commits after 1,000 records and after 100 ms, and fails when it was overtaken.
 *
 * @see Tailer
 */
public final class TailerOptions {
    private static final long NEVER = Long.MAX_VALUE;
    private static final TailerOptions DEFAULTS =
            new TailerOptions(
                    new int[0], IsolationLevel.READ_COMMITTED, new Start(First.EARLIEST, 0), null);

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

    private enum First {
        EARLIEST,
        END,
        TIMESTAMP
    }

    private record Start(First first, long timestampMs) {}

    private record AtCursor(
            String name, int commitRecords, long commitMs, OvertakenHandler onOvertaken) {
        AtCursor {
            OptionValues.inRange("records", commitRecords, 1, Integer.MAX_VALUE);
            OptionValues.inRange("interval", commitMs, 1, NEVER);
        }
    }

    private final int[] partitions;
    private final IsolationLevel isolation;
    private final Start start;
    private final AtCursor atCursor;

    private TailerOptions(
            int[] partitions, IsolationLevel isolation, Start start, AtCursor atCursor) {
        this.partitions = partitions;
        this.isolation = isolation;
        this.start = start;
        this.atCursor = atCursor;
    }

    /** Returns the defaults, without a cursor. */
    public static TailerOptions defaults() {
        return DEFAULTS;
    }

    /** Returns the defaults, at the cursor of this name; it is created if there is none. */
    public static TailerOptions at(String cursor) {
        Objects.requireNonNull(cursor, "cursor");
        return DEFAULTS.with(new AtCursor(cursor, 1_000, 100, null));
    }

    /** Reads these partitions only; all, if none is given. */
    public TailerOptions withPartitions(int... values) {
        Objects.requireNonNull(values, "partitions");
        return new TailerOptions(values.clone(), isolation, start, atCursor);
    }

    /** Sets which records of transactions are shown. */
    public TailerOptions withIsolation(IsolationLevel value) {
        Objects.requireNonNull(value, "isolation");
        return new TailerOptions(partitions, value, start, atCursor);
    }

    /** Begins at the earliest record, where a cursor has no position. */
    public TailerOptions withStartAtEarliest() {
        return with(new Start(First.EARLIEST, 0));
    }

    /** Begins at the visible end, where a cursor has no position. */
    public TailerOptions withStartAtEnd() {
        return with(new Start(First.END, 0));
    }

    /**
     * Begins at the first record with this timestamp (ms since 1970) or a later one, or else at the
     * visible end, where a cursor has no position.
     */
    public TailerOptions withStartAtTimestamp(long value) {
        return with(new Start(First.TIMESTAMP, value));
    }

    /**
     * Commits after so many records, and so long after a record was handled that the cursor has not
     * passed; the latter as long as the tailer is polled. A time is looked at after each poll and
     * after every 16 records in it.
     *
     * @param records 1 or more
     * @param interval 1 ms or more
     * @throws InvalidOptionException when one of them is less, or there is no cursor
     */
    public TailerOptions withCommitEvery(int records, Duration interval) {
        return withCommit(records, OptionValues.millis("interval", interval));
    }

    /** As {@link #withCommitEvery(int, Duration)}, by the number of records only. */
    public TailerOptions withCommitEvery(int records) {
        return withCommit(records, NEVER);
    }

    /** Commits in {@link Tailer#commit} only. */
    public TailerOptions withCommitByHand() {
        return withCommitEvery(Integer.MAX_VALUE);
    }

    /**
     * When retention has deleted the next record, goes on at the log start; {@link
     * Tailer#overtakenRecords} counts what was lost.
     *
     * @param handler told each time
     * @throws InvalidOptionException when there is no cursor
     */
    public TailerOptions withSkipWhenOvertaken(OvertakenHandler handler) {
        Objects.requireNonNull(handler, "handler");
        AtCursor at = needCursor();
        return with(new AtCursor(at.name, at.commitRecords, at.commitMs, handler));
    }

    /** When retention has deleted the next record, {@code poll} throws; this is the default. */
    public TailerOptions withFailWhenOvertaken() {
        AtCursor at = needCursor();
        return with(new AtCursor(at.name, at.commitRecords, at.commitMs, null));
    }

    private TailerOptions withCommit(int records, long ms) {
        AtCursor at = needCursor();
        return with(new AtCursor(at.name, records, ms, at.onOvertaken));
    }

    private TailerOptions with(Start value) {
        return new TailerOptions(partitions, isolation, value, atCursor);
    }

    private TailerOptions with(AtCursor value) {
        return new TailerOptions(partitions, isolation, start, value);
    }

    private AtCursor needCursor() {
        if (atCursor == null) {
            throw new InvalidOptionException(
                    "this option is for a tailer at a cursor: begin with TailerOptions.at(name)");
        }
        return atCursor;
    }

    /** Returns the partitions; empty for all. */
    public int[] partitions() {
        return partitions.clone();
    }

    /** Returns which records of transactions are shown. */
    public IsolationLevel isolation() {
        return isolation;
    }

    /** Returns the name of the cursor; null for none. */
    public String cursor() {
        return atCursor == null ? null : atCursor.name;
    }

    /** Returns whether only {@link Tailer#commit} commits; only with a cursor. */
    public boolean isCommittedByHand() {
        return needCursor().commitRecords == Integer.MAX_VALUE && atCursor.commitMs == NEVER;
    }

    /**
     * Returns after how many records a tailer commits, empty if their number does not matter; only
     * with a cursor.
     */
    public OptionalInt commitRecords() {
        int records = needCursor().commitRecords;
        return records == Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of(records);
    }

    /**
     * Returns after which time a tailer commits, empty if time does not matter; only with a cursor.
     */
    public Optional<Duration> commitInterval() {
        long ms = needCursor().commitMs;
        return ms == NEVER ? Optional.empty() : Optional.of(Duration.ofMillis(ms));
    }

    /** Returns what is told when retention has overtaken the tailer; null if {@code poll} fails. */
    public OvertakenHandler onOvertaken() {
        return needCursor().onOvertaken;
    }

    /** Moves a tailer, which is at the earliest record, to where it begins. */
    public void moveToStart(Tailer tailer) {
        if (start.first == First.END) {
            tailer.seekToEnd();
        } else if (start.first == First.TIMESTAMP) {
            tailer.seekToTimestamp(start.timestampMs);
        }
    }

    @Override
    public String toString() {
        return "TailerOptions[partitions="
                + Arrays.toString(partitions)
                + ", isolation="
                + isolation
                + ", start="
                + start
                + ", cursor="
                + atCursor
                + "]";
    }
}
