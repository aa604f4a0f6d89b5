package io.firn.producer;

import io.firn.ProducerFencedException;
import io.firn.format.BatchFormat;
import io.firn.format.HeaderBytes;
import io.firn.format.MarkerBatch;
import io.firn.host.OutOfOrderSequenceException;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator.PartitionProducer;
import io.firn.host.TransactionStateException;
import io.firn.log.BatchInfo;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The state of a partition's idempotent producers: the epoch and the last five batches of each, as
 * in Kafka, and their transactions. Check, append and recording are one step: the caller holds this
 * object's monitor during all three, and {@link #snapshot} acquires it too, so a snapshot matches
 * an offset exactly.
 */
public final class Producers {
    private static final String NEXT = ProducerSnapshots.NEXT_OFFSET;

    private final ProducerStates states = new ProducerStates();
    private final PartitionTransactions transactions = new PartitionTransactions(this);
    private final LeaderEpochs leaderEpochs = new LeaderEpochs();
    private long changes;

    /** How many of these were of transactions. */
    private long changesOfTransactions;

    /** No duplicate. */
    public static final long NEW = -1;

    /** Returns what the partition knows of transactions. */
    public PartitionTransactions transactions() {
        return transactions;
    }

    /** Returns the leader epochs in a replicated partition; empty in others. */
    public LeaderEpochs leaderEpochs() {
        return leaderEpochs;
    }

    /**
     * Decides on a batch.
     *
     * @return {@link #NEW}, or the base offset of the batch that it repeats
     * @throws OutOfOrderSequenceException when batches are missing before it, or it is too old
     * @throws ProducerFencedException when its epoch is older than the producer's
     */
    public long check(BatchInfo batch) {
        long producerId = batch.producerId();
        int sequence = batch.baseSequence();
        ProducerState state = states.get(producerId);
        if (state == null) {
            // Unknown: new, or forgotten by age or retention. Any sequence is accepted as its
            // first.
            return NEW;
        }
        if (batch.producerEpoch() < state.epoch()) {
            throw fenced(producerId, batch.producerEpoch(), state.epoch());
        }
        if (batch.producerEpoch() > state.epoch()) {
            if (sequence != 0) {
                throw new OutOfOrderSequenceException(producerId, 0, sequence);
            }
            return NEW;
        }
        if (state.openFrom() != ProducerState.NONE && !batch.isTransactional()) {
            throw new TransactionStateException(
                    "producer "
                            + producerId
                            + " has an open transaction: end it before a batch that does not"
                            + " belong to it");
        }
        long duplicate = state.duplicateOf(sequence, lastSequence(sequence, batch.count()));
        if (duplicate != NEW) {
            return duplicate;
        }
        int expected = state.expectedSequence();
        if (sequence != expected) {
            throw new OutOfOrderSequenceException(producerId, expected, sequence);
        }
        return NEW;
    }

    private static ProducerFencedException fenced(long producerId, int epoch, int newer) {
        return new ProducerFencedException(
                "producer "
                        + producerId
                        + ": epoch "
                        + epoch
                        + " is older than "
                        + newer
                        + ", which has appended: stop this instance");
    }

    /** Records a batch that was appended or that recovery has found. */
    public void record(BatchInfo batch, long baseOffset, long nowMs) {
        ProducerState state = stateOf(batch.producerId(), batch.producerEpoch());
        int sequence = batch.baseSequence();
        state.add(sequence, lastSequence(sequence, batch.count()), baseOffset);
        if (batch.isTransactional() && state.openFrom() == ProducerState.NONE) {
            state.openFrom(baseOffset);
            transactions.hold(baseOffset, batch.producerId());
            changesOfTransactions++;
        }
        onChange(state, nowMs);
    }

    /**
     * Records the marker that ends a transaction, which was appended or which recovery has found.
     * The caller lets readers past it by {@link PartitionTransactions#release}.
     *
     * @param decision what the marker says of the decision that it carries out
     * @param offset the marker's
     * @return the first offset of the transaction; −1 when none was open
     */
    public long recordMarker(
            BatchInfo marker, boolean isCommit, int decision, long offset, long nowMs) {
        ProducerState state = stateOf(marker.producerId(), marker.producerEpoch());
        long first = state.openFrom();
        if (first != ProducerState.NONE && first < offset) {
            state.openFrom(ProducerState.NONE);
            transactions.ended(first, marker.producerId(), offset, isCommit);
        }
        state.decision(decision);
        changesOfTransactions++;
        onChange(state, nowMs);
        return first;
    }

    /**
     * Records a batch that is stored, or the marker that it is. Readers are let past the
     * transaction that a marker ends.
     *
     * @param info what was read of the batch
     */
    public void recordStored(BatchInfo info, ByteBuffer bytes, int at, long nowMs) {
        long offset = bytes.getLong(at + BatchFormat.BASE_OFFSET);
        if (!info.isControl()) {
            record(info, offset, nowMs);
        } else if (MarkerBatch.isAt(bytes, at)) {
            boolean isCommit = MarkerBatch.isCommit(bytes, at);
            int decision = MarkerBatch.decision(bytes, at);
            transactions.release(recordMarker(info, isCommit, decision, offset, nowMs));
        }
    }

    /** Notes a batch of another log's transaction; readers are held up from its first one on. */
    public void beginForeign(BatchInfo batch, long offset) {
        if (hasOpen(batch.producerId())) {
            return;
        }
        ProducerState state = new ProducerState(batch.producerEpoch());
        state.openFrom(offset);
        states.put(batch.producerId(), state);
        transactions.hold(offset, batch.producerId());
        onForeignChange();
    }

    /**
     * Notes the marker of another log's transaction, as {@link #recordMarker}. Nothing else is
     * remembered of its producer, which appends to that log.
     */
    public long endForeign(BatchInfo marker, boolean isCommit, long offset) {
        ProducerState state = states.remove(marker.producerId());
        if (state == null) {
            return ProducerState.NONE;
        }
        onForeignChange();
        transactions.ended(state.openFrom(), marker.producerId(), offset, isCommit);
        return state.openFrom();
    }

    /** Replaces what is known of another log's transactions by what was found anew. */
    public synchronized void adoptForeign(Producers found) {
        states.replaceAll(found.states);
        transactions.adopt(found.transactions);
        onForeignChange();
    }

    private void onForeignChange() {
        changes++;
        changesOfTransactions++;
    }

    /**
     * Forgets that transactions are open which began below an offset: their ends may have been
     * deleted unseen. One of which a later batch is found is open again from that on.
     */
    public void forgetOpenBelow(long offset) {
        states.forEach(
                (id, state) -> {
                    if (state.openFrom() < offset) {
                        state.openFrom(ProducerState.NONE);
                    }
                });
        transactions.holdOnly(states::isOpenFrom);
    }

    /** Forgets that transactions are open of which a later snapshot does not say so. */
    public void forgetOpenWithout(Fields snapshot) {
        states.forEach(
                (id, state) -> {
                    if (!snapshot.has(PartitionTransactions.PREFIX_OPEN + id)) {
                        state.openFrom(ProducerState.NONE);
                    }
                });
        transactions.holdOnly(states::isOpenFrom);
    }

    private ProducerState stateOf(long producerId, int epoch) {
        ProducerState state = states.get(producerId);
        if (state == null || epoch != state.epoch()) {
            state = new ProducerState(epoch, state);
            states.put(producerId, state);
        }
        return state;
    }

    private void onChange(ProducerState state, long nowMs) {
        state.seen(nowMs);
        changes++;
    }

    /** Returns whether a producer has an open transaction here; for the holder of the monitor. */
    public boolean hasOpen(long producerId) {
        ProducerState state = states.get(producerId);
        return state != null && state.openFrom() != ProducerState.NONE;
    }

    /** Sets the sequence that a batch of a producer of this process has to begin with. */
    public void setSequence(byte[] batch) {
        ProducerState state = states.get(HeaderBytes.getLong(batch, BatchFormat.PRODUCER_ID));
        int epoch = HeaderBytes.getShort(batch, BatchFormat.PRODUCER_EPOCH);
        boolean goesOn = state != null && state.epoch() == epoch;
        HeaderBytes.putInt(batch, BatchFormat.BASE_SEQUENCE, goesOn ? state.expectedSequence() : 0);
    }

    /** Returns the first offset of a producer's open transaction; −1 when it has none. */
    public synchronized long firstOfOpen(long producerId) {
        ProducerState state = states.get(producerId);
        return state == null ? ProducerState.NONE : state.openFrom();
    }

    private record Known(
            ProducerIdentity identity,
            int lastSequence,
            Instant lastTime,
            int markerEpoch,
            long firstOffset)
            implements PartitionProducer {}

    /** Returns what is known of all producers, in no order. */
    public synchronized List<PartitionProducer> list() {
        List<PartitionProducer> all = new ArrayList<>();
        states.forEach(
                (id, state) ->
                        all.add(
                                new Known(
                                        new ProducerIdentity(id, state.epoch()),
                                        state.lastSequence(),
                                        Instant.ofEpochMilli(state.lastSeenMs()),
                                        state.decision(),
                                        state.openFrom())));
        return all;
    }

    /** Forgets producers that have appended nothing for so long, and have no open transaction. */
    public synchronized void expire(long nowMs, long idleMs) {
        states.expire(nowMs, idleMs);
    }

    /** Sets what limits the producers of all partitions. */
    public synchronized void limit(StoreProducers ofStore) {
        states.limit(ofStore);
    }

    /** Returns the number of producers. Thread-safe. */
    int size() {
        return states.size();
    }

    /** The number of changes so far. */
    public synchronized long changes() {
        return changes;
    }

    /** The number of changes so far that began or ended a transaction. */
    public synchronized long changesOfTransactions() {
        return changesOfTransactions;
    }

    /** Returns everything as text, as of the present next offset. */
    public synchronized Map<String, String> snapshot(LongSupplier nextOffset) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put(NEXT, Long.toString(nextOffset.getAsLong()));
        states.forEach(
                (id, state) -> {
                    map.put(Long.toString(id), state.toText());
                    if (state.hasTransactions()) {
                        map.put(PartitionTransactions.PREFIX_OPEN + id, state.transactionsToText());
                    }
                });
        transactions.abortedToText(map);
        leaderEpochs.toText(map);
        return map;
    }

    /**
     * Loads a snapshot.
     *
     * @param filed the aborted transactions that are in files of their own, the earliest first
     * @return the offset at which it was taken
     * @throws DamagedFileException when it is no snapshot; these producers may have a part of it
     */
    public synchronized long restore(Fields snapshot, List<Fields> filed)
            throws DamagedFileException {
        for (String key : snapshot.keys()) {
            if (isProducer(key)) {
                ProducerState state = ProducerState.of(snapshot, key);
                if (!state.hasBatches() && !snapshot.has(PartitionTransactions.PREFIX_OPEN + key)) {
                    throw snapshot.unexpected(key, "a producer with batches", snapshot.text(key));
                }
                states.put(snapshot.numberIn(key, 0, Long.MAX_VALUE), state);
            }
        }
        Fields open = snapshot.below(PartitionTransactions.PREFIX_OPEN);
        for (String key : open.keys()) {
            restoreTransactions(open, key);
        }
        for (Fields each : filed) {
            transactions.addAborted(each);
        }
        transactions.filedTo(PartitionTransactions.filedTo(snapshot));
        transactions.addAborted(snapshot);
        leaderEpochs.addAll(snapshot);
        return ProducerSnapshots.offsetOf(snapshot);
    }

    private static boolean isProducer(String key) {
        return !key.equals(NEXT) && !PartitionTransactions.isKey(key) && !LeaderEpochs.isKey(key);
    }

    private void restoreTransactions(Fields open, String key) throws DamagedFileException {
        long id = open.numberIn(key, 0, Long.MAX_VALUE);
        ProducerState state = states.get(id);
        if (state == null) {
            throw open.unexpected(key, "a transaction of a producer in it", open.text(key));
        }
        state.transactionsOf(open, key);
        if (state.openFrom() != ProducerState.NONE) {
            transactions.hold(state.openFrom(), id);
        }
    }

    /** Sequences wrap from the largest int to 0. */
    private static int lastSequence(int first, int count) {
        return (first + count - 1) & Integer.MAX_VALUE;
    }
}
