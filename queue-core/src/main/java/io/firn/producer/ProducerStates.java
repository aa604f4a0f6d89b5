package io.firn.producer;

import java.util.Arrays;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongObjConsumer;

/**
 * The producers that a partition remembers, by their ids. They are not remembered for ever: one is
 * forgotten that has appended nothing for long, and some of the oldest when a store has too many.
 * Used under the monitor of the partition's {@link Producers}.
 */
final class ProducerStates {
    /** With fewer, no producer is forgotten: other partitions have more. */
    private static final int LEAST_REMEMBERED = 16;

    private final Long2ObjectHashMap<ProducerState> byId = new Long2ObjectHashMap<>();
    private volatile int size;
    private StoreProducers limit;

    /** When it was noticed that some were last seen at times that are to come. */
    private long aheadSinceMs = Long.MAX_VALUE;

    /** Returns null for a producer that is unknown or forgotten. */
    ProducerState get(long id) {
        return byId.get(id);
    }

    /** Sets the state of a producer; for a new one, others may be forgotten. */
    void put(long id, ProducerState state) {
        boolean isNew = byId.put(id, state) == null;
        size = byId.size();
        if (isNew && limit != null && limit.onAdded(size) && size > LEAST_REMEMBERED) {
            forgetSome(state);
        }
    }

    ProducerState remove(long id) {
        ProducerState removed = byId.remove(id);
        onRemoved();
        return removed;
    }

    /** Replaces all of them by others. */
    void replaceAll(ProducerStates others) {
        byId.clear();
        byId.putAll(others.byId);
        onRemoved();
    }

    void forEach(LongObjConsumer<ProducerState> action) {
        byId.forEachLong(action);
    }

    /** Returns whether a transaction is open that begins at an offset. */
    boolean isOpenFrom(long offset) {
        return byId.values().stream().anyMatch(state -> state.openFrom() == offset);
    }

    /** Returns how many there are. Thread-safe. */
    int size() {
        return size;
    }

    /**
     * Forgets those that have appended nothing for so long, and have no open transaction. What is
     * to come by the present clock counts as when that was noticed, for as long as it is to come: a
     * clock that was behind for a while changes nothing.
     */
    void expire(long nowMs, long idleMs) {
        boolean isAnyAhead = false;
        for (ProducerState state : byId.values()) {
            isAnyAhead |= state.lastSeenMs() > nowMs;
        }
        aheadSinceMs = isAnyAhead ? Math.min(aheadSinceMs, nowMs) : Long.MAX_VALUE;
        byId.values()
                .removeIf(
                        state -> {
                            boolean isAhead = state.lastSeenMs() > nowMs;
                            long seenMs = isAhead ? aheadSinceMs : state.lastSeenMs();
                            return seenMs < nowMs - idleMs
                                    && state.openFrom() == ProducerState.NONE;
                        });
        onRemoved();
    }

    /** Sets what limits the producers of all partitions. */
    void limit(StoreProducers ofStore) {
        limit = ofStore;
        ofStore.register(this);
        while (ofStore.isExceededBy(size) && size > LEAST_REMEMBERED) {
            int before = size;
            forgetSome(null); // what was stored may be more than this heap can bear
            if (size == before) {
                return; // all of them have open transactions
            }
        }
    }

    private void onRemoved() {
        int before = size;
        size = byId.size();
        if (limit != null) {
            limit.onForgotten(before - size);
        }
    }

    /**
     * Forgets an eighth of the producers: first those that have appended only once, as one does
     * that takes an id for each batch, and of these, and of the others, the oldest. One with an
     * open transaction stays.
     */
    private void forgetSome(ProducerState kept) {
        long[] ranks = new long[byId.size()];
        int n = 0;
        for (ProducerState state : byId.values()) {
            ranks[n++] = state.rank();
        }
        Arrays.sort(ranks);
        int[] left = {ranks.length / 8};
        long bound = ranks[left[0]];
        byId.values()
                .removeIf(
                        state ->
                                state != kept
                                        && state.openFrom() == ProducerState.NONE
                                        && state.rank() <= bound
                                        && left[0]-- > 0);
        onRemoved();
    }
}
