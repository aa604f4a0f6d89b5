package io.firn.crashlab;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Compression;
import io.firn.Cursor;
import io.firn.Durability;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.MoveControl;
import io.firn.MoveOutcome;
import io.firn.StoreFullException;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.crashlab.Promises.OfTopic;
import io.firn.crashlab.Promises.Presence;
import io.firn.crashlab.Promises.Repeatable;
import io.firn.crashlab.Promises.Violation;
import io.firn.sim.SimulatedFileMedium;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.CachedEpochClock;

/** A store that lives through a workload, and what it promises meanwhile. */
final class Life {
    static final int MOST_TOPICS = 3;

    private static final long START_MS = 1_700_000_000_000L;
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final int ROLL_AGE_MS = 1_000;
    private static final int[] PASSES_MS = {1, 10, 100, 100, 1_100};

    final Media media;
    final Machine machine;
    final Promises promises = new Promises();
    final CachedEpochClock clock = new CachedEpochClock();

    /** Whether actions may fail, since the medium does. */
    private final boolean mayFail;

    private final OfTopic[] current = new OfTopic[MOST_TOPICS];
    private LogStore store;
    private Action doing;
    private int failures;
    private int moved;
    private int besideMoves;

    /** What goes on beside a move; null when none is under way. */
    private BesideMove beside;

    Life(Media media, SimulatedFileMedium medium, boolean mayFail) {
        this.media = media;
        this.machine = new Machine(medium);
        this.mayFail = mayFail;
        clock.update(START_MS);
    }

    /** What is going on, for messages. */
    Action doing() {
        return doing;
    }

    /** Whether it is the background that works. */
    boolean isInBackground() {
        return doing != null && doing.kind() == Action.Kind.PASS;
    }

    /** How many segments were moved. */
    int moved() {
        return moved;
    }

    /** How many actions came in the midst of a move. */
    int besideMoves() {
        return besideMoves;
    }

    /** How many actions failed. */
    int failures() {
        return failures;
    }

    LogStore store() {
        return store;
    }

    /** Lives through all of it. */
    void run(List<Action> actions) {
        runUntilClose(actions, () -> {});
    }

    /** Lives through all of it, and does something before the end. */
    void runUntilClose(List<Action> actions, Runnable beforeClose) {
        runWithJump(actions, -1, 0);
        beforeClose.run();
        doing = null;
        orPowerCut(this::close);
    }

    /** Does something; should the power be cut meanwhile, the next incarnation recovers. */
    private void orPowerCut(Runnable action) {
        try {
            action.run();
        } catch (PowerCut | AssertionError | RuntimeException e) {
            if (!machine.isCut()) {
                if (e instanceof FirnException failure) {
                    fail(failure);
                } else {
                    throw e;
                }
            }
        }
        if (machine.isCut()) {
            beside = null;
            orPowerCut(this::restart);
        }
    }

    private void restart() {
        store = null;
        store = media.open(machine.restart(), clock, 0);
        promises.check(store);
        promises.adopt(store);
        Arrays.fill(current, null);
        for (OfTopic topic : promises.topics) {
            if (topic.presence == Presence.EXISTS) {
                current[Integer.parseInt(topic.name.substring(1))] = topic;
            }
        }
    }

    /** Lives through all of it, does not close, and sets the clock before one of the actions. */
    void runWithJump(List<Action> actions, int jumpBefore, long ms) {
        open(0);
        for (int i = 0; i < actions.size() && store != null; i++) {
            doing = actions.get(i);
            if (i == jumpBefore) {
                clock.advance(ms);
            }
            orPowerCut(() -> act(doing));
        }
    }

    private void fail(FirnException e) {
        failures++;
        if (!mayFail && !(e instanceof StoreFullException)) {
            throw e;
        }
        for (OfTopic topic : current) {
            if (topic != null && topic.partition != null && topic.presence == Presence.EXISTS) {
                // What was refused was not taken; what was taken may be durable some day.
                topic.forget(topic.partition.nextOffset());
            }
        }
    }

    /** A medium that failed once may be asked again. */
    private void open(int variant) {
        store = null;
        try {
            store = media.open(machine.medium(), clock, variant);
        } catch (FirnException e) {
            fail(e);
            store = media.open(machine.medium(), clock, variant);
        }
    }

    void close() {
        try {
            if (store != null) {
                store.close();
            }
        } catch (FirnException e) {
            fail(e);
        }
    }

    private void act(Action action) {
        switch (action.kind()) {
            case CREATE -> create(action);
            case DELETE -> delete(action);
            case PASS -> pass(PASSES_MS[action.a() % PASSES_MS.length]);
            case REOPEN -> reopen(action.a());
            case CUT -> machine.cutSoon(action.a());
            default -> {
                OfTopic topic = current[action.topic()];
                topic = topic == null ? current[0] : topic;
                if (topic != null && topic.presence == Presence.EXISTS) {
                    actOn(topic, action);
                }
            }
        }
    }

    private void actOn(OfTopic topic, Action action) {
        switch (action.kind()) {
            case APPEND, APPEND_ASYNC, APPEND_BULK, APPEND_IDEMPOTENT -> append(topic, action);
            case MOVE -> move(topic, action);
            case FORCE -> topic.partition.force();
            case CURSOR -> moveCursor(topic, action);
            case DELETE_RECORDS -> deleteRecords(topic, action);
            default -> throw new AssertionError(action);
        }
    }

    private void create(Action action) {
        int i = action.topic();
        if (current[i] != null) {
            return;
        }
        OfTopic topic = new OfTopic("t" + i);
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(SEGMENT_BYTES);
        options = options.withDurability(Durability.values()[action.a() % 2]);
        Compression[] all = Compression.values();
        options =
                options.withCompression(
                        all[Math.max(0, action.a() / 2 % (2 * all.length) - all.length)]);
        if (media.hasMoves()) {
            options =
                    options.withRollAge(
                            Duration.ofMillis(ROLL_AGE_MS)); // only what is sealed can move
        }
        if (action.a() / 32 % 4 == 0) {
            topic.isRetained = true;
            options = options.withRetentionBytes(SEGMENT_BYTES);
        }
        if (action.a() / 128 % 4 == 0) {
            options = options.withForce(1 << 20, Duration.ofSeconds(10));
        }
        promises.topics.add(topic);
        topic.exists(store.createTopic(topic.name, options));
        current[i] = topic;
    }

    private void delete(Action action) {
        OfTopic topic = current[action.topic()];
        if (action.topic() == 0 || topic == null) {
            return;
        }
        topic.presence = Presence.MAY_EXIST;
        current[action.topic()] = null;
        store.deleteTopic(topic.name);
        topic.presence = Presence.GONE;
    }

    /** Lets time pass in which the background does what is due. */
    void pass(long ms) {
        clock.advance(ms);
        for (int i = 0; i < 3; i++) {
            store.doWork();
        }
    }

    /**
     * Ends where a force had failed: that recovery stores the same bytes again, so that the system
     * takes them for dirty again, is not seen by a simulation, which would lose them.
     */
    private void reopen(int variant) {
        boolean isPoisoned =
                store.metrics().partitions().stream().anyMatch(each -> each.poisoned());
        close();
        if (isPoisoned) {
            store = null;
            return;
        }
        open(variant);
        for (OfTopic topic : current) {
            if (topic != null) {
                Topic found = store.openTopic(topic.name);
                if (found.partition(0).nextOffset() < topic.durable()) {
                    throw new Violation(topic.name + " lost records when it was closed");
                }
                topic.exists(found);
                topic.forget(topic.partition.nextOffset());
            }
        }
    }

    private void append(OfTopic topic, Action action) {
        List<byte[]> values = Values.of(action, topic.sent.size());
        try (Appender appender = topic.partition.openAppender()) {
            Batch batch = appender.newBatch();
            values.forEach(batch::add);
            if (action.kind() == Action.Kind.APPEND_IDEMPOTENT) {
                if (topic.producer < 0) {
                    topic.producer = promises.handedOut(store.newProducerId());
                }
                batch.producer(topic.producer, 0, topic.sequence);
            }
            topic.sends(values);
            if (action.kind() == Action.Kind.APPEND_ASYNC
                    || action.kind() == Action.Kind.APPEND_BULK) {
                appendAsync(appender, batch, topic);
                return;
            }
            long before = topic.partition.nextOffset();
            long offset = appender.append(batch);
            if (store.openTopic(topic.name).options().durability() == Durability.DURABLE) {
                topic.acks(offset, values.size());
            } else if (offset != before) {
                throw new Violation(topic.name + " gave offset " + offset + ", not " + before);
            }
            if (action.kind() == Action.Kind.APPEND_IDEMPOTENT) {
                Repeatable done = new Repeatable(topic.producer, topic.sequence, values, offset);
                topic.last = topic.durable() > offset ? done : null;
                topic.sequence += values.size();
            }
        }
    }

    private void appendAsync(Appender appender, Batch batch, OfTopic topic) {
        for (int i = 0; appender.appendAsync(batch) == Appender.BACK_PRESSURED; i++) {
            store.doWork();
            if (i > 100 && mayFail) {
                topic.forget(topic.partition.nextOffset()); // what failed rests for a second
                return;
            }
            if (i > 100) {
                throw new Violation(topic.name + ": no block for a segment comes");
            }
        }
    }

    private void moveCursor(OfTopic topic, Action action) {
        Cursor cursor = store.openTopic(topic.name).cursor("c");
        long next = topic.partition.nextOffset();
        long offset = Math.max(topic.cursorAsked, next - action.a() % 3);
        if (offset < 0 || offset > next) {
            return;
        }
        topic.cursorAsked = offset;
        cursor.advance(0, offset);
        if (action.b() % 2 == 0) {
            cursor.force();
            topic.cursorForced = offset;
        }
    }

    /** Moves a segment; of some moves nothing comes, for one reason or another. */
    private void move(OfTopic topic, Action action) {
        pass(ROLL_AGE_MS); // so that there is a segment that was sealed
        List<SegmentPlace> movable =
                store.snapshot().partitions().stream()
                        .filter(each -> each.topic().equals(topic.name))
                        .flatMap(each -> each.segments().stream())
                        .filter(SegmentPlace::movable)
                        .toList();
        if (movable.isEmpty()) {
            return;
        }
        SegmentPlace segment = movable.get(action.a() % movable.size());
        int tier = action.b() % store.metrics().tiers().size();
        MoveControl control =
                switch (action.b() / 8 % 8) {
                    case 0 -> (copied, total, next) -> -1;
                    case 1 ->
                            (copied, total, next) -> {
                                deleteRecordsBefore(topic, segment.endOffset());
                                pass(1);
                                return 0;
                            };
                    default -> MoveControl.UNLIMITED;
                };
        if (action.b() / 8 % 8 > 3) {
            beside = new BesideMove(action.b(), each -> actBesideMove(topic, each));
        }
        machine.beside(beside);
        MoveOutcome outcome = store.migrate(topic.name, 0, segment.baseOffset(), tier, control);
        machine.beside(null);
        beside = null;
        moved += outcome == MoveOutcome.MOVED ? 1 : 0;
    }

    private void actBesideMove(OfTopic topic, Action action) {
        besideMoves++;
        try {
            if (action.kind() == Action.Kind.PASS) {
                act(action);
            } else {
                actOn(topic, action);
            }
        } catch (FirnException e) {
            fail(e); // the move must not take it for a failure of its own
        }
    }

    private void deleteRecords(OfTopic topic, Action action) {
        long durable = topic.partition.durableOffset();
        long start = topic.partition.logStartOffset();
        long offset = start + action.a() % (durable - start + 1);
        deleteRecordsBefore(topic, offset);
    }

    private static void deleteRecordsBefore(OfTopic topic, long offset) {
        topic.startAsked = Math.max(topic.startAsked, offset);
        topic.partition.deleteRecordsBefore(offset);
    }
}
