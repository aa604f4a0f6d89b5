package io.firn.compact;

import io.firn.format.BatchRewriter;
import io.firn.format.KeyHash;
import java.io.IOException;
import java.io.OutputStream;

/** Applies a decision to one batch after another, of which it holds pieces. Not thread-safe. */
final class BatchFilter implements AutoCloseable {
    /** What becomes of a batch. */
    enum Result {
        /** It stays as it is, byte for byte. */
        UNCHANGED,
        /** A smaller or larger one takes its place. */
        REPLACED,
        /** Nothing of it stays. */
        REMOVED
    }

    private static final int PIECE = 64 << 10;

    private final BatchRewriter batch;
    private final byte[] piece = new byte[PIECE];
    private final RetentionRule rule;
    private final TransactionTrace trace;
    private final long horizonMs;
    private final boolean maySetEarlier;
    private SourceSegment source;
    private int length;
    private boolean isReplaced;
    private long removedRecords;
    private long keylessRecords;
    private long tombstonesWithoutRoom;

    /** Of the batch that was filtered last. */
    private int tombstones;

    /**
     * Creates a filter.
     *
     * @param hash the hash of the keys that the rule knows
     * @param trace the transactions of the compaction, at the beginning of the group
     * @param horizonMs the time from which the tombstones that it meets first may go
     * @param maySetEarlier whether those that have a later one get this one; not while the clock
     *     may be behind, since they would go as soon as it is right again
     */
    BatchFilter(
            KeyHash hash,
            RetentionRule rule,
            TransactionTrace trace,
            long horizonMs,
            boolean maySetEarlier) {
        this.batch = new BatchRewriter(hash);
        this.trace = trace;
        this.rule = rule;
        this.horizonMs = horizonMs;
        this.maySetEarlier = maySetEarlier;
    }

    /**
     * Filters a batch whose header and CRC were checked.
     *
     * @param at the segment, at the batch
     * @param most the bytes that a batch with a horizon may take; above, none is set, and the
     *     tombstones stay until the next compaction
     * @throws IOException when its records cannot be read
     */
    Result apply(SourceSegment at, int most) throws IOException {
        long removedBefore = removedRecords;
        long keylessBefore = keylessRecords;
        Result result = apply(at, true);
        if (result == Result.REPLACED && length > most) {
            removedRecords = removedBefore;
            keylessRecords = keylessBefore;
            tombstonesWithoutRoom += tombstones;
            return apply(at, false);
        }
        return result;
    }

    private Result apply(SourceSegment at, boolean maySetHorizon) throws IOException {
        source = at;
        length = at.size();
        isReplaced = false;
        batch.open(at.memory(), at.position(), length);
        tombstones = 0;
        if (batch.isControl()) {
            return applyToMarker(maySetHorizon);
        }
        if (trace.isAborted(batch)) {
            removedRecords += batch.recordCount();
            return Result.REMOVED;
        }
        while (batch.next()) {
            if (rule.stays(batch)) {
                batch.keep();
                tombstones += batch.hasValue() ? 0 : 1;
                keylessRecords += batch.hasKey() ? 0 : 1;
            }
        }
        removedRecords += batch.count() - batch.keptCount();
        if (batch.keptCount() == 0) {
            return Result.REMOVED;
        }
        trace.stays(batch);
        boolean setsHorizon =
                maySetHorizon && tombstones > 0 && isToGet(batch) && rule.areDone(batch);
        if (!setsHorizon && batch.keptCount() == batch.count()) {
            return Result.UNCHANGED;
        }
        return replace(setsHorizon ? horizonMs : BatchRewriter.NO_HORIZON);
    }

    private Result replace(long horizon) throws IOException {
        length = batch.finish(horizon);
        isReplaced = true;
        return Result.REPLACED;
    }

    /**
     * A horizon beyond the one that it would get now is from a clock that was ahead, or from a
     * longer retention of tombstones.
     */
    private boolean isToGet(BatchRewriter each) {
        return each.horizonMs() == BatchRewriter.NO_HORIZON
                || (maySetEarlier && each.horizonMs() > horizonMs);
    }

    /**
     * A marker goes as a tombstone does: it gets a horizon first, and goes when that has passed.
     */
    private Result applyToMarker(boolean maySetHorizon) throws IOException {
        boolean isNeeded = batch.recordCount() == 0 || trace.needs(batch);
        if (isNeeded) {
            return Result.UNCHANGED;
        }
        if (!isToGet(batch)) {
            return rule.isPast(batch.horizonMs()) ? Result.REMOVED : Result.UNCHANGED;
        }
        if (!maySetHorizon) {
            return Result.UNCHANGED;
        }
        while (batch.next()) {
            batch.keep();
        }
        return replace(horizonMs);
    }

    /**
     * Writes the batch that is to be stored.
     *
     * @throws IOException when the target throws it
     */
    void writeTo(OutputStream target) throws IOException {
        if (isReplaced) {
            batch.writeTo(target);
            return;
        }
        for (int done = 0; done < length; ) {
            int n = Math.min(PIECE, length - done);
            source.memory().get(source.position() + done, piece, 0, n);
            target.write(piece, 0, n);
            done += n;
        }
    }

    /** Returns the size of the batch that is to be stored. */
    int size() {
        return length;
    }

    /** Returns whether the batch was one without records before. */
    boolean wasEmpty() {
        return batch.recordCount() == 0;
    }

    /** Returns the largest timestamp of the batch that is to be stored. */
    long maxTimestamp() {
        return isReplaced ? batch.madeMaxTimestamp() : batch.maxTimestamp();
    }

    @Override
    public void close() {
        batch.close();
    }

    /** Starts again with the first batch of the group. */
    void restart() {
        trace.restart();
        removedRecords = 0;
        keylessRecords = 0;
        tombstonesWithoutRoom = 0;
    }

    /** Returns the number of tombstones that did not get a horizon because it takes more bytes. */
    long tombstonesWithoutRoom() {
        return tombstonesWithoutRoom;
    }

    /** Returns the number of records that were removed. */
    long removedRecords() {
        return removedRecords;
    }

    /** Returns the number of records that stayed because they have no key. */
    long keylessRecords() {
        return keylessRecords;
    }
}
