package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.ProducerFencedException;
import io.firn.Transaction;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records and moves of cursors take effect together or not at all, whatever is lost. */
class TransactionMovesTest {
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
        Simulation again = new Simulation(simulation.medium.crash(Survival.NONE));
        again.clock.update(simulation.clock.time());
        simulation = again;
        store = again.open();
    }

    private Partition partition(String topic, int index) {
        return store.openTopic(topic).partition(index);
    }

    private Cursor cursor(String topic) {
        return store.openTopic(topic).cursor("reader");
    }

    private void append(Transaction tx, String topic, int index, String value) {
        Partition to = partition(topic, index);
        tx.append(to, to.topic().newBatch().add(value.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void shouldNotCommitATransactionWithoutTheMovesThatACrashHasLost() {
        Producer producer = store.openProducer("p", DAY);
        ProducerIdentity identity = HostedStore.of(store).transactions().find("p").identity();
        Transaction tx = producer.beginTransaction();
        append(tx, "durable", 0, "a");
        partition("durable", 0).force();
        tx.commitCursor(cursor("durable"), 0, 1);
        cutPower();
        assertThrows(
                ProducerFencedException.class,
                () -> HostedStore.of(store).transactions().end("p", identity, true, false));
        Partition partition = partition("durable", 0);
        assertEquals(1, HostedPartition.of(partition).abortedTransactions(0, 1).size());
        assertEquals(partition.nextOffset(), partition.visibleOffset());
        assertEquals(-1, cursor("durable").offset(0));
        store.openProducer("p", DAY);
        assertEquals(
                identity.epoch() + 2,
                HostedStore.of(store).transactions().find("p").identity().epoch());
    }

    @Test
    void shouldMoveNoCursorAboveTheEndOfALogThatLostItsTail() {
        Partition input = partition("written", 0);
        try (Appender appender = input.openAppender()) {
            for (int i = 0; i < 5; i++) {
                appender.append(new byte[1]);
            }
        }
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        ProducerIdentity identity = coordinator.open("p", DAY, null);
        coordinator.commitCursors(
                "p", identity, List.of(new CursorMove(input.topic(), "reader", 0, 5)));
        cutPower();
        Partition left = partition("written", 0);
        long end = left.nextOffset();
        assertTrue(end < 5);
        assertTrue(store.findings().toString().contains("cursor reader"));
        try (Appender appender = left.openAppender()) {
            appender.append(new byte[1]);
        }
        HostedStore.of(store).transactions().end("p", identity, true, false);
        assertEquals(end, cursor("written").offset(0), "what was appended since is read");
        cutPower();
        assertEquals(end, cursor("written").offset(0));
    }
}
