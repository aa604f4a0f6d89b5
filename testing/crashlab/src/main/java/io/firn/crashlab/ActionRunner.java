package io.firn.crashlab;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Cursor;
import io.firn.Durability;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore.MoveControl;
import io.firn.LogStore.MoveOutcome;
import io.firn.PartitionReader.CompactionResult;
import io.firn.StoreMetrics.Drain;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.crashlab.ExpectedTopic.Repeatable;
import io.firn.host.HostedStore;
import java.util.List;
import java.util.Set;

/** Executes single actions on a store, and notes what the store promises by them. */
final class ActionRunner {
    private static final int[] PASSES_MS = {1, 10, 100, 100, 1_100};
    private static final int MOST_ATTEMPTS = 100;

    /** The first of these is deleted, one is active then, and the next one gets its file. */
    private static final int FILLED = 3;

    /** The last ones are enough for most drains that can end. */
    private static final int[] CALLS_OF_DRAINS = {0, 3, 40, 200};

    private final TestedStore tested;
    private final TransactionActions transactions;
    private int moves;
    private int compactions;
    private int drains;
    private int actionsDuringMoves;

    ActionRunner(TestedStore tested) {
        this.tested = tested;
        this.transactions = new TransactionActions(tested);
    }

    int moves() {
        return moves;
    }

    int compactions() {
        return compactions;
    }

    int drains() {
        return drains;
    }

    TransactionActions transactions() {
        return transactions;
    }

    int actionsDuringMoves() {
        return actionsDuringMoves;
    }

    void run(Action action) {
        switch (action.kind()) {
            case CREATE -> tested.createTopic(action.topic(), action.a());
            case DELETE -> tested.deleteTopic(action.topic());
            case PASS -> tested.pass(PASSES_MS[action.a() % PASSES_MS.length]);
            case REOPEN -> tested.reopen(action.a());
            case TRANSACTION -> transactions.run(action);
            case CUT -> tested.machine.cutSoon(action.a());
            default -> {
                ExpectedTopic topic = tested.topic(action.topic());
                if (topic != null) {
                    runOn(topic, action);
                }
            }
        }
    }

    private void runOn(ExpectedTopic topic, Action action) {
        switch (action.kind()) {
            case APPEND, APPEND_ASYNC, APPEND_BULK, APPEND_IDEMPOTENT -> append(topic, action);
            case MOVE -> move(topic, action);
            case DRAIN -> drain(topic, action);
            case COMPACT -> compact(topic, action);
            case RECYCLE -> recycle(topic, action);
            case FORCE -> topic.partition.force();
            case CURSOR -> advanceCursor(topic, action);
            case DELETE_RECORDS -> deleteRecords(topic, action);
            default -> throw new AssertionError(action);
        }
    }

    // ---- append

    private void append(ExpectedTopic topic, Action action) {
        List<byte[]> values = Values.of(action, topic.sent.size());
        try (Appender appender = topic.partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            topic.fill(batch, values, topic.sent.size());
            boolean isIdempotent = action.kind() == Action.Kind.APPEND_IDEMPOTENT;
            if (isIdempotent) {
                if (topic.producer < 0) {
                    topic.producer =
                            tested.expected.issued(HostedStore.of(tested.store()).newProducerId());
                }
                batch.producer(topic.producer, 0, topic.sequence);
            }
            topic.sends(values);
            if (action.kind() == Action.Kind.APPEND_ASYNC
                    || action.kind() == Action.Kind.APPEND_BULK) {
                tryAppend(appender, batch, topic);
                return;
            }
            long before = topic.partition.nextOffset();
            long offset = appender.append(batch);
            if (tested.store().openTopic(topic.name).options().durability() == Durability.DURABLE) {
                topic.acks(offset, values.size());
            } else {
                Violation.require(
                        offset == before,
                        topic.name + " returned offset " + offset + ", not " + before);
            }
            if (isIdempotent) {
                Repeatable done = new Repeatable(topic.producer, topic.sequence, values, offset);
                topic.last = topic.durable() > offset ? done : null;
                topic.sequence += values.size();
            }
        }
    }

    private void tryAppend(Appender appender, Batch batch, ExpectedTopic topic) {
        for (int i = 0; appender.tryAppend(batch) == Appender.BACK_PRESSURED; i++) {
            tested.store().doWork();
            if (i > MOST_ATTEMPTS) {
                Violation.require(
                        tested.mayFail(), topic.name + " gets no block for its next segment");
                // A tier that failed is not used for a second.
                topic.forget(topic.partition.nextOffset());
                return;
            }
        }
    }

    // ---- cursors and deletion

    private void advanceCursor(ExpectedTopic topic, Action action) {
        Cursor cursor = tested.store().openTopic(topic.name).cursor("c");
        long next = topic.partition.nextOffset();
        long offset = Math.max(topic.cursorAsked, next - action.a() % 3);
        if (offset < 0 || offset > next) {
            return;
        }
        topic.cursorAsked = offset;
        cursor.commit(0, offset);
        if (action.b() % 2 == 0) {
            cursor.force();
            topic.cursorForced = offset;
        }
    }

    private static void deleteRecords(ExpectedTopic topic, Action action) {
        long durable = topic.partition.durableOffset();
        long start = topic.partition.logStartOffset();
        deleteRecordsBefore(topic, start + action.a() % (durable - start + 1));
    }

    private static void deleteRecordsBefore(ExpectedTopic topic, long offset) {
        topic.startAsked = Math.max(topic.startAsked, offset);
        topic.partition.deleteRecordsBefore(offset);
    }

    /** Fills segments and deletes them while the log goes on, until one has the file of another. */
    private void recycle(ExpectedTopic topic, Action action) {
        for (int i = 0; i < FILLED; i++) {
            for (int j = 0; j < Workload.APPENDS_TO_ROLL; j++) {
                int seed = action.a() + i * Workload.APPENDS_TO_ROLL + j;
                append(
                        topic,
                        new Action(Action.Kind.APPEND_BULK, action.topic(), seed, action.b()));
            }
            topic.partition.force();
            tested.pass(1); // what is rolled is sealed
            deleteRecordsBefore(topic, topic.partition.durableOffset());
            tested.pass(1);
        }
    }

    // ---- moves

    /** Moves a sealed segment, if there is one. Some moves are cancelled or meet a deletion. */
    private void move(ExpectedTopic topic, Action action) {
        tested.pass(TestedStore.ROLL_AGE_MS); // so that a segment is sealed
        List<SegmentPlace> movable =
                tested.store().snapshot().partitions().stream()
                        .filter(each -> each.topic().equals(topic.name))
                        .flatMap(each -> each.segments().stream())
                        .filter(SegmentPlace::isMovable)
                        .toList();
        if (movable.isEmpty()) {
            return;
        }
        SegmentPlace segment = movable.get(action.a() % movable.size());
        List<TierMetrics> tiers = tested.store().metrics().tiers();
        TierMetrics to = tiers.get(action.b() % tiers.size());
        if (to.drain() != Drain.NONE) {
            return;
        }
        String tier = to.label();
        int variant = action.b() / 8 % 8;
        during(
                topic,
                action,
                variant > 3,
                () -> {
                    MoveControl control = control(variant, topic, segment.endOffset());
                    MoveOutcome outcome =
                            tested.store()
                                    .migrate(topic.name, 0, segment.baseOffset(), tier, control);
                    moves += outcome == MoveOutcome.MOVED ? 1 : 0;
                });
    }

    /** Drains a tier, or lets one have segments again. Some drains are cancelled half-way. */
    private void drain(ExpectedTopic topic, Action action) {
        List<TierMetrics> tiers = tested.store().metrics().tiers();
        TierMetrics tier = tiers.get(action.a() % tiers.size());
        ExpectedDrains expected = tested.expected.drains;
        if (tier.drain() != Drain.NONE && action.b() % 4 != 0) {
            expected.mayBecome(tier.label(), Drain.NONE);
            tested.store().cancelDrain(tier.label());
            expected.is(tier.label(), Drain.NONE);
            return;
        }
        Set<Drain> before = expected.of(tier.label());
        expected.mayBecome(tier.label(), Drain.IN_PROGRESS, Drain.DONE);
        try {
            MoveControl control = drainControl(topic, action);
            boolean isDone = tested.store().drain(tier.label(), control);
            expected.is(tier.label(), isDone ? Drain.DONE : Drain.IN_PROGRESS);
            drains += isDone ? 1 : 0;
        } catch (InvalidOptionException e) {
            expected.restore(tier.label(), before); // the topics have no other tier
        }
    }

    /** Ends at some piece of a segment, and does what others might do before some. */
    private MoveControl drainControl(ExpectedTopic topic, Action action) {
        int most = CALLS_OF_DRAINS[action.b() / 4 % CALLS_OF_DRAINS.length];
        ConcurrentActions others =
                new ConcurrentActions(action.b(), each -> runDuringMove(topic, each));
        int[] calls = {0};
        return (copied, total, next) -> {
            if (calls[0]++ >= most) {
                return MoveControl.CANCEL;
            }
            if (next > 0 && action.b() / 16 % 2 == 0) {
                others.run();
            }
            return 0;
        };
    }

    /** Compacts a topic. Some compactions are cancelled or meet a deletion. */
    private void compact(ExpectedTopic topic, Action action) {
        tested.pass(TestedStore.ROLL_AGE_MS); // so that a segment is sealed
        int variant = action.b() / 8 % 8;
        during(
                topic,
                action,
                variant > 3,
                () -> {
                    long deleteTo = topic.partition.durableOffset() / 2;
                    CompactionResult result =
                            tested.store()
                                    .compact(topic.name, 0, control(variant, topic, deleteTo));
                    compactions += result.removedRecords() > 0 ? 1 : 0;
                });
    }

    /** Runs something during which, if so wanted, the same thread does what others might do. */
    private void during(
            ExpectedTopic topic, Action action, boolean isDisturbed, Runnable something) {
        if (isDisturbed) {
            tested.machine.beforeOperations(
                    new ConcurrentActions(action.b(), each -> runDuringMove(topic, each)));
        }
        try {
            something.run();
        } finally {
            tested.machine.beforeOperations(null);
        }
    }

    private MoveControl control(int variant, ExpectedTopic topic, long deleteTo) {
        return switch (variant) {
            case 0 -> (copied, total, next) -> -1;
            case 2 -> (copied, total, next) -> copied > 0 ? -1 : 0; // after the first piece
            case 1 ->
                    (copied, total, next) -> {
                        deleteRecordsBefore(topic, deleteTo);
                        tested.pass(1);
                        return 0;
                    };
            default -> MoveControl.UNLIMITED;
        };
    }

    private void runDuringMove(ExpectedTopic topic, Action action) {
        actionsDuringMoves++;
        try {
            if (action.kind() == Action.Kind.PASS) {
                run(action);
            } else {
                runOn(topic, action);
            }
        } catch (FirnException e) {
            tested.tolerate(e); // the move must not take it for a failure of its own
        }
    }
}
