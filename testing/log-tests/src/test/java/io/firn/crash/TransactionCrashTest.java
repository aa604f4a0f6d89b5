package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.host.HostedStore;
import io.firn.host.TransactionCoordinator.NamedProducer;
import io.firn.kill.Flaws;
import io.firn.sim.SecondRun;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Power cuts and kills at every operation of transactions (O11 to O13). After each, a transaction
 * is there in all of its partitions, and has moved its cursor, or nowhere; one whose commit has
 * returned is there; no cursor is set back by an older decision; and nothing stays undecided.
 */
class TransactionCrashTest {
    private static final int MOST_FAILURES = 3;
    private static final Duration TIMEOUT = Duration.ofDays(1);
    private static final List<String> TOPICS = List.of("durable", "written");
    private static final int PARTITIONS = 2;

    private final Simulation simulation = new Simulation(new SimulatedFileMedium());
    private final SimulatedFileMedium medium = simulation.medium;
    private final List<String> failures = new ArrayList<>();

    /** What became of the transactions, by their numbers. */
    private final Map<Integer, Outcome> outcomes = new TreeMap<>();

    /** The last change of the cursor: what it was before, what it is after, and by what. */
    private long before = -1;

    private long after = -1;
    private int movedBy;
    private boolean isMoved;

    /** Where each transaction appends. */
    private final Map<Integer, int[]> placesOf = new TreeMap<>();

    /** Whether plain records, each of which forces what is before it, are between the others. */
    private boolean hasPlain;

    private boolean isWritten;

    private int number;
    private String doing = "nothing";
    private int looks;

    private enum Outcome {
        /** It may be there or not. */
        UNKNOWN,
        COMMITTED,
        ABORTED
    }

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    private static byte[] text(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    private static Partition place(LogStore store, int place) {
        return store.openTopic(TOPICS.get(place / PARTITIONS)).partition(place % PARTITIONS);
    }

    /** Appends a plain record between those of transactions. */
    private static void between(Partition partition) {
        try (Appender appender = partition.openAppender()) {
            appender.append(text("plain"));
        }
    }

    private void transaction(LogStore store, Transaction tx, boolean commits, int... places) {
        int mine = ++number;
        doing = "transaction " + mine;
        outcomes.put(mine, Outcome.UNKNOWN);
        placesOf.put(mine, places);
        for (int place : places) {
            Partition partition = place(store, place);
            tx.append(partition, partition.topic().newBatch().add(text("tx " + mine)));
            if (hasPlain) {
                between(partition);
            }
            tx.append(partition, partition.topic().newBatch().add(text("tx " + mine)));
        }
        simulation.pass(store, 50);
        if (!commits) {
            outcomes.put(mine, Outcome.ABORTED);
            tx.abort();
            return;
        }
        tx.commit();
        outcomes.put(mine, isWritten ? Outcome.UNKNOWN : Outcome.COMMITTED);
    }

    /** In one partition of a WRITTEN topic: a power cut may take it until that is forced. */
    private void writtenTransaction(LogStore store) {
        isWritten = true;
        try (Transaction tx = store.beginTransaction()) {
            transaction(store, tx, true, 3);
        }
        isWritten = false;
        place(store, 3).force();
        outcomes.put(number, Outcome.COMMITTED);
    }

    private void movingTransaction(LogStore store, Transaction begun, int... places) {
        Cursor cursor = store.openTopic("durable").cursor("reader");
        try (Transaction tx = begun) {
            moves(number + 1, place(store, 0).nextOffset());
            tx.commitCursor(cursor, 0, after);
            transaction(store, tx, true, places);
            isMoved = true;
        }
    }

    private void moves(int by, long to) {
        before = after;
        after = to;
        movedBy = by;
        isMoved = false;
    }

    private void plainAdvance(LogStore store, long offset) {
        doing = "a plain advance";
        Cursor cursor = store.openTopic("durable").cursor("reader");
        moves(0, offset);
        cursor.commit(0, offset);
        cursor.force();
        isMoved = true;
    }

    @Test
    void shouldKeepTransactionsWholeWhenPowerIsCutAtAnyOperation() {
        LogStore store = simulation.open();
        medium.onOperation(op -> {});
        store.createTopic("durable", Simulation.SMALL.withPartitions(PARTITIONS));
        store.createTopic("written", Simulation.SMALL_WRITTEN.withPartitions(PARTITIONS));
        medium.onOperation(this::look);
        for (int round = 0; round < 2; round++) {
            hasPlain = round == 0;
            try (Transaction tx = store.beginTransaction()) {
                transaction(store, tx, true, 0, 1, 2);
            }
            try (Transaction tx = store.beginTransaction()) {
                transaction(store, tx, false, 1, 2);
            }
            try (Transaction tx = store.beginTransaction()) {
                transaction(store, tx, true, 1);
            }
            writtenTransaction(store);
            movingTransaction(store, store.beginTransaction(), 1, 3);
            plainAdvance(store, 1);
            movingTransaction(store, store.beginTransaction());
            simulation.pass(store, 3_000);
            Producer producer = store.openProducer("p", TIMEOUT);
            try (Transaction tx = producer.beginTransaction()) {
                transaction(store, tx, true, 0, 3);
            }
            try (Transaction tx = producer.beginTransaction()) {
                transaction(store, tx, false, 0, 2);
            }
            movingTransaction(store, producer.beginTransaction(), 2);
            Transaction left = producer.beginTransaction();
            outcomes.put(++number, Outcome.UNKNOWN);
            doing = "transaction " + number + ", which stays open";
            left.append(
                    place(store, 1), place(store, 1).topic().newBatch().add(text("tx " + number)));
            outcomes.put(number, Outcome.ABORTED);
            doing = "opening the producer again";
            store.openProducer("p", TIMEOUT);
            simulation.pass(store, 200);
        }
        doing = "a close";
        store.close();
        medium.onOperation(op -> {});
        assertEquals(List.of(), failures);
        assertTrue(looks > SecondRun.share(300, 3), looks + " looks");
    }

    private void look(int operation) {
        if (SecondRun.leavesOut(operation, 3) || failures.size() >= MOST_FAILURES) {
            return;
        }
        look(operation, "a power cut", medium.crash(Survival.NONE));
        look(operation, "a kill", medium.kill());
        look(operation, "a torn cut", medium.crash(Survival.random(operation)));
        Survival other = operation % 2 == 0 ? Survival.NAMES : Survival.BYTES;
        look(operation, other.toString(), medium.crash(other));
    }

    private void look(int operation, String how, SimulatedFileMedium left) {
        looks++;
        try {
            SimulatedFileMedium opened = check(left);
            check(opened.crash(Survival.NONE));
        } catch (RuntimeException | AssertionError e) {
            failures.add(
                    doing
                            + ", "
                            + how
                            + " after "
                            + medium.history().get(operation - 1)
                            + ": "
                            + e);
        }
    }

    private SimulatedFileMedium check(SimulatedFileMedium left) {
        Simulation again = new Simulation(left);
        again.clock.update(simulation.clock.time());
        LogStore store = again.open();
        assertEquals(List.of(), Flaws.of(store));
        for (int place = 0; place < TOPICS.size() * PARTITIONS; place++) {
            Partition partition = place(store, place);
            assertEquals(
                    partition.nextOffset(),
                    partition.durableOffset(),
                    "what recovery appended is durable in " + partition);
        }
        NamedProducer named = HostedStore.of(store).transactions().find("p");
        if (named != null && named.state() == State.ONGOING) {
            store.openProducer("p", TIMEOUT);
        }
        Map<Integer, Map<Integer, Integer>> found = new TreeMap<>();
        for (int place = 0; place < TOPICS.size() * PARTITIONS; place++) {
            read(place(store, place), place, found);
        }
        outcomes.forEach((tx, outcome) -> check(tx, outcome, found.get(tx)));
        checkCursor(store, found);
        return left;
    }

    private static void read(
            Partition partition, int place, Map<Integer, Map<Integer, Integer>> found) {
        partition.force();
        assertEquals(
                partition.visibleOffset(IsolationLevel.READ_UNCOMMITTED),
                partition.visibleOffset(),
                "nothing in " + partition + " stays undecided");
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                String value =
                                        new String(record.copy().value(), StandardCharsets.UTF_8);
                                if (value.startsWith("tx ")) {
                                    found.computeIfAbsent(
                                                    Integer.parseInt(value.substring(3)),
                                                    tx -> new TreeMap<>())
                                            .merge(place, 1, Integer::sum);
                                }
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
    }

    private void check(int tx, Outcome outcome, Map<Integer, Integer> places) {
        if (outcome == Outcome.ABORTED) {
            assertEquals(null, places, "transaction " + tx + " was aborted");
            return;
        }
        boolean isEmpty = placesOf.containsKey(tx) && placesOf.get(tx).length == 0;
        if (outcome == Outcome.COMMITTED && !isEmpty) {
            assertTrue(places != null, "transaction " + tx + " was committed");
        }
        if (places != null) {
            int[] expected = placesOf.get(tx);
            assertEquals(expected.length, places.size(), "transaction " + tx + ": " + places);
            places.values().forEach(count -> assertEquals(2, count, "transaction " + tx));
        }
    }

    /** It moves with its transaction; one that does nothing else may or may not be there. */
    private void checkCursor(LogStore store, Map<Integer, Map<Integer, Integer>> found) {
        long offset = store.openTopic("durable").cursor("reader").offset(0);
        boolean isSeen = movedBy > 0 && found.containsKey(movedBy);
        boolean isUnseen =
                movedBy > 0
                        && !isMoved
                        && placesOf.getOrDefault(movedBy, new int[0]).length > 0
                        && !isSeen;
        if (isMoved || isSeen) {
            assertEquals(after, offset, "the cursor after its move by " + movedBy);
        } else if (isUnseen) {
            assertEquals(before, offset, "the cursor before its move by " + movedBy);
        } else {
            assertTrue(offset == before || offset == after, "the cursor is at " + offset);
        }
    }
}
