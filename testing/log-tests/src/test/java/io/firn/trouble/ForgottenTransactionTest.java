package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.StoreMetrics.TransactionMetrics;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Readers wait for a transaction whose owner has lost it: the store says which one it is. */
class ForgottenTransactionTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int MINUTE_MS = 60_000;

    private final CachedEpochClock clock = new CachedEpochClock();
    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final List<String> warnings = new ArrayList<>();
    private final Level level = LOG.getLevel();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord entry) {
                    warnings.add(entry.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        LOG.setLevel(Level.WARNING); // another test may have silenced it
        LOG.addHandler(handler);
        clock.update(1_700_000_000_000L);
        store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium))
                        .clock(clock)
                        .nanoClock(() -> clock.time() * 1_000_000)
                        .invokerMode()
                        .open();
        topic = store.createTopic("orders", TransactionTroubleTest.SMALL.withPartitions(8));
    }

    @AfterEach
    void close() {
        LOG.removeHandler(handler);
        LOG.setLevel(level);
        store.close();
    }

    private void pass(int ms) {
        clock.advance(ms);
        store.doWork();
    }

    @Test
    void shouldWarnOnceOfAnUnnamedTransactionThatStaysOpen() {
        for (int i = 0; i < 3; i++) {
            try (Transaction short1 = store.beginTransaction()) {
                short1.append(topic.partition(0), new byte[8]);
                short1.commit();
            }
            pass(MINUTE_MS);
        }
        Transaction lost = store.beginTransaction();
        for (int i = 0; i < 8; i++) {
            lost.append(topic.partition(i), new byte[8]);
        }
        pass(MINUTE_MS - 1);
        assertEquals(List.of(), warnings);
        for (int i = 0; i < 5; i++) {
            pass(MINUTE_MS);
        }
        assertEquals(1, warnings.size(), warnings::toString);
        String said = warnings.get(0);
        assertTrue(said.contains("8 partitions: [orders-0, orders-1"), said);
        assertTrue(said.endsWith("Commit, abort or close it"), said);
        lost.abort();

        Transaction again = store.beginTransaction();
        again.append(topic.partition(7), new byte[8]);
        for (int i = 0; i < 5; i++) {
            pass(MINUTE_MS);
        }
        assertEquals(2, warnings.size(), warnings::toString);
        again.close();
    }

    @Test
    void shouldShowWhatReadersWaitForOldestFirst() {
        assertEquals(List.of(), store.metrics().transactions());
        Partition first = topic.partition(0);
        Producer producer = store.openProducer("ingest", Duration.ofHours(1));
        Transaction named = producer.beginTransaction();
        long begunMs = clock.time();
        named.append(first, new byte[8]);
        pass(1_000);
        Transaction unnamed = store.beginTransaction();
        unnamed.append(topic.partition(3), new byte[8]);

        List<TransactionMetrics> open = store.metrics().transactions();
        assertEquals(2, open.size(), open::toString);
        assertEquals(Optional.of("ingest"), open.get(0).producer());
        assertEquals(Optional.of(Instant.ofEpochMilli(begunMs)), open.get(0).startTime());
        assertEquals(State.ONGOING, open.get(0).state());
        assertEquals(List.of(first), open.get(0).partitions());
        assertEquals(Optional.empty(), open.get(1).producer());
        assertEquals(List.of(topic.partition(3)), open.get(1).partitions());

        unnamed.commit();
        named.abort();
        producer.close();
        assertEquals(List.of(), store.metrics().transactions());
    }
}
