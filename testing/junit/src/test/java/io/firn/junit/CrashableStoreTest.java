package io.firn.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.MediumException;
import io.firn.RecordHandler;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.TopicOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@FirnStore
class CrashableStoreTest {
    private static byte[] bytes(int number) {
        return ("order " + number).getBytes(StandardCharsets.UTF_8);
    }

    private static Appender appender(LogStore store, Durability durability) {
        return store.ensureTopic(
                        "orders",
                        TopicOptions.defaults().withPartitions(1).withDurability(durability))
                .partition(0)
                .openAppender();
    }

    private static List<String> values(LogStore store) {
        List<String> values = new ArrayList<>();
        try (Tailer tailer =
                store.openTopic("orders")
                        .openTailer(TailerOptions.defaults().withStartAtEarliest())) {
            RecordHandler add =
                    record -> {
                        values.add(StandardCharsets.UTF_8.decode(record.value()).toString());
                        return RecordHandler.Action.CONTINUE;
                    };
            while (tailer.poll(add, 1_000) > 0) {
                // Until there are no more.
            }
        }
        return values;
    }

    @Test
    void shouldKeepWhatADurableAppendReturned(CrashableStore disk) {
        Appender before = appender(disk.store(), Durability.DURABLE);
        before.append(bytes(1));
        assertEquals(List.of("order 1"), values(disk.powerCut()));
        assertThrows(ClosedException.class, () -> before.append(bytes(2)));
    }

    @Test
    void shouldLoseWhatWasOnlyWrittenWhenThePowerIsCut(CrashableStore disk) {
        appender(disk.store(), Durability.WRITTEN).append(bytes(1));
        assertTrue(values(disk.powerCut()).isEmpty());
    }

    @Test
    void shouldKeepWhatWasOnlyWrittenWhenTheProcessIsKilled(CrashableStore disk) {
        appender(disk.store(), Durability.WRITTEN).append(bytes(1));
        assertEquals(List.of("order 1"), values(disk.kill()));
    }

    @Test
    void shouldKeepAcknowledgedRecordsOverManyPowerCutsInMidAppend(CrashableStore disk)
            throws InterruptedException {
        AtomicInteger acknowledged = new AtomicInteger();
        for (long seed = 1; seed <= 20; seed++) {
            Appender appender = appender(disk.store(), Durability.DURABLE);
            CountDownLatch first = new CountDownLatch(1);
            Thread writer =
                    new Thread(
                            () -> {
                                try {
                                    while (true) {
                                        appender.append(bytes(acknowledged.get()));
                                        acknowledged.incrementAndGet();
                                        first.countDown();
                                    }
                                } catch (ClosedException | MediumException e) {
                                    // The power was cut.
                                }
                            });
            writer.start();
            first.await();
            disk.powerCut(seed);
            writer.join();
            List<String> values = values(disk.store());
            // Up to one record more: it was stored, and its append had not returned.
            assertTrue(
                    values.size() == acknowledged.get() || values.size() == acknowledged.get() + 1,
                    () -> values.size() + " records, " + acknowledged + " acknowledged");
            acknowledged.set(values.size());
        }
    }
}
