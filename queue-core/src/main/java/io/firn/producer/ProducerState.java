package io.firn.producer;

import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;

/** What a partition knows of one producer: its epoch, its last five batches, its transaction. */
final class ProducerState {
    private static final int REMEMBERED = 5;

    /** There is no open transaction, or no marker. */
    static final long NONE = -1;

    private final int epoch;
    private final int[] first = new int[REMEMBERED];
    private final int[] last = new int[REMEMBERED];
    private final long[] offsets = new long[REMEMBERED];
    private long added;
    private long lastSeenMs;
    private long openFrom = NONE;
    private int decision = (int) NONE;

    ProducerState(int epoch) {
        this.epoch = epoch;
    }

    /** Creates the state of a newer epoch, to which a transaction and a marker pass on. */
    ProducerState(int epoch, ProducerState before) {
        this.epoch = epoch;
        if (before != null) {
            this.openFrom = before.openFrom;
            this.decision = before.decision;
        }
    }

    int epoch() {
        return epoch;
    }

    long lastSeenMs() {
        return lastSeenMs;
    }

    void seen(long nowMs) {
        lastSeenMs = nowMs;
    }

    /** Returns the first offset of its open transaction; {@link #NONE} when there is none. */
    long openFrom() {
        return openFrom;
    }

    /** Opens a transaction, or ends it by {@link #NONE}. */
    void openFrom(long offset) {
        openFrom = offset;
    }

    /** Returns which decision its last marker carries out; {@link #NONE} before the first. */
    int decision() {
        return decision;
    }

    void decision(int ofMarker) {
        decision = ofMarker;
    }

    boolean hasBatches() {
        return added > 0;
    }

    void add(int firstSequence, int lastSequence, long offset) {
        if (added > 0 && offsets[slot(added - 1)] >= offset) {
            return; // recovery also passes batches that the checkpoint contains
        }
        int slot = slot(added++);
        first[slot] = firstSequence;
        last[slot] = lastSequence;
        offsets[slot] = offset;
    }

    /** Returns a number by which producers are forgotten, the smallest first. */
    long rank() {
        return added > 1 ? lastSeenMs + (1L << 60) : lastSeenMs;
    }

    /** Returns the sequence that its next batch begins with. */
    int expectedSequence() {
        return added == 0 ? 0 : (last[slot(added - 1)] + 1) & Integer.MAX_VALUE;
    }

    /** Returns the sequence of its last record; −1 when it has none. */
    int lastSequence() {
        return added == 0 ? -1 : last[slot(added - 1)];
    }

    long duplicateOf(int firstSequence, int lastSequence) {
        for (long i = Math.max(0, added - REMEMBERED); i < added; i++) {
            int slot = slot(i);
            if (first[slot] == firstSequence && last[slot] == lastSequence) {
                return offsets[slot];
            }
        }
        return Producers.NEW;
    }

    String toText() {
        StringBuilder text = new StringBuilder();
        text.append(epoch).append(' ').append(lastSeenMs);
        for (long i = Math.max(0, added - REMEMBERED); i < added; i++) {
            int slot = slot(i);
            text.append(' ').append(first[slot]);
            text.append(' ').append(last[slot]);
            text.append(' ').append(offsets[slot]);
        }
        return text.toString();
    }

    static ProducerState of(Fields fields, String key) throws DamagedFileException {
        long[] numbers = fields.numbers(key, 2, 2 + 3 * REMEMBERED);
        if (numbers.length % 3 != 2) {
            throw fields.unexpected(key, "what is known of a producer", fields.text(key));
        }
        ProducerState state = new ProducerState((int) numbers[0]);
        for (int i = 2; i + 2 < numbers.length; i += 3) {
            boolean areInts =
                    numbers[i] == (int) numbers[i] && numbers[i + 1] == (int) numbers[i + 1];
            if (!areInts || numbers[i + 2] < 0 || numbers[i + 2] > Fields.MOST) {
                throw fields.unexpected(key, "what is known of a producer", fields.text(key));
            }
            state.add((int) numbers[i], (int) numbers[i + 1], numbers[i + 2]);
        }
        state.lastSeenMs = numbers[1];
        return state;
    }

    /** Whether a checkpoint has to say something of its transactions. */
    boolean hasTransactions() {
        return openFrom != NONE || decision != NONE;
    }

    String transactionsToText() {
        return openFrom + " " + decision;
    }

    void transactionsOf(Fields fields, String key) throws DamagedFileException {
        long[] numbers = fields.numbers(key, 2, 2);
        boolean isOffset = numbers[0] >= NONE && numbers[0] <= Fields.MOST;
        if (!isOffset || numbers[1] != (int) numbers[1]) {
            throw fields.unexpected(key, "what is known of a transaction", fields.text(key));
        }
        openFrom = numbers[0];
        decision = (int) numbers[1];
    }

    private static int slot(long i) {
        return (int) (i % REMEMBERED);
    }
}
