package io.firn.log;

import io.firn.OutOfOrderSequenceException;
import io.firn.ProducerFencedException;
import io.firn.metadata.ProducerSnapshots;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The state of a partition's idempotent producers: the epoch and the last five batches of each, as
 * in Kafka. Check, append and recording are one step: the caller holds this object's monitor during
 * all three, and {@link #snapshot} acquires it too, so a snapshot matches an offset exactly.
 */
public final class Producers {
    private static final int REMEMBERED = 5;
    private static final String NEXT = ProducerSnapshots.NEXT_OFFSET;

    private final Long2ObjectHashMap<State> states = new Long2ObjectHashMap<>();
    private long changes;

    /** The number of states; written under the monitor. */
    private volatile int size;

    private volatile ProducerLimit limit;

    /** With fewer, nobody is forgotten: other partitions have more. */
    private static final int LEAST_REMEMBERED = 16;

    /** No duplicate. */
    public static final long NEW = -1;

    /**
     * Decides on a batch.
     *
     * @return {@link #NEW}, or the base offset of the batch that it repeats
     * @throws OutOfOrderSequenceException when batches are missing before it, or it is too old
     * @throws ProducerFencedException when its epoch is older than the producer's
     */
    public long check(long producerId, int epoch, int sequence, int count) {
        State state = states.get(producerId);
        if (state == null) {
            // Unknown: new, or forgotten by age or retention. Any sequence is accepted as its
            // first.
            return NEW;
        }
        if (epoch < state.epoch) {
            throw new ProducerFencedException(
                    "producer "
                            + producerId
                            + ": epoch "
                            + epoch
                            + " is older than "
                            + state.epoch
                            + ", which has appended: stop this instance");
        }
        if (epoch > state.epoch) {
            if (sequence != 0) {
                throw new OutOfOrderSequenceException(producerId, 0, sequence);
            }
            return NEW;
        }
        long duplicate = state.duplicateOf(sequence, lastSequence(sequence, count));
        if (duplicate != NEW) {
            return duplicate;
        }
        int expected = state.expectedSequence();
        if (sequence != expected) {
            throw new OutOfOrderSequenceException(producerId, expected, sequence);
        }
        return NEW;
    }

    /** Records a batch that was appended or that recovery has found. */
    public void record(
            long producerId, int epoch, int sequence, int count, long baseOffset, long nowMs) {
        State state = states.get(producerId);
        if (state == null || epoch != state.epoch) {
            state = new State(epoch);
            states.put(producerId, state);
        }
        state.add(sequence, lastSequence(sequence, count), baseOffset);
        state.lastSeenMs = nowMs;
        changes++;
        if (states.size() != size) {
            onAdded(state);
        }
    }

    /** Forgets producers that have appended nothing since. */
    public synchronized void expire(long beforeMs) {
        states.values().removeIf(state -> state.lastSeenMs < beforeMs);
        onRemoved();
    }

    /** Sets what limits the producers of all partitions. */
    synchronized void limit(ProducerLimit ofStore) {
        size = states.size();
        limit = ofStore;
        ofStore.register(this);
    }

    /** Returns the number of producers. Thread-safe. */
    int size() {
        return size;
    }

    private void onAdded(State added) {
        size = states.size();
        ProducerLimit ofStore = limit;
        if (ofStore != null && ofStore.onAdded(size) && size > LEAST_REMEMBERED) {
            forgetSome(added);
        }
    }

    private void onRemoved() {
        int before = size;
        size = states.size();
        ProducerLimit ofStore = limit;
        if (ofStore != null) {
            ofStore.onForgotten(before - size);
        }
    }

    /**
     * Forgets an eighth of the producers: first those that have appended only once, as one does
     * that takes an id for each batch, and of these, and of the others, the oldest.
     */
    private void forgetSome(State kept) {
        long[] ranks = new long[states.size()];
        int n = 0;
        for (State state : states.values()) {
            ranks[n++] = state.rank();
        }
        Arrays.sort(ranks);
        int[] left = {ranks.length / 8};
        long bound = ranks[left[0]];
        states.values().removeIf(state -> state != kept && state.rank() <= bound && left[0]-- > 0);
        onRemoved();
    }

    /** The number of batches recorded so far. */
    public synchronized long changes() {
        return changes;
    }

    synchronized int count() {
        return states.size();
    }

    /** Returns everything as text, as of the present next offset. */
    public synchronized Map<String, String> snapshot(LongSupplier nextOffset) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put(NEXT, Long.toString(nextOffset.getAsLong()));
        states.forEach((id, state) -> map.put(Long.toString(id), state.toText()));
        return map;
    }

    /**
     * Loads a snapshot.
     *
     * @return the offset at which it was taken
     * @throws NumberFormatException when it is no snapshot
     */
    public synchronized long restore(Map<String, String> snapshot) {
        for (Map.Entry<String, String> e : snapshot.entrySet()) {
            if (!e.getKey().equals(NEXT)) {
                states.put(Long.parseLong(e.getKey()), State.ofText(e.getValue()));
            }
        }
        return ProducerSnapshots.offsetOf(snapshot);
    }

    /** Sequences wrap from the largest int to 0. */
    private static int lastSequence(int first, int count) {
        return (first + count - 1) & Integer.MAX_VALUE;
    }

    private static final class State {
        private final int epoch;
        private final int[] first = new int[REMEMBERED];
        private final int[] last = new int[REMEMBERED];
        private final long[] offsets = new long[REMEMBERED];
        private long added;
        private long lastSeenMs;

        State(int epoch) {
            this.epoch = epoch;
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

        int expectedSequence() {
            return (last[slot(added - 1)] + 1) & Integer.MAX_VALUE;
        }

        long duplicateOf(int firstSequence, int lastSequence) {
            for (long i = Math.max(0, added - REMEMBERED); i < added; i++) {
                int slot = slot(i);
                if (first[slot] == firstSequence && last[slot] == lastSequence) {
                    return offsets[slot];
                }
            }
            return NEW;
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

        static State ofText(String text) {
            String[] numbers = text.split(" ");
            if (numbers.length < 5 || numbers.length % 3 != 2) {
                throw new NumberFormatException("not what is known of a producer: " + text);
            }
            State state = new State(Integer.parseInt(numbers[0]));
            for (int i = 2; i + 2 < numbers.length; i += 3) {
                state.add(
                        Integer.parseInt(numbers[i]),
                        Integer.parseInt(numbers[i + 1]),
                        Long.parseLong(numbers[i + 2]));
            }
            state.lastSeenMs = Long.parseLong(numbers[1]);
            return state;
        }

        private static int slot(long i) {
            return (int) (i % REMEMBERED);
        }
    }
}
