package io.firn.crashlab;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.BusyException;
import io.firn.CleanupPolicy;
import io.firn.Cursor;
import io.firn.Durability;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.Partition;
import io.firn.StoreFullException;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.crashlab.ExpectedTransactions.Outcome;
import io.firn.crashlab.ExpectedTransactions.Sent;
import io.firn.host.HostedStore;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.host.TransactionStateException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Executes steps of transactions, several of which are open at a time, and between them what else
 * is done to the same partitions and cursors.
 */
final class TransactionActions {
    private static final int SLOTS = 4;

    /** The first slots are those of unnamed producers. */
    private static final int UNNAMED = 2;

    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final int[] LENGTHS = {40, 40, 40, 700, 4_000, 24_000};

    private final TestedStore tested;
    private final ExpectedTransactions expected;
    private final Slot[] slots = new Slot[SLOTS];
    private boolean wasFull;
    private int commits;
    private int aborts;

    /** An open transaction. */
    private record Slot(LogStore store, Transaction tx, boolean isNamed, Sent sent, long[] moves) {
        boolean movesCursor() {
            return moves[0] >= 0 || moves[1] >= 0;
        }
    }

    TransactionActions(TestedStore tested) {
        this.tested = tested;
        this.expected = tested.expected.transactions;
    }

    int commits() {
        return commits;
    }

    int aborts() {
        return aborts;
    }

    void run(Action action) {
        SplittableRandom random = new SplittableRandom(action.a() * 1_048_583L + action.b());
        expected.begins();
        create();
        int kind = random.nextInt(tested.media.isCompacted() ? 20 : 16);
        if (kind < 10) {
            transact(random);
        } else if (kind < 12) {
            appendPlain(random);
        } else if (kind == 12) {
            advance(random);
        } else if (kind == 13) {
            deleteRecords(random);
        } else if (kind == 14) {
            place(random).partition().force();
        } else {
            move(random);
        }
    }

    private void create() {
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(SEGMENT_BYTES)
                        .withPartitions(ExpectedTransactions.PARTITIONS);
        if (tested.media.hasMoves()) {
            options = options.withRollAge(Duration.ofMillis(TestedStore.ROLL_AGE_MS));
        }
        if (tested.media.isCompacted()) {
            // What aborted transactions have appended goes, and then their markers.
            options =
                    options.withCleanup(CleanupPolicy.COMPACT)
                            .withTombstoneRetention(Duration.ZERO);
        }
        for (ExpectedPlace each : expected.places) {
            if (!each.isThere()) {
                boolean isDurable = each.topic.equals(ExpectedTransactions.DURABLE);
                each.exists(
                        tested.store()
                                .ensureTopic(
                                        each.topic,
                                        isDurable
                                                ? options
                                                : options.withDurability(Durability.WRITTEN)));
            }
        }
    }

    private ExpectedPlace place(SplittableRandom random) {
        return expected.places.get(random.nextInt(expected.places.size()));
    }

    // ---- transactions

    private void transact(SplittableRandom random) {
        int number = random.nextInt(SLOTS);
        Slot slot = slots[number];
        if (slot != null && slot.store != tested.store()) {
            slot = null; // it ended with the store
        }
        slots[number] = null;
        if (slot == null) {
            slot = begin(number);
        }
        try {
            for (int i = random.nextInt(4); i >= 0; i--) {
                append(slot, random);
            }
            if (random.nextInt(3) == 0) {
                moveCursor(number, slot, random);
            }
        } catch (StoreFullException | BusyException | TransactionStateException e) {
            tolerate(e);
            abort(slot);
            return;
        }
        switch (random.nextInt(8)) {
            case 0, 1 -> slots[number] = slot; // it goes on later
            case 2 -> abort(slot);
            case 3 -> {
                if (number < UNNAMED) {
                    abort(slot);
                } else {
                    slot.sent.is(Outcome.ABORTED);
                    openProducer(number);
                    aborts++;
                }
            }
            default -> commit(slot);
        }
    }

    private Slot begin(int number) {
        LogStore store = tested.store();
        Transaction tx =
                number < UNNAMED
                        ? store.beginTransaction()
                        : openProducer(number).beginTransaction();
        return new Slot(store, tx, number >= UNNAMED, expected.new Sent(), new long[] {-1, -1});
    }

    private io.firn.Producer openProducer(int number) {
        return tested.store().openProducer("p" + number, ExpectedTransactions.TIMEOUT);
    }

    private void append(Slot slot, SplittableRandom random) {
        ExpectedPlace place = place(random);
        Partition partition = place.partition();
        int length = LENGTHS[random.nextInt(LENGTHS.length)];
        String words = slot.sent.sends(place);
        Batch batch = partition.topic().newBatch();
        add(batch, words, ExpectedPlace.value(words, length));
        slot.sent.sent(slot.tx.append(partition, batch));
    }

    /** Each record has a key of its own, so that a compaction keeps all that were committed. */
    private static void add(Batch batch, String words, byte[] value) {
        batch.add(words.getBytes(StandardCharsets.US_ASCII), value);
    }

    private void moveCursor(int number, Slot slot, SplittableRandom random) {
        boolean isByClient = number >= UNNAMED && random.nextBoolean();
        for (int i = isByClient ? 1 + random.nextInt(3) : 1; i > 0; i--) {
            int partition = random.nextInt(ExpectedTransactions.PARTITIONS);
            Topic topic = tested.store().openTopic(ExpectedTransactions.DURABLE);
            Partition read = topic.partition(partition);
            // Clients read no further than the durable end.
            long end = isByClient ? read.durableOffset() : read.nextOffset();
            long offset = random.nextLong(end + 1);
            if (isByClient) {
                moveByClient("p" + number, topic, partition, offset);
            } else {
                slot.tx.commitCursor(topic.cursor(ExpectedTransactions.CURSOR), partition, offset);
            }
            slot.moves[partition] = offset;
        }
    }

    /** As a server's client moves a cursor: the journal gets each move, one after another. */
    private void moveByClient(String name, Topic topic, int partition, long offset) {
        TransactionCoordinator coordinator = HostedStore.of(tested.store()).transactions();
        coordinator.commitCursors(
                name,
                coordinator.find(name).identity(),
                List.of(
                        new CursorMove(
                                topic, ExpectedTransactions.CURSOR, partition, offset, null)));
    }

    private void commit(Slot slot) {
        slot.sent.is(Outcome.COMMITTING);
        for (int i = 0; i < slot.moves.length; i++) {
            if (slot.moves[i] >= 0) {
                expected.positions(i).movesBy(slot.sent.id(), slot.moves[i]);
            }
        }
        boolean isCommitted = false;
        try {
            slot.tx.commit();
            isCommitted = true;
        } catch (FirnException | TransactionStateException e) {
            tolerate(e);
        }
        for (int i = 0; i < slot.moves.length; i++) {
            if (slot.moves[i] >= 0 && isCommitted) {
                expected.positions(i).isSure();
            } else if (slot.moves[i] >= 0) {
                expected.positions(i).isNot();
            }
        }
        if (isCommitted && !slot.isNamed && !slot.movesCursor()) {
            slot.sent.isCommittedByMarker();
        } else {
            slot.sent.is(isCommitted ? Outcome.COMMITTED : Outcome.ABORTED);
        }
        commits += isCommitted ? 1 : 0;
    }

    private void abort(Slot slot) {
        slot.sent.is(Outcome.ABORTED);
        try {
            slot.tx.abort();
            aborts++;
        } catch (FirnException | TransactionStateException e) {
            tolerate(e);
        }
    }

    /** Throws the exception again unless the store was full. */
    private void tolerate(RuntimeException e) {
        for (Throwable why = e; why != null; why = why.getCause()) {
            wasFull |= why instanceof StoreFullException;
        }
        if (!wasFull) {
            throw e;
        }
    }

    // ---- what else happens

    private void appendPlain(SplittableRandom random) {
        ExpectedPlace place = place(random);
        Partition partition = place.partition();
        String words = "plain " + expected.nextPlain();
        byte[] value = ExpectedPlace.value(words, LENGTHS[random.nextInt(LENGTHS.length)]);
        try (Appender appender = partition.openAppender()) {
            Batch batch = appender.newBatch();
            add(batch, words, value);
            long next = partition.nextOffset();
            place.plain.put(next, words);
            boolean isSync = random.nextBoolean();
            long offset = isSync ? appender.append(batch) : appender.tryAppend(batch);
            if (offset != next) {
                place.plain.remove(next); // refused, or a marker came first
                if (offset >= 0) {
                    place.plain.put(offset, words);
                }
            }
        } catch (StoreFullException e) {
            place.plain.values().remove(words);
            tolerate(e);
        }
    }

    private void advance(SplittableRandom random) {
        int partition = random.nextInt(ExpectedTransactions.PARTITIONS);
        Topic topic = tested.store().openTopic(ExpectedTransactions.DURABLE);
        Cursor cursor = topic.cursor(ExpectedTransactions.CURSOR);
        long offset = random.nextLong(topic.partition(partition).nextOffset() + 1);
        expected.positions(partition).moves(offset);
        cursor.commit(partition, offset);
        if (random.nextBoolean()) {
            cursor.force();
            expected.positions(partition).isSure();
        }
    }

    private void deleteRecords(SplittableRandom random) {
        ExpectedPlace place = place(random);
        long start = place.partition().logStartOffset();
        long to = start + random.nextLong(place.partition().durableOffset() - start + 1);
        place.startAsked = Math.max(place.startAsked, to);
        place.partition().deleteRecordsBefore(to);
    }

    private void move(SplittableRandom random) {
        if (!tested.media.hasMoves()) {
            return;
        }
        tested.pass(TestedStore.ROLL_AGE_MS);
        ExpectedPlace place = place(random);
        int index = expected.places.indexOf(place) % ExpectedTransactions.PARTITIONS;
        if (tested.media.isCompacted() && random.nextInt(4) > 0) {
            tested.pass(TestedStore.ROLL_AGE_MS);
            tested.store().compact(place.topic, index, MoveControl.UNLIMITED);
            return;
        }
        List<SegmentPlace> movable =
                tested.store().snapshot().partitions().stream()
                        .filter(each -> each.topic().equals(place.topic))
                        .filter(each -> each.partition() == index)
                        .flatMap(each -> each.segments().stream())
                        .filter(SegmentPlace::isMovable)
                        .toList();
        if (!movable.isEmpty()) {
            SegmentPlace segment = movable.get(random.nextInt(movable.size()));
            List<TierMetrics> tiers = tested.store().metrics().tiers();
            String tier = tiers.get(random.nextInt(tiers.size())).label();
            tested.store()
                    .migrate(place.topic, index, segment.baseOffset(), tier, MoveControl.UNLIMITED);
        }
    }
}
