package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Claim;
import io.firn.Cursor;
import io.firn.ExclusiveAppender;
import io.firn.FirnException;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.format.BatchEncoder;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.host.TransactionStateException;
import io.firn.medium.SmallFile;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Single rules of O11 to O13, each where a power cut or a restart would break it. */
@FirstRunOnly
class TransactionRulesTest {
    private static final Duration DAY = Duration.ofDays(1);

    private Simulation simulation;
    private LogStore store;

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    @BeforeEach
    void open() {
        simulation = new Simulation(new SimulatedFileMedium());
        store = simulation.open();
        store.createTopic("durable", Simulation.SMALL.withPartitions(2));
        store.createTopic("written", Simulation.SMALL_WRITTEN.withPartitions(2));
    }

    private void cutPower() {
        reopen(simulation.medium.crash(Survival.NONE));
    }

    private void reopen(SimulatedFileMedium left) {
        Simulation again = new Simulation(left);
        again.clock.update(simulation.clock.time());
        simulation = again;
        store = again.open();
    }

    private Topic durable() {
        return store.openTopic("durable");
    }

    private Partition partition(String topic, int index) {
        return store.openTopic(topic).partition(index);
    }

    private void append(Transaction tx, String topic, int index, String value) {
        Partition to = partition(topic, index);
        tx.append(to, to.topic().newBatch().add(value.getBytes(StandardCharsets.UTF_8)));
    }

    private List<String> read(String topic, int index) {
        List<String> values = new ArrayList<>();
        try (Tailer tailer = partition(topic, index).openTailer()) {
            while (tailer.poll(
                            record -> {
                                values.add(
                                        new String(record.copy().value(), StandardCharsets.UTF_8));
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        return values;
    }

    @Test
    void shouldKeepACommitWhoseMarkerIsLostWithTheAbortThatFollowedIt() {
        Producer producer = store.openProducer("p", DAY);
        try (Transaction tx = producer.beginTransaction()) {
            append(tx, "durable", 0, "a");
            append(tx, "written", 0, "a");
            tx.commit();
        }
        try (Transaction tx = producer.beginTransaction()) {
            append(tx, "durable", 0, "b");
            append(tx, "written", 0, "b");
        }
        cutPower();
        assertEquals(List.of("a"), read("durable", 0));
        assertEquals(List.of("a"), read("written", 0));
    }

    private void commitInWritten(String... values) {
        try (Transaction tx = store.beginTransaction()) {
            for (String each : values) {
                append(tx, "written", 0, each);
            }
            tx.commit();
        }
    }

    @Test
    void shouldForceNothingToCommitInOnePartitionOfAWrittenTopic() {
        commitInWritten("first");
        int before = simulation.medium.history().size();
        commitInWritten("a", "b");
        List<String> all = simulation.medium.history();
        List<String> forces =
                all.subList(before, all.size()).stream()
                        .filter(each -> each.contains("force"))
                        .toList();
        assertEquals(List.of(), forces);
        assertEquals(List.of("first", "a", "b"), read("written", 0));
    }

    @Test
    void shouldKeepACommitInAWrittenTopicWhenTheProcessDies() {
        commitInWritten("a", "b");
        reopen(simulation.medium.kill());
        assertEquals(List.of("a", "b"), read("written", 0));
    }

    @Test
    void shouldLoseACommitInAWrittenTopicAsAWholeWhenThePowerIsCut() {
        try (Transaction tx = store.beginTransaction()) {
            append(tx, "written", 0, "a");
            append(tx, "written", 0, "b");
            partition("written", 0).force();
            append(tx, "written", 0, "c");
            tx.commit();
        }
        assertEquals(List.of("a", "b", "c"), read("written", 0));
        cutPower();
        assertEquals(List.of(), read("written", 0));
        assertEquals(0, partition("written", 0).metrics().undecided());
    }

    @Test
    void shouldKeepACommitOfAnUnnamedProducerWhoseNextOnesAbortAndCommit() {
        try (Transaction tx = store.beginTransaction()) {
            append(tx, "durable", 0, "a");
            append(tx, "written", 0, "a");
            tx.commit();
        }
        try (Transaction tx = store.beginTransaction()) {
            append(tx, "durable", 0, "b");
            append(tx, "written", 0, "b");
        }
        try (Transaction tx = store.beginTransaction()) {
            append(tx, "durable", 1, "c");
            append(tx, "written", 1, "c");
            tx.commit();
        }
        cutPower();
        assertEquals(List.of("a"), read("durable", 0));
        assertEquals(List.of("a"), read("written", 0));
        assertEquals(List.of("c"), read("durable", 1));
        assertEquals(List.of("c"), read("written", 1));
    }

    @Test
    void shouldMoveACursorByATransactionThatWasOpenAcrossARestart() {
        try (Transaction tx = store.beginTransaction()) {
            append(tx, "durable", 0, "in");
            append(tx, "durable", 0, "in");
            tx.commit();
        }
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        ProducerIdentity identity = coordinator.open("p", DAY, null);
        coordinator.commitCursors(
                "p", identity, List.of(new CursorMove(durable(), "reader", 0, 2)));
        cutPower();
        try (Transaction other = store.beginTransaction()) {
            other.commitCursor(durable().cursor("reader"), 0, 1);
            other.commit();
        }
        assertEquals(1, durable().cursor("reader").offset(0));
        HostedStore.of(store).transactions().end("p", identity, true, false);
        assertEquals(2, durable().cursor("reader").offset(0));
        cutPower();
        assertEquals(2, durable().cursor("reader").offset(0));
    }

    @Test
    void shouldNotBringBackADeletedCursor() {
        try (Transaction tx = store.beginTransaction()) {
            append(tx, "durable", 0, "in");
            tx.commit();
        }
        try (Transaction tx = store.beginTransaction()) {
            tx.commitCursor(durable().cursor("reader"), 0, 1);
            tx.commit();
        }
        durable().deleteCursor("reader");
        cutPower();
        assertEquals(List.of(), durable().cursorNames());
    }

    @Test
    void shouldNotSetBackACursorThatWasDeletedAndCreatedAgain() {
        try (Transaction tx = store.beginTransaction()) {
            append(tx, "durable", 0, "in");
            append(tx, "durable", 0, "in");
            tx.commit();
        }
        try (Transaction tx = store.beginTransaction()) {
            tx.commitCursor(durable().cursor("reader"), 0, 1);
            tx.commit();
        }
        durable().deleteCursor("reader");
        durable().cursor("reader").commit(0, 2);
        durable().cursor("reader").force();
        cutPower();
        assertEquals(2, durable().cursor("reader").offset(0));
    }

    @Test
    void shouldKeepWhatIsAliveAndNoMoreWhenTheJournalIsTrimmed() {
        Topic many = store.createTopic("many", Simulation.SMALL.withPartitions(500));
        ProducerIdentity named = HostedStore.of(store).transactions().open("p", DAY, null);
        Transaction left = store.beginTransaction(); // its entry stays alive
        left.commitCursor(durable().cursor("kept"), 0, 0);
        left.append(partition("written", 0), durable().newBatch().add(new byte[1]));
        left.append(partition("written", 1), durable().newBatch().add(new byte[1]));
        left.commit();
        Transaction open = store.beginTransaction(); // by the same producer
        open.commitCursor(durable().cursor("reader"), 0, 0);
        for (int i = 0; i < 60; i++) {
            try (Transaction tx = store.beginTransaction()) {
                for (int p = 0; p < 500; p++) {
                    tx.commitCursor(
                            many.cursor("a cursor with a name as long as may be".repeat(3)), p, 0);
                }
                tx.commit();
            }
        }
        simulation.pass(store, 1);
        cutPower();
        assertEquals(List.of("kept"), durable().cursorNames());
        assertEquals(named, HostedStore.of(store).transactions().find("p").identity());
    }

    // ---- O11

    /** Appends as a client does that makes its batches itself. */
    private long appendOfClient(String topic, int index, ProducerIdentity who, int sequence) {
        Batch batch = durable().newBatch().add(new byte[1]);
        BatchEncoder.of(batch).transactional(who.id(), who.epoch(), sequence);
        return tryAppend(partition(topic, index), batch);
    }

    private long tryAppend(Partition partition, Batch batch) {
        try (Appender appender = partition.openAppender()) {
            long offset = appender.tryAppend(batch);
            while (offset == Appender.BACK_PRESSURED) {
                store.doWork(); // it makes the first segment
                offset = appender.tryAppend(batch);
            }
            return offset;
        }
    }

    private ProducerIdentity openAndAdd(String... topics) {
        ProducerIdentity identity = HostedStore.of(store).transactions().open("p", DAY, null);
        add(identity, topics);
        return identity;
    }

    private void add(ProducerIdentity identity, String... topics) {
        for (String topic : topics) {
            HostedStore.of(store).transactions().add("p", identity, List.of(partition(topic, 0)));
        }
    }

    @Test
    void shouldTakeNoBatchOfATransactionThatIsBeingEnded() {
        ProducerIdentity identity = openAndAdd("durable", "written");
        appendOfClient("durable", 0, identity, 0);
        appendOfClient("written", 0, identity, 0);
        int[] refused = {0};
        simulation.medium.onOperation(
                number -> {
                    simulation.medium.ignoreOperations();
                    assertThrows(
                            TransactionStateException.class,
                            () -> appendOfClient("written", 0, identity, 1));
                    refused[0]++;
                });
        HostedStore.of(store).transactions().end("p", identity, true, false);
        assertEquals(1, refused[0]);
        assertEquals(1, read("written", 0).size());
    }

    @Test
    void shouldTakeNoBatchBeforeTheMarkerOfTheLastTransaction() {
        ProducerIdentity first = openAndAdd("durable");
        appendOfClient("durable", 0, first, 0);
        try (ExclusiveAppender busy = partition("durable", 0).openExclusiveAppender()) {
            Claim claim = busy.tryClaim(5);
            HostedStore.of(store).transactions().end("p", first, true, false);
            claim.abort();
        }
        ProducerIdentity second = openAndAdd("durable");
        assertThrows(
                TransactionStateException.class, () -> appendOfClient("durable", 0, second, 0));
        simulation.pass(store, 1_000);
        assertEquals(2, appendOfClient("durable", 0, second, 0));
        assertEquals(1, read("durable", 0).size());
        assertEquals(2, partition("durable", 0).visibleOffset());
    }

    @Test
    void shouldHoldUpReadersBeforeTheFirstBatchIsPublished() {
        Partition partition = partition("written", 0);
        List<Long> seen = new ArrayList<>();
        HostedPartition.of(partition).addVisibleListener(() -> seen.add(partition.visibleOffset()));
        Transaction tx = store.beginTransaction();
        append(tx, "written", 0, "a");
        assertEquals(1, partition.visibleOffset(IsolationLevel.READ_UNCOMMITTED));
        assertEquals(List.of(0L), seen.stream().distinct().toList());
    }

    // ---- O12

    @Test
    void shouldShowACommitThatItsMarkerDecidesWhenTheMarkerIsDurable() {
        Partition partition = partition("durable", 0);
        Transaction tx = store.beginTransaction();
        append(tx, "durable", 0, "a");
        partition.force();
        List<String> vanished = new ArrayList<>();
        simulation.medium.onOperation(
                number -> {
                    if (partition.visibleOffset() > 0) {
                        Simulation left = new Simulation(simulation.medium.crash(Survival.NONE));
                        Partition found = left.open().openTopic("durable").partition(0);
                        if (!HostedPartition.of(found).abortedTransactions(0, 1).isEmpty()) {
                            vanished.add(simulation.medium.history().get(number - 1));
                        }
                    }
                });
        tx.commit();
        assertEquals(List.of(), vanished);
        assertEquals(List.of("a"), read("durable", 0));
    }

    @Test
    void shouldMakeDurableWhatIsBelowTheNewPositionOfACursor() {
        tryAppend(partition("written", 0), durable().newBatch().add(new byte[1]).add(new byte[1]));
        try (Transaction tx = store.beginTransaction()) {
            tx.commitCursor(store.openTopic("written").cursor("reader"), 0, 2);
            tx.commit();
        }
        cutPower();
        assertEquals(2, store.openTopic("written").cursor("reader").offset(0));
        assertEquals(2, partition("written", 0).nextOffset());
    }

    @Test
    void shouldKeepTheAbortOfANamedProducer() {
        Producer producer = store.openProducer("p", DAY);
        try (Transaction tx = producer.beginTransaction()) {
            append(tx, "durable", 0, "a");
            partition("durable", 0).force();
        }
        cutPower();
        assertEquals(List.of(), read("durable", 0));
        assertEquals(2, partition("durable", 0).visibleOffset());
        assertEquals(State.ABORTED, HostedStore.of(store).transactions().find("p").state());
    }

    @Test
    void shouldKeepTheMoveOfACursorUntilItsFileHasIt() {
        try (Transaction tx = store.beginTransaction()) {
            append(tx, "durable", 0, "in");
            append(tx, "durable", 1, "in");
            append(tx, "written", 1, "in");
            tx.commit();
        }
        try (Transaction tx = store.beginTransaction()) {
            tx.commitCursor(durable().cursor("reader"), 0, 1);
            tx.commit();
        }
        try (Transaction tx = store.beginTransaction()) {
            append(tx, "durable", 1, "c");
            append(tx, "written", 1, "c");
            tx.commit();
        }
        cutPower();
        assertEquals(1, durable().cursor("reader").offset(0));
    }

    @Test
    void shouldTellListenersThatATransactionHasEnded() {
        Partition partition = partition("durable", 0);
        List<Long> seen = new ArrayList<>();
        Transaction tx = store.beginTransaction();
        append(tx, "durable", 0, "a");
        append(tx, "durable", 1, "a");
        partition.force();
        HostedPartition.of(partition).addVisibleListener(() -> seen.add(partition.visibleOffset()));
        tx.commit();
        assertTrue(seen.contains(1L), seen.toString());
    }

    @Test
    void shouldAppendNoMarkerOfACommitForWhichTheJournalHasNoRoom() {
        Topic many = store.createTopic("many", Simulation.SMALL.withPartitions(500));
        Cursor cursor = many.cursor("a cursor with a name as long as may be".repeat(3));
        Producer producer = store.openProducer("p", DAY);
        try (Transaction first = producer.beginTransaction()) {
            append(first, "written", 0, "a");
        }
        simulation.medium.faults().limitBytes(1); // what was reserved is still there
        Transaction tx = null;
        int committed = 0;
        for (boolean isFull = false; !isFull; ) {
            tx = producer.beginTransaction();
            append(tx, "written", 0, "a");
            for (int p = 0; p < 500; p++) {
                tx.commitCursor(cursor, p, 0);
            }
            simulation.clock.advance(1_000); // there is something to do in the background
            try {
                tx.commit();
                committed++;
            } catch (StoreFullException e) {
                isFull = true;
            }
        }
        tx.abort(); // which is written when there is room
        partition("written", 0).openExclusiveAppender().close(); // it is not kept away
        simulation.medium.faults().none();
        assertEquals(committed, read("written", 0).size());
    }

    @Test
    void shouldUseTheProducerOfATransactionAgainThatCouldNotBeCommitted() {
        for (int i = 0; i < 5; i++) {
            store.createTopic("deleted", Simulation.SMALL);
            Transaction tx = store.beginTransaction();
            append(tx, "durable", 0, "a");
            append(tx, "deleted", 0, "a");
            store.deleteTopic("deleted");
            assertThrows(FirnException.class, tx::commit);
        }
        assertEquals(
                1,
                HostedStore.of(store).transactions().producersOf(partition("durable", 0)).size());
        assertEquals(List.of(), read("durable", 0));
    }

    // ---- O13

    @Test
    void shouldDecideNothingWhileTheJournalCannotBeRead() throws IOException {
        try (Transaction tx = store.beginTransaction()) {
            append(tx, "durable", 0, "a");
            append(tx, "written", 0, "a");
            tx.commit();
        }
        Path topics = Simulation.DIRECTORY.resolve("topics");
        List<String> journal = new ArrayList<>(simulation.medium.list(topics));
        store.topicNames().forEach(name -> journal.remove(store.openTopic(name).id().toString()));
        Path file = topics.resolve(journal.get(0)).resolve("topic");
        SimulatedFileMedium left = simulation.medium.crash(Survival.NONE);
        left.rot(file, 30, 1);
        assertThrows(StoreOpenException.class, () -> new Simulation(left).open());
        left.rot(file, 30, 1); // it is as it was
        reopen(left);
        assertEquals(List.of("a"), read("written", 0));
    }

    @Test
    void shouldNotEndALaterTransactionByADecisionWhoseDataWasLost() {
        ProducerIdentity identity = openAndAdd("written");
        for (int i = 0; i < 10; i++) {
            appendOfClient("written", 0, identity, i);
        }
        HostedStore.of(store).transactions().end("p", identity, false, false);
        cutPower();
        assertEquals(0, partition("written", 0).nextOffset());
        add(identity, "written");
        appendOfClient("written", 0, identity, 0);
        partition("written", 0).force();
        cutPower();
        assertEquals(State.ONGOING, HostedStore.of(store).transactions().find("p").state());
        assertEquals(0, partition("written", 0).visibleOffset());
        HostedStore.of(store).transactions().end("p", identity, true, false);
        assertEquals(1, read("written", 0).size());
    }

    @Test
    void shouldNotEndALaterTransactionByAnEarlierDecision() {
        ProducerIdentity identity = openAndAdd("durable");
        appendOfClient("durable", 0, identity, 0);
        HostedStore.of(store).transactions().end("p", identity, true, false);
        add(identity, "durable");
        appendOfClient("durable", 0, identity, 1);
        partition("durable", 0).force();
        cutPower();
        assertEquals(State.ONGOING, HostedStore.of(store).transactions().find("p").state());
        assertEquals(2, partition("durable", 0).visibleOffset());
        store.openProducer("p", DAY);
        assertEquals(1, read("durable", 0).size());
    }

    @Test
    void shouldKeepATransactionOpenOfWhichOnlyACheckpointTells() {
        ProducerIdentity identity = openAndAdd("durable");
        appendOfClient("durable", 0, identity, 0);
        simulation.pass(store, 3_600_000);
        reopen(simulation.medium.kill());
        assertEquals(0, partition("durable", 0).visibleOffset());
        HostedStore.of(store).transactions().end("p", identity, true, false);
        assertEquals(1, read("durable", 0).size());
    }

    @Test
    void shouldKeepOlderVersionsOutBeforeTheFirstBatchOfATransaction() throws IOException {
        Transaction tx = store.beginTransaction();
        assertOlderVersionsAreOut("it has begun");
        append(tx, "written", 0, "a");
        assertOlderVersionsAreOut("a batch was appended");
    }

    private void assertOlderVersionsAreOut(String when) throws IOException {
        SimulatedFileMedium left = simulation.medium.crash(Survival.NONE);
        Path file = Simulation.DIRECTORY.resolve("store");
        assertThrows(IOException.class, () -> SmallFile.read(left, file, "store", 1), when);
        assertEquals("transactions", SmallFile.read(left, file, "store", 2).get("features"), when);
    }

    @Test
    void shouldNotAbortInAPartitionWhatWasCommittedAndOnlyLacksItsMarker() {
        ProducerIdentity identity = openAndAdd("durable");
        appendOfClient("durable", 0, identity, 0);
        try (ExclusiveAppender busy = partition("durable", 0).openExclusiveAppender()) {
            Claim claim = busy.tryClaim(5);
            HostedStore.of(store).transactions().end("p", identity, true, false);
            claim.abort();
        }
        assertThrows(
                TransactionStateException.class,
                () ->
                        HostedStore.of(store)
                                .transactions()
                                .abort(partition("durable", 0), identity));
        simulation.pass(store, 1_000);
        assertEquals(1, read("durable", 0).size());
    }

    @Test
    void shouldHoldNothingAfterAClose() {
        Transaction tx = store.beginTransaction();
        append(tx, "durable", 0, "a");
        append(tx, "written", 0, "a");
        tx.commit();
        store.close();
        assertEquals(0, simulation.medium.inUse());
    }
}
