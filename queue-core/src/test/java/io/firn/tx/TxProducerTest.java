package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.ProducerIdentity;
import io.firn.TransactionCoordinator.State;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TxProducerTest {
    private static final Move MOVE = new Move(new UUID(1, 2), "reader", 0, 7, JournalEntry.SELF);

    private static TxProducer moving(String name) {
        TxProducer producer = new TxProducer("key", name, new ProducerIdentity(5, 0), 1_000, 0);
        producer.begin(0, 0);
        producer.addMoves(List.of(MOVE));
        return producer;
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
        assertEquals(List.of(MOVE), producer.comingMoves());
        producer.close();
        producer.decide(true, 0, new ProducerIdentity(5, 1));
        assertEquals(List.of(MOVE), producer.comingMoves()); // the journal is being forced
        producer.decided(3);
        assertEquals(List.of(MOVE), producer.comingMoves());
        producer.onCarriedOut();
        assertEquals(List.of(), producer.comingMoves());
    }

    @Test
    void shouldTellOfNoMoveOfAnAbort() {
        TxProducer producer = moving("p");
        producer.close();
        producer.decide(false, 0, new ProducerIdentity(5, 1));
        assertEquals(List.of(), producer.comingMoves());
    }
}
