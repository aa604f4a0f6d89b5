package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.ProducerIdentity;
import io.firn.TooManyProducersException;
import org.junit.jupiter.api.Test;

class TxProducersTest {
    private static TxProducer make(String name) {
        return new TxProducer(
                TxProducers.keyOf(name), name, new ProducerIdentity(-1, -1), 1_000, 0);
    }

    @Test
    void shouldRefuseANewNameWhenThereAreTooManyAndFindTheOldOnes() {
        TxProducers producers = new TxProducers();
        TxProducer first = producers.findOrAdd("0", TxProducersTest::make);
        for (int i = 1; i < TxProducers.MOST_NAMES; i++) {
            producers.findOrAdd(Integer.toString(i), TxProducersTest::make);
        }
        assertThrows(
                TooManyProducersException.class,
                () -> producers.findOrAdd("one more", TxProducersTest::make));
        assertSame(first, producers.findOrAdd("0", TxProducersTest::make));
    }
}
