package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.BusyException;
import io.firn.Claim;
import io.firn.CleanupPolicy;
import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.ProducerFencedException;
import io.firn.RecordHandler.Action;
import io.firn.RecordId;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.UnexpectedOffsetException;
import io.firn.UnknownTopicException;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionStateException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is atomic in a transaction, and when it is visible to whom. */
class TransactionTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir private Path directory;

    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
        topic = store.ensureTopic("t", Stores.small().withPartitions(3));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        store.close();
        open();
    }

    private Batch batch(String... values) {
        Batch batch = topic.newBatch();
        for (String value : values) {
            batch.add(Stores.bytes(value));
        }
        return batch;
    }

    private void append(int partition, String value) {
        try (Appender appender = topic.partition(partition).openAppender()) {
            appender.append(Stores.bytes(value));
        }
    }

    private List<String> read(IsolationLevel isolation, int partition) {
        List<String> values = new ArrayList<>();
        try (Tailer tailer =
                topic.openTailer(
                        TailerOptions.defaults()
                                .withIsolation(isolation)
                                .withPartitions(partition))) {
            while (tailer.poll(
                            record -> {
                                values.add(Stores.text(record.copy().value()));
                                return Action.CONTINUE;
                            },
                            2)
                    > 0) {
                continue;
            }
        }
        return values;
    }

    private List<String> committed(int partition) {
        return read(IsolationLevel.READ_COMMITTED, partition);
    }

    @Test
    void shouldAppendToThePartitionOfTheKeyOfATopic() {
        try (Transaction tx = store.beginTransaction();
                TopicAppender others = topic.openAppender()) {
            for (int i = 0; i < 10; i++) {
                byte[] key = Stores.bytes("key " + i);
                RecordId id = tx.append(topic, key, Stores.bytes("v"));
                assertEquals(others.partitionFor(key), id.partition());
                assertEquals(topic.partition(id.partition()).nextOffset() - 1, id.offset());
                Batch same = topic.newBatch().add(key, null).add(null, Stores.bytes("w"));
                assertEquals(new RecordId(id.partition(), id.offset() + 1), tx.append(topic, same));
            }
            int first = tx.append(topic, null, Stores.bytes("none")).partition();
            for (int i = 0; i < 20; i++) {
                assertEquals(first, tx.append(topic, null, Stores.bytes("none")).partition());
            }
            tx.commit();
        }
        assertEquals(51, committed(0).size() + committed(1).size() + committed(2).size());
    }

    @Test
    void shouldAppendSingleRecordsWithAKeyAValueAndHeaders() {
        List<StoredRecord.Header> headers =
                List.of(new StoredRecord.Header("trace", Stores.bytes("7")));
        try (Transaction tx = store.beginTransaction()) {
            assertEquals(0, tx.append(topic.partition(0), Stores.bytes("only a value")));
            assertEquals(1, tx.append(topic.partition(0), Stores.bytes("k"), Stores.bytes("v")));
            assertEquals(2, tx.append(topic.partition(0), Stores.bytes("k"), null));
            Batch batch = topic.newBatch();
            batch.key(Stores.bytes("h")).value(Stores.bytes("v")).headers(headers).add();
            assertEquals(3, tx.append(topic.partition(0), batch));
            assertEquals(List.of(), committed(0));
            tx.commit();
        }
        try (Tailer tailer = topic.openTailer(TailerOptions.defaults().withPartitions(0))) {
            List<StoredRecord> records = tailer.stream().toList();
            assertEquals(
                    List.of("null=only a value", "k=v", "k=null", "h=v"),
                    records.stream().map(TransactionTest::keyAndValue).toList());
            assertEquals("trace", records.get(3).headers().get(0).key());
            assertEquals("7", Stores.text(records.get(3).headers().get(0).value()));
            assertEquals(List.of(), records.get(2).headers());
        }
    }

    private static String keyAndValue(StoredRecord record) {
        return textOrNull(record.key()) + "=" + textOrNull(record.value());
    }

    private static String textOrNull(byte[] bytes) {
        return bytes == null ? "null" : Stores.text(bytes);
    }

    @Test
    void shouldRefuseARecordWithoutAKeyInACompactedTopicAndStayOpen() {
        Topic latest =
                store.ensureTopic("latest", Stores.small().withCleanup(CleanupPolicy.COMPACT));
        try (Transaction tx = store.beginTransaction()) {
            assertThrows(
                    InvalidOptionException.class,
                    () -> tx.append(latest.partition(0), Stores.bytes("v")));
            assertEquals(0, tx.append(latest.partition(0), Stores.bytes("k"), Stores.bytes("v")));
            tx.commit();
            assertThrows(
                    TransactionStateException.class,
                    () -> tx.append(latest.partition(0), Stores.bytes("k"), Stores.bytes("v")));
        }
        assertEquals(2, latest.partition(0).visibleOffset());
    }

    @Test
    void shouldShowAllOfATransactionWhenItCommitsAndNothingBefore() {
        append(0, "before");
        try (Transaction tx = store.beginTransaction()) {
            assertEquals(1, tx.append(topic.partition(0), batch("a", "b")));
            assertEquals(0, tx.append(topic.partition(1), batch("c")));
            assertEquals(3, tx.append(topic.partition(0), batch("d")));
            append(0, "behind");
            assertEquals(List.of("before"), committed(0));
            assertEquals(List.of(), committed(1));
            assertEquals(1, topic.partition(0).visibleOffset());
            topic.partition(0).force();
            assertEquals(4, topic.partition(0).metrics().undecided());
            assertEquals(
                    List.of("before", "a", "b", "d", "behind"),
                    read(IsolationLevel.READ_UNCOMMITTED, 0));
            tx.commit();
        }
        assertEquals(List.of("before", "a", "b", "d", "behind"), committed(0));
        assertEquals(List.of("c"), committed(1));
        assertEquals(0, topic.partition(0).metrics().undecided());
        assertEquals(List.of(), HostedPartition.of(topic.partition(0)).abortedTransactions(0, 100));
    }

    @Test
    void shouldShowNothingOfATransactionThatIsClosedWithoutCommit() {
        try (Transaction tx = store.beginTransaction()) {
            tx.append(topic.partition(0), batch("a"));
            tx.append(topic.partition(1), batch("b"));
            append(0, "between");
        }
        append(0, "behind");
        assertEquals(List.of("between", "behind"), committed(0));
        assertEquals(List.of(), committed(1));
        assertEquals(List.of("a", "between", "behind"), read(IsolationLevel.READ_UNCOMMITTED, 0));
        assertEquals(1, HostedPartition.of(topic.partition(0)).abortedTransactions(0, 100).size());
        assertEquals(
                0,
                HostedPartition.of(topic.partition(0))
                        .abortedTransactions(0, 100)
                        .get(0)
                        .firstOffset());
        assertEquals(
                2,
                HostedPartition.of(topic.partition(0))
                        .abortedTransactions(0, 100)
                        .get(0)
                        .lastOffset());
        assertEquals(List.of(), HostedPartition.of(topic.partition(0)).abortedTransactions(3, 100));
        assertEquals(topic.partition(0).nextOffset(), topic.partition(0).visibleOffset());
    }

    @Test
    void shouldFindAnAbortedTransactionWhoseMarkerIsBehindThatOfAShorterOne() {
        Transaction longer = store.beginTransaction();
        longer.append(topic.partition(0), batch("a"));
        Transaction shorter = store.beginTransaction();
        shorter.append(topic.partition(0), batch("b"));
        shorter.abort();
        longer.abort();
        assertEquals(
                List.of(0L),
                HostedPartition.of(topic.partition(0)).abortedTransactions(0, 1).stream()
                        .map(each -> each.firstOffset())
                        .toList());
        assertEquals(List.of(), committed(0));
    }

    @Test
    void shouldKeepOutcomesAcrossAReopen() {
        for (int i = 0; i < 10; i++) {
            try (Transaction tx = store.beginTransaction()) {
                tx.append(topic.partition(0), batch("x" + i));
                tx.append(topic.partition(1), batch("y" + i));
                if (i % 2 == 0) {
                    tx.commit();
                }
            }
        }
        reopen();
        assertEquals(List.of("x0", "x2", "x4", "x6", "x8"), committed(0));
        assertEquals(List.of("y0", "y2", "y4", "y6", "y8"), committed(1));
        assertEquals(5, HostedPartition.of(topic.partition(0)).abortedTransactions(0, 100).size());
    }

    @Test
    void shouldAbortAnUnnamedTransactionThatWasOpenWhenTheStoreWasClosed() {
        Transaction tx = store.beginTransaction();
        tx.append(topic.partition(0), batch("a"));
        append(0, "behind");
        reopen();
        assertEquals(List.of("behind"), committed(0));
        assertEquals(topic.partition(0).nextOffset(), topic.partition(0).visibleOffset());
        append(0, "later");
        assertEquals(List.of("behind", "later"), committed(0));
    }

    @Test
    void shouldSayThatTheStoreIsClosedToWhoEndsATransactionAfterwards() {
        List<Transaction> open = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            open.add(store.beginTransaction());
            open.get(2 * i).append(topic.partition(0), new byte[8]);
            open.add(store.openProducer("p" + i, MINUTE).beginTransaction());
            open.get(2 * i + 1).append(topic.partition(0), new byte[8]);
            open.get(2 * i + 1).append(topic.partition(1), new byte[8]);
        }
        Transaction ended = store.beginTransaction();
        ended.append(topic.partition(0), new byte[8]);
        ended.commit();
        store.close();
        assertThrows(ClosedException.class, open.get(0)::commit);
        assertThrows(ClosedException.class, open.get(1)::commit);
        assertThrows(ClosedException.class, open.get(2)::abort);
        assertThrows(ClosedException.class, open.get(3)::close);
        ended.close();
    }

    @Test
    void shouldMoveCursorsWithTheCommitOnly() {
        append(0, "in");
        append(0, "in");
        Cursor cursor = topic.cursor("reader");
        cursor.commit(0, 0);
        try (Transaction tx = store.beginTransaction()) {
            tx.append(topic.partition(1), batch("out"));
            tx.commitCursor(cursor, 0, 1);
        }
        assertEquals(0, cursor.offset(0));
        try (Transaction tx = store.beginTransaction()) {
            tx.append(topic.partition(1), batch("out"));
            tx.commitCursor(cursor, 0, 1);
            tx.commitCursor(cursor, 0, 2);
            assertEquals(0, cursor.offset(0));
            tx.commit();
        }
        assertEquals(2, cursor.offset(0));
        cursor.commit(0, 1);
        reopen();
        assertEquals(1, topic.cursor("reader").offset(0), "a later plain advance is not undone");
    }

    @Test
    void shouldRefuseACursorsOffsetThatIsNotInItsPartition() {
        Cursor cursor = topic.cursor("reader");
        try (Transaction tx = store.beginTransaction()) {
            assertThrows(InvalidOptionException.class, () -> tx.commitCursor(cursor, 0, 1));
            assertThrows(InvalidOptionException.class, () -> tx.commitCursor(cursor, 0, -1));
            assertThrows(InvalidOptionException.class, () -> tx.commitCursor(cursor, 3, 0));
        }
    }

    @Test
    void shouldRefuseEverythingAfterTheEnd() {
        Transaction tx = store.beginTransaction();
        tx.append(topic.partition(0), batch("a"));
        tx.commit();
        assertThrows(TransactionStateException.class, tx::commit);
        assertThrows(
                TransactionStateException.class, () -> tx.append(topic.partition(0), batch("b")));
        tx.abort();
        tx.close();
        assertEquals(List.of("a"), committed(0));
    }

    @Test
    void shouldCommitATransactionWithoutAnything() {
        try (Transaction tx = store.beginTransaction()) {
            tx.commit();
        }
        try (Transaction tx = store.beginTransaction()) {
            assertFalse(tx.toString().isEmpty());
        }
    }

    @Test
    void shouldWorkInWrittenTopics() {
        Topic written =
                store.createTopic(
                        "w", Stores.small().withDurability(Durability.WRITTEN).withPartitions(2));
        try (Transaction tx = store.beginTransaction()) {
            tx.append(written.partition(0), batch("a"));
            tx.append(written.partition(1), batch("b"));
            assertEquals(0, written.partition(0).visibleOffset());
            tx.commit();
        }
        assertEquals(2, written.partition(0).visibleOffset());
        assertTrue(written.partition(0).durableOffset() >= 1, "committed data is durable");
        assertTrue(written.partition(1).durableOffset() >= 1, "committed data is durable");
    }

    @Test
    void shouldWakeAWaitingTailerWhenATransactionEnds() throws Exception {
        Transaction tx = store.beginTransaction();
        tx.append(topic.partition(0), batch("a"));
        tx.append(topic.partition(1), batch("a"));
        topic.partition(0).force();
        try (Tailer tailer = topic.openTailer(TailerOptions.defaults().withPartitions(0))) {
            var found =
                    Stores.start(() -> tailer.poll(r -> Action.CONTINUE, 1, Duration.ofHours(1)));
            Thread.sleep(20);
            tx.commit();
            assertEquals(1, found.result());
        }
    }

    @Test
    void shouldNotBeginBesideAnExclusiveAppenderAndKeepOneAway() {
        try (ExclusiveAppender exclusive = topic.partition(0).openExclusiveAppender();
                Transaction tx = store.beginTransaction()) {
            exclusive.append(Stores.bytes("x"));
            assertThrows(BusyException.class, () -> tx.append(topic.partition(0), batch("a")));
            tx.append(topic.partition(1), batch("a"));
            assertThrows(BusyException.class, () -> topic.partition(1).openExclusiveAppender());
            tx.commit();
        }
        try (ExclusiveAppender exclusive = topic.partition(1).openExclusiveAppender()) {
            exclusive.append(Stores.bytes("y"));
        }
        assertEquals(List.of("a", "y"), committed(1));
    }

    @Test
    void shouldRefuseABatchThatOnlySaysItBelongsToATransaction() {
        try (Appender appender = topic.partition(0).openAppender()) {
            Batch batch = batch("a");
            io.firn.format.BatchEncoder.of(batch).transactional(77, 0, 0);
            assertThrows(TransactionStateException.class, () -> appender.append(batch));
        }
        assertEquals(0, topic.partition(0).nextOffset());
    }

    @Test
    void shouldFenceANamedProducerThatIsOpenedAgain() {
        Producer first = store.openProducer("p", MINUTE);
        Transaction tx = first.beginTransaction();
        tx.append(topic.partition(0), batch("zombie"));
        long id = HostedStore.of(store).transactions().find("p").identity().id();
        Producer second = store.openProducer("p", MINUTE);
        assertEquals(id, HostedStore.of(store).transactions().find("p").identity().id());
        assertThrows(
                ProducerFencedException.class,
                () -> tx.append(topic.partition(1), batch("zombie")));
        assertThrows(
                ProducerFencedException.class,
                () -> tx.append(topic.partition(0), batch("zombie")));
        assertThrows(ProducerFencedException.class, tx::commit);
        assertThrows(ProducerFencedException.class, first::beginTransaction);
        try (Transaction next = second.beginTransaction()) {
            next.append(topic.partition(0), batch("b"));
            next.commit();
        }
        assertEquals(List.of("b"), committed(0));
        assertEquals(List.of(), committed(1));
    }

    @Test
    void shouldSayThatTheTopicIsGoneWhenATransactionCannotBeCommitted() {
        Topic deleted = store.createTopic("deleted", TopicOptions.defaults());
        Transaction tx = store.beginTransaction();
        tx.append(deleted.partition(0), batch("a"));
        store.deleteTopic("deleted");
        assertThrows(UnknownTopicException.class, tx::commit);
        assertThrows(IllegalStateException.class, tx::commit); // it was aborted
    }

    @Test
    void shouldAppendInATransactionOnlyAtTheExpectedOffset() {
        append(0, "a");
        try (Transaction tx = store.beginTransaction()) {
            Batch late = batch("late").expectedOffset(0);
            assertThrows(
                    UnexpectedOffsetException.class, () -> tx.append(topic.partition(0), late));
            assertEquals(1, tx.append(topic.partition(0), batch("b").expectedOffset(1)));
            tx.commit();
        }
        assertEquals(List.of("a", "b"), committed(0));
    }

    @Test
    void shouldAllowANamedProducerOneTransactionAtATime() {
        try (Producer producer = store.openProducer("p", MINUTE)) {
            Transaction tx = producer.beginTransaction();
            assertThrows(IllegalStateException.class, producer::beginTransaction);
            tx.append(topic.partition(0), batch("a"));
        }
        assertEquals(List.of(), committed(0));
        assertEquals(
                Transaction.State.ABORTED, HostedStore.of(store).transactions().find("p").state());
    }

    @Test
    void shouldKeepATransactionOfANamedProducerOpenAcrossAReopen() {
        Producer producer = store.openProducer("p", MINUTE);
        Transaction tx = producer.beginTransaction();
        tx.append(topic.partition(0), batch("a"));
        append(0, "behind");
        reopen();
        assertEquals(List.of(), committed(0));
        TransactionCoordinator.NamedProducer found = HostedStore.of(store).transactions().find("p");
        assertEquals(Transaction.State.ONGOING, found.state());
        assertEquals(1, found.partitions().size());
        HostedStore.of(store).transactions().end("p", found.identity(), true, false);
        assertEquals(List.of("a", "behind"), committed(0));
    }

    @Test
    void shouldAbortATransactionThatIsOpenForTooLong() {
        append(0, "before"); // so that the next append does not wait for a segment
        Producer producer = store.openProducer("p", Duration.ofSeconds(1));
        Transaction tx = producer.beginTransaction();
        tx.append(topic.partition(0), batch("a"));
        Partition partition = topic.partition(0);
        Stores.await(
                "the end of the transaction",
                () -> partition.visibleOffset() == partition.nextOffset());
        assertThrows(ProducerFencedException.class, tx::commit);
        assertEquals(List.of("before"), committed(0));
    }

    @Test
    void shouldEndATransactionBesideAClaimWhenThatIsCommitted() {
        Producer producer = store.openProducer("p", MINUTE);
        Transaction tx = producer.beginTransaction();
        tx.append(topic.partition(0), batch("a"));
        reopen();
        Partition partition = topic.partition(0);
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            Claim claim = appender.tryClaim(5);
            claim.buffer().put(Stores.bytes("claim"));
            HostedStore.of(store)
                    .transactions()
                    .end(
                            "p",
                            HostedStore.of(store).transactions().find("p").identity(),
                            true,
                            false);
            assertEquals(0, partition.visibleOffset(), "decided, but without a marker");
            claim.commit();
            Stores.await(
                    "the end of the transaction",
                    () -> partition.visibleOffset() == partition.nextOffset());
        }
        assertEquals(List.of("a", "claim"), committed(0));
    }

    @Test
    void shouldAnswerTheSameToWhoEndsATransactionTwice() {
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        var first = coordinator.open("p", MINUTE, null);
        coordinator.add("p", first, List.of(topic.partition(0)));
        var second = coordinator.end("p", first, false, true);
        assertEquals(first.epoch() + 1, second.epoch());
        assertEquals(second, coordinator.end("p", first, false, true));
        assertThrows(
                TransactionStateException.class, () -> coordinator.end("p", first, true, true));
        assertThrows(
                ProducerFencedException.class,
                () -> coordinator.add("p", first, List.of(topic.partition(0))));
    }

    @Test
    void shouldRefuseAnotherStoresPartition() {
        try (LogStore other = Stores.at(directory.resolve("other")).open();
                Transaction tx = store.beginTransaction()) {
            Topic foreign = other.createTopic("t", Stores.small());
            Throwable refused =
                    assertThrows(
                            InvalidOptionException.class,
                            () -> tx.append(foreign.partition(0), batch("a")));
            String message = refused.getMessage();
            assertTrue(message.contains(" the store " + directory), message);
        }
    }

    @Test
    void shouldNotShowTheJournalAsATopic() {
        try (Transaction tx = store.beginTransaction()) {
            tx.append(topic.partition(0), batch("a"));
            tx.append(topic.partition(1), batch("a"));
            tx.commit();
        }
        assertEquals(List.of("t"), store.topicNames());
        assertEquals(
                1, store.snapshot().partitions().stream().map(p -> p.topic()).distinct().count());
        reopen();
        assertEquals(List.of("t"), store.topicNames());
        assertEquals(List.of(), store.findings());
        assertThrows(FirnException.class, () -> store.openTopic("~transactions"));
    }

    @Test
    void shouldNotMoveACursorByATransactionThatWasFenced() {
        append(0, "in");
        Cursor cursor = topic.cursor("reader");
        cursor.commit(0, 0);
        Transaction zombie = store.openProducer("p", MINUTE).beginTransaction();
        Producer second = store.openProducer("p", MINUTE);
        assertThrows(ProducerFencedException.class, () -> zombie.commitCursor(cursor, 0, 1));
        try (Transaction next = second.beginTransaction()) {
            assertThrows(ProducerFencedException.class, () -> zombie.commitCursor(cursor, 0, 1));
            next.commit();
        }
        assertEquals(0, cursor.offset(0));
    }

    @Test
    void shouldAbortATransactionThatIsOpenForTooLongAfterAReopen() {
        Transaction tx = store.openProducer("p", Duration.ofSeconds(1)).beginTransaction();
        tx.append(topic.partition(0), batch("a"));
        reopen();
        Partition partition = topic.partition(0);
        assertEquals(
                Transaction.State.ONGOING, HostedStore.of(store).transactions().find("p").state());
        Stores.await(
                "the end of the transaction",
                () -> partition.visibleOffset() == partition.nextOffset());
        assertEquals(List.of(), committed(0));
    }

    @Test
    void shouldNotSayThatATransactionIsCommittedWhichSomebodyElseHasAborted() {
        Producer producer = store.openProducer("p", MINUTE);
        Transaction tx = producer.beginTransaction();
        tx.append(topic.partition(0), batch("a"));
        HostedStore.of(store)
                .transactions()
                .end("p", HostedStore.of(store).transactions().find("p").identity(), false, false);
        assertThrows(TransactionStateException.class, tx::commit);
        assertEquals(List.of(), committed(0));
    }

    /** A clock that does something the next time it is read in a transaction. */
    private static final class Meddling implements EpochClock {
        private Runnable next;

        @Override
        public long time() {
            Runnable now = next;
            next = null;
            if (now != null) {
                now.run();
            }
            return System.currentTimeMillis();
        }
    }

    @Test
    void shouldFenceAProducerThatBeginsWhileItIsOpenedAgain() {
        store.close();
        Meddling clock = new Meddling();
        store = Stores.at(directory).clock(clock).invokerMode().open();
        topic = store.ensureTopic("t", Stores.small().withPartitions(3));
        Producer first = store.openProducer("p", MINUTE);
        List<Producer> opened = new ArrayList<>();
        clock.next = () -> opened.add(store.openProducer("p", MINUTE));
        assertThrows(ProducerFencedException.class, first::beginTransaction);
        Transaction next = opened.get(0).beginTransaction();
        next.append(topic.partition(0), batch("a"));
        next.commit();
        clock.next = () -> opened.get(0).beginTransaction();
        Producer third = store.openProducer("p", MINUTE);
        assertEquals(
                Transaction.State.EMPTY, HostedStore.of(store).transactions().find("p").state());
        Transaction last = third.beginTransaction();
        last.append(topic.partition(0), batch("b"));
        last.commit();
        assertEquals(List.of("a", "b"), committed(0));
    }
}
