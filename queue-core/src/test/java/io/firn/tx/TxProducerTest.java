package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.ProducerIdentity;
import io.firn.TransactionCoordinator.State;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TxProducerTest {
    private static final Move MOVE =
            new Move(new UUID(1, 2), "reader", 0, 7, JournalEntry.SELF, null);

    private static TxProducer moving(String name) {
        TxProducer producer = new TxProducer("key", name, new ProducerIdentity(5, 0), 1_000, 0);
        producer.begin(0, 0);
        producer.addMoves(List.of(MOVE));
        return producer;
    }

    private static boolean isComing(TxProducer producer) {
        assertFalse(producer.isMoving(MOVE.topicId(), MOVE.cursor(), MOVE.partition() + 1));
        boolean isMoving = producer.isMoving(MOVE.topicId(), MOVE.cursor(), MOVE.partition());
        assertEquals(isMoving, producer.hasComingMoves());
        return isMoving;
    }

    @Test
    void shouldWriteDownTheOpenTransactionOfANamedProducer() {
        JournalEntry entry = moving("p").entry();
        assertEquals(State.ONGOING, entry.state());
        assertEquals(List.of(MOVE), entry.openMoves());
    }

    @Test
    void shouldNotWriteDownTheOpenTransactionOfAnUnnamedProducer() {
        JournalEntry entry = moving(null).entry();
        assertEquals(State.EMPTY, entry.state());
        assertEquals(List.of(), entry.openMoves());
    }

    @Test
    void shouldTellOfTheMovesOfACommitUntilCursorsHaveMadeThem() {
        TxProducer producer = moving("p");
        assertTrue(isComing(producer));
        producer.close();
        producer.decide(true, 0, new ProducerIdentity(5, 1));
        assertTrue(isComing(producer)); // the journal is being forced
        producer.undone().decided(3);
        assertTrue(isComing(producer));
        producer.onCarriedOut();
        assertFalse(isComing(producer));
    }

    @Test
    void shouldTellOfNoMoveOfAnAbort() {
        TxProducer producer = moving("p");
        producer.close();
        producer.decide(false, 0, new ProducerIdentity(5, 1));
        assertFalse(isComing(producer));
    }
}
