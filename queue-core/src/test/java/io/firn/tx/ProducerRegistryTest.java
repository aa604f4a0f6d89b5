package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.LimitExceededException;
import io.firn.host.ProducerIdentity;
import org.junit.jupiter.api.Test;

class ProducerRegistryTest {
    private static TxProducer make(String name) {
        return new TxProducer(
                ProducerRegistry.keyOf(name), name, new ProducerIdentity(-1, -1), 1_000, 0);
    }

    @Test
    void shouldRefuseANewNameWhenThereAreTooManyAndFindTheOldOnes() {
        ProducerRegistry producers = new ProducerRegistry(100);
        TxProducer first = producers.findOrAdd("0", ProducerRegistryTest::make);
        for (int i = 1; i < 100; i++) {
            producers.findOrAdd(Integer.toString(i), ProducerRegistryTest::make);
        }
        assertThrows(
                LimitExceededException.class,
                () -> producers.findOrAdd("one more", ProducerRegistryTest::make));
        assertSame(first, producers.findOrAdd("0", ProducerRegistryTest::make));
    }

    @Test
    void shouldGiveAnUnnamedProducerToOneTransactionAtATime() {
        ProducerRegistry producers = new ProducerRegistry(100);
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
        ProducerRegistry producers = new ProducerRegistry(100);
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
