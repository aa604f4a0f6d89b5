package io.firn.tx;

import io.firn.Finding.Kind;
import io.firn.FirnException;
import io.firn.PartitionReader.DamagedRange;
import io.firn.RecordTooLargeException;
import io.firn.StoreFullException;
import io.firn.findings.FindingKey;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator.PartitionProducer;
import io.firn.log.DamagedMarkers;
import io.firn.log.LogContext;
import io.firn.medium.GuardedLog;
import io.firn.tx.JournalEntry.MarkerToWrite;
import io.firn.tx.PendingCompletion.PendingMarker;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What becomes of transactions when a store is opened (O13), after all partitions were recovered
 * and before they are read. The journal says how they ended; which were open, the partitions
 * themselves say: each batch of a transaction without a marker behind it. In this order:
 *
 * <ol>
 *   <li>The journal is read.
 *   <li>Each transaction that is open in a partition: if it was decided, its marker is appended. If
 *       its producer has a name, and has not been opened again, it stays open. Otherwise it is
 *       aborted.
 *   <li>The markers are forced (O1).
 *   <li>Cursors are set by decisions that their files do not contain yet.
 *   <li>What was found to be done is written into the journal, so that it is never taken for
 *       something that happens later.
 * </ol>
 *
 * <p>It can be interrupted at any time, and begins again.
 */
final class TxRecovery {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final int TOGETHER = 256;

    private final LogContext context;
    private final TxStore store;
    private final ProducerRegistry producers;
    private final Decisions decisions;

    /** A producer's transactions in a partition. */
    private record Place(long producerId, UUID topicId, int partition) {}

    /** What the journal says of them. */
    private final Map<Place, List<MarkerToWrite>> decided = new HashMap<>();

    private final Map<Long, TxProducer> byId = new HashMap<>();

    TxRecovery(LogContext context, TxStore store, ProducerRegistry producers, Decisions decisions) {
        this.context = context;
        this.store = store;
        this.producers = producers;
        this.decisions = decisions;
    }

    void recover() throws IOException {
        List<TxProducer> unfinished = new ArrayList<>();
        Map<String, JournalReplay.Found> entries = decisions.journal().replay();
        for (JournalReplay.Found each : entries.values()) {
            checkReadable(each);
        }
        entries.forEach((key, placed) -> take(key, placed, unfinished));
        for (TxPartition each : store.partitions()) {
            if (!each.producers().transactions().isIdle()) {
                recover(each);
            }
        }
        List<TxProducer> all = producers.all();
        for (TxProducer each : all) {
            decisions.carryOut(each, each.entryOffset());
        }
        List<Runnable> forces = new ArrayList<>();
        for (TxPartition each : store.partitions()) {
            if (each.log().durableOffset() < each.log().nextOffset()) {
                forces.add(() -> force(each));
            }
        }
        context.background().sideBySide().run(forces);
        for (int i = 0; i < unfinished.size(); i += TOGETHER) {
            writeDone(unfinished.subList(i, Math.min(unfinished.size(), i + TOGETHER)));
        }
    }

    /**
     * Checks that all topics of an entry can be read: the next entry says nothing of a topic that
     * is not there, and what was decided for it would be lost.
     */
    private void checkReadable(JournalReplay.Found placed) throws IOException {
        for (MarkerToWrite each : placed.entry().markers()) {
            store.checkReadable(each.topicId());
        }
        for (CursorCommit each : placed.entry().commits()) {
            store.checkReadable(each.topicId());
        }
        for (CursorCommit each : placed.openCommits()) {
            store.checkReadable(each.topicId());
        }
    }

    /** Whatever the journal has no room for, the store is opened; the background tries again. */
    private void writeDone(List<TxProducer> group) {
        try {
            decisions.write(group);
        } catch (StoreFullException | RecordTooLargeException e) {
            LOG.log(Level.WARNING, "{0}: {1}", context, e.getMessage());
            group.forEach(each -> each.failure().unwritten(e));
        }
    }

    private void take(String key, JournalReplay.Found placed, List<TxProducer> unfinished) {
        TxProducer producer = load(key, placed);
        JournalEntry entry = placed.entry();
        producers.add(producer);
        byId.put(entry.id(), producer);
        for (MarkerToWrite each : entry.markers()) {
            Place place = new Place(each.producerId(), each.topicId(), each.partition());
            decided.computeIfAbsent(place, none -> new ArrayList<>(1)).add(each);
            byId.putIfAbsent(each.producerId(), producer);
        }
        if (!entry.markers().isEmpty() || !entry.commits().isEmpty()) {
            unfinished.add(producer);
        }
    }

    private TxProducer load(String key, JournalReplay.Found placed) {
        JournalEntry entry = placed.entry();
        TxProducer producer =
                new TxProducer(
                        key,
                        ProducerRegistry.nameIn(key),
                        new ProducerIdentity(entry.id(), entry.epoch()),
                        entry.timeoutMs(),
                        entry.lastUsedMs());
        OngoingTransaction transaction =
                new OngoingTransaction(context.timeMs(), context.nowNs()); // its time begins again
        transaction.addCommits(
                placed.openCommits().stream().map(commit -> withinLog(producer, commit)).toList());
        producer.load(entry, transaction);
        producer.entryOffset(placed.offset());
        return producer;
    }

    /**
     * Returns a cursor commit of an open transaction that is not above the end of its partition
     * (O7): what was read there of a WRITTEN topic may be lost, and its offsets are assigned again.
     * One that was outside the log when it was asked for stays as it is.
     */
    private CursorCommit withinLog(TxProducer producer, CursorCommit commit) {
        TxPartition read = store.partition(commit.topicId(), commit.partition());
        if (read == null || commit.isOutside() || commit.offset() <= read.log().nextOffset()) {
            return commit;
        }
        long end = read.log().nextOffset();
        context.findings()
                .begin(
                        FindingKey.of(Kind.CURSOR_MISMATCH, read.log().subject(), commit.cursor()),
                        producer
                                + ": its open transaction commits cursor "
                                + commit.cursor()
                                + " in "
                                + read
                                + " to offset "
                                + commit.offset()
                                + ", but the log ends at "
                                + end
                                + " since records were lost: it is set there");
        return commit.to(end);
    }

    private record Open(long producerId, int epoch, long first) {}

    private void recover(TxPartition partition) throws IOException {
        List<Open> open = new ArrayList<>();
        for (PartitionProducer each : partition.producers().list()) {
            if (each.firstOffset() >= 0) {
                ProducerIdentity identity = each.identity();
                open.add(new Open(identity.id(), identity.epoch(), each.firstOffset()));
            }
        }
        open.removeIf(each -> recoverDecided(partition, each));
        if (!open.isEmpty()) {
            tellDamageAbove(partition, open);
            open.forEach(each -> recover(partition, each));
        }
    }

    /** Gives a transaction the end that the journal says; false if it says none. */
    private boolean recoverDecided(TxPartition partition, Open open) {
        MarkerToWrite toWrite = markerOf(partition, open);
        if (toWrite == null) {
            return false;
        }
        byId.get(open.producerId).pending().add(new PendingMarker(toWrite, partition));
        return true;
    }

    private void recover(TxPartition partition, Open open) {
        TxProducer producer = byId.get(open.producerId);
        if (producer != null && isStillOpen(producer, open)) {
            producer.addOpen(partition, context.timeMs(), context.nowNs());
            return;
        }
        if (producer == null) {
            producer = producers.addUnnamed(open.producerId, context.timeMs());
            byId.put(open.producerId, producer);
        }
        producer.pending().add(new PendingMarker(abort(partition, open), partition));
    }

    /**
     * Tells of damage above transactions that are open as far as is known: a marker that carried
     * out an earlier decision, which the journal no longer has, may be what is damaged.
     */
    private void tellDamageAbove(TxPartition partition, List<Open> open) throws IOException {
        long first = open.stream().mapToLong(Open::first).min().orElseThrow();
        new DamagedMarkers(partition.log())
                .searchFrom(Math.max(first, partition.log().logStartOffset()));
        List<DamagedRange> damaged = partition.log().damage();
        for (Open each : open) {
            damaged.stream()
                    .filter(range -> range.toOffset() > each.first)
                    .findFirst()
                    .ifPresent(range -> tell(partition, each, range));
        }
    }

    private void tell(TxPartition partition, Open open, DamagedRange range) {
        context.findings()
                .begin(
                        keyOf(partition, open, range),
                        partition
                                + ": the end of the transaction of producer "
                                + open.producerId
                                + " at offset "
                                + open.first
                                + " may be among the damaged offsets "
                                + range.fromOffset()
                                + " to "
                                + range.toOffset()
                                + ": it is taken as not committed, and its records are seen only by"
                                + " readers of uncommitted records");
    }

    private static FindingKey keyOf(TxPartition partition, Open open, DamagedRange range) {
        return new FindingKey(
                Kind.TRANSACTION_DOUBTFUL,
                partition.log().subject(),
                "producer " + open.producerId,
                range.fromOffset(),
                range.toOffset());
    }

    private MarkerToWrite markerOf(TxPartition partition, Open open) {
        Place place = new Place(open.producerId, partition.topicId(), partition.index());
        for (MarkerToWrite each : decided.getOrDefault(place, List.of())) {
            if (open.first < each.end()) {
                return each;
            }
        }
        return null;
    }

    private static boolean isStillOpen(TxProducer producer, Open open) {
        return producer.isNamed()
                && producer.identity().equals(new ProducerIdentity(open.producerId, open.epoch));
    }

    private static MarkerToWrite abort(TxPartition partition, Open open) {
        return new MarkerToWrite(
                partition.topicId(),
                partition.index(),
                false,
                open.producerId,
                open.epoch,
                partition.log().nextOffset());
    }

    /** A partition whose medium fails is poisoned, which is a finding; the others are opened. */
    private static void force(TxPartition partition) {
        try {
            partition.forcer().awaitDurable(partition.log().nextOffset());
        } catch (FirnException e) {
            LOG.log(Level.WARNING, partition + ": " + e.getMessage());
        }
    }
}
