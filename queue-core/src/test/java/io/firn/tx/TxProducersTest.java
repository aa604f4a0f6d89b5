package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.LimitExceededException;
import io.firn.host.ProducerIdentity;
import org.junit.jupiter.api.Test;

class TxProducersTest {
    private static TxProducer make(String name) {
        return new TxProducer(
                TxProducers.keyOf(name), name, new ProducerIdentity(-1, -1), 1_000, 0);
    }

    @Test
    void shouldRefuseANewNameWhenThereAreTooManyAndFindTheOldOnes() {
        TxProducers producers = new TxProducers(100);
        TxProducer first = producers.findOrAdd("0", TxProducersTest::make);
        for (int i = 1; i < 100; i++) {
            producers.findOrAdd(Integer.toString(i), TxProducersTest::make);
        }
        assertThrows(
                LimitExceededException.class,
                () -> producers.findOrAdd("one more", TxProducersTest::make));
        assertSame(first, producers.findOrAdd("0", TxProducersTest::make));
    }

    @Test
    void shouldGiveAnUnnamedProducerToOneTransactionAtATime() {
        TxProducers producers = new TxProducers(100);
        TxProducer made = producers.beginUnnamed(7, 0, 0);
        producers.release(made);
        assertNull(producers.beginUnnamed(0, 0), "its transaction is open");
        made.close(false);
        made.endWithoutTrace(true);
        producers.release(made);
        producers.release(made);
        assertSame(made, producers.beginUnnamed(0, 0));
        producers.release(made);
        assertNull(producers.beginUnnamed(0, 0));
        assertEquals(1, producers.count());
    }

    @Test
    void shouldForgetAnUnnamedProducerThatRecoveryFoundWhenNothingOfItIsLeft() {
        TxProducers producers = new TxProducers(100);
        TxProducer found = producers.addUnnamed(7, 0);
        found.begin(0, 0);
        producers.release(found);
        assertSame(found, producers.byId(7));
        found.close(false);
        found.endWithoutTrace(false);
        producers.release(found);
        assertNull(producers.byId(7));
        assertNull(producers.beginUnnamed(0, 0), "somebody else may still have its id");
        assertEquals(0, producers.count());
    }
}
