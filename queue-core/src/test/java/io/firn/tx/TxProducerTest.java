package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Transaction.State;
import io.firn.host.ProducerIdentity;
import io.firn.tx.CursorCommit.Place;
import io.firn.tx.JournalEntry.AddedCommits;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TxProducerTest {
    private static final CursorCommit COMMIT =
            new CursorCommit(
                    new Place(new UUID(1, 2), "reader", 0), 7, false, JournalEntry.SELF, null);

    private static TxProducer moving(String name) {
        TxProducer producer = new TxProducer("key", name, new ProducerIdentity(5, 0), 1_000, 0);
        producer.begin(0, 0);
        producer.addCommits(List.of(COMMIT));
        return producer;
    }

    private static boolean isComing(TxProducer producer) {
        assertFalse(
                producer.hasCommitOf(COMMIT.topicId(), COMMIT.cursor(), COMMIT.partition() + 1));
        boolean mayCommit =
                producer.hasCommitOf(COMMIT.topicId(), COMMIT.cursor(), COMMIT.partition());
        assertEquals(mayCommit, producer.hasComingCommits());
        return mayCommit;
    }

    @Test
    void shouldWriteDownTheOpenTransactionOfANamedProducer() {
        JournalEntry entry = moving("p").entry();
        assertEquals(State.ONGOING, entry.state());
        assertEquals(List.of(COMMIT), entry.openCommits());
    }

    @Test
    void shouldNotWriteDownTheOpenTransactionOfAnUnnamedProducer() {
        JournalEntry entry = moving(null).entry();
        assertEquals(State.EMPTY, entry.state());
        assertEquals(List.of(), entry.openCommits());
    }

    @Test
    void shouldTellOfTheMovesOfACommitUntilCursorsHaveMadeThem() {
        TxProducer producer = moving("p");
        assertTrue(isComing(producer));
        producer.close(false);
        producer.decide(true, 0, new ProducerIdentity(5, 1));
        assertTrue(isComing(producer)); // the journal is being forced
        producer.pending().decided(3);
        assertTrue(isComing(producer));
        producer.onCarriedOut();
        assertFalse(isComing(producer));
    }

    @Test
    void shouldHaveBeenUsedWhenItWasAlthoughTheClockIsBehindForAWhile() {
        TxProducer producer = new TxProducer("key", "p", new ProducerIdentity(5, 0), 1_000, 50_000);
        assertEquals(100, producer.lastUsedMs(100), "when that was noticed");
        assertEquals(100, producer.lastUsedMs(200));
        assertEquals(50_000, producer.lastUsedMs(50_001));
        assertEquals(300, producer.lastUsedMs(300), "when it was noticed again");
    }

    @Test
    void shouldTellOfNoMoveOfAnAbort() {
        TxProducer producer = moving("p");
        producer.close(false);
        producer.decide(false, 0, new ProducerIdentity(5, 1));
        assertFalse(isComing(producer));
    }

    @Test
    void shouldAddToAnEntryOnlyIfItHasTheOpenTransaction() {
        TxProducer producer = moving("p");
        assertNull(producer.added(List.of(COMMIT), 0), "there is no entry");
        producer.entry();
        assertNull(producer.added(List.of(COMMIT), 0), "it is not durable");
        producer.onEntryWritten(1);
        assertEquals(new AddedCommits(5, 0, List.of(COMMIT)), producer.added(List.of(COMMIT), 0));
        assertNull(producer.added(List.of(COMMIT), 1_000), "an entry is short enough");
        producer.close(false);
        producer.decide(false, 0, new ProducerIdentity(5, 0));
        producer.entry();
        producer.onCarriedOut();
        producer.begin(0, 0);
        producer.onEntryWritten(2);
        assertNull(producer.added(List.of(COMMIT), 0), "the entry was made before it was begun");
    }

    @Test
    void shouldAddToTheEntryThatIsThereAfterADecisionFoundNoRoom() {
        TxProducer producer = moving("p");
        producer.entry();
        producer.onEntryWritten(1);
        producer.close(false);
        Runnable undo = producer.decide(true, 0, new ProducerIdentity(5, 0));
        producer.entry();
        undo.run();
        assertEquals(new AddedCommits(5, 0, List.of(COMMIT)), producer.added(List.of(COMMIT), 0));
    }
}
