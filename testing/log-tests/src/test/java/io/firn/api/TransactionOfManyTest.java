package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Batch;
import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Transactions of very many partitions, cursors and producers: no work grows with the square. */
class TransactionOfManyTest {
    private static final int MANY = 10_000;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private LogStore store;

    @BeforeEach
    void open() {
        store =
                StoreBuilder.over(Path.of("/sim/store"), medium)
                        .tier(FileTier.at(Path.of("/sim/tier")).withMedium(medium))
                        .invokerMode()
                        .open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        store.close();
        open();
    }

    @Test
    void shouldCommitInAThousandPartitions() {
        commitIn(1_000);
    }

    @Test
    @Tag("slow")
    void shouldCommitInTenThousandPartitions() {
        commitIn(MANY);
    }

    private void commitIn(int partitions) {
        Topic topic = store.createTopic("t", Stores.small().withPartitions(partitions));
        try (Transaction tx = store.beginTransaction()) {
            for (int i = 0; i < partitions; i++) {
                Partition partition = topic.partition(i);
                Batch batch = topic.newBatch().add(new byte[1]);
                tx.append(partition, batch);
            }
            tx.commit();
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < partitions; i++) {
                Partition partition = store.openTopic("t").partition(i);
                partition.force();
                assertEquals(2, partition.visibleOffset());
                assertEquals(List.of(), HostedPartition.of(partition).abortedTransactions(0, 2));
            }
            reopen();
        }
    }

    @Test
    void shouldMoveAGroupInTenThousandPartitions() {
        Topic topic = store.createTopic("t", Stores.small().withPartitions(MANY));
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        var identity = coordinator.open("p", Duration.ofMinutes(10), null);
        List<CursorMove> moves = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            moves.add(new CursorMove(topic, "group", i, 0, "note " + i));
        }
        coordinator.commitCursors("p", identity, moves);
        coordinator.commitCursors("p", identity, moves);
        for (int i = 0; i < MANY; i++) {
            assertEquals(true, coordinator.isCommitting(topic, "group", i));
        }
        coordinator.end("p", identity, true, false);
        Cursor cursor = topic.cursor("group");
        for (int i = 0; i < MANY; i++) {
            assertEquals(false, coordinator.isCommitting(topic, "group", i));
            assertEquals(0, cursor.offset(i));
        }
        assertEquals(moves, coordinator.notes("p"));
        reopen();
        assertEquals(MANY, HostedStore.of(store).transactions().notes("p").size());
        HostedStore.of(store)
                .transactions()
                .keptNotes("p", HostedStore.of(store).transactions().notes("p"));
        assertEquals(List.of(), HostedStore.of(store).transactions().notes("p"));
    }

    @Test
    void shouldMoveACursorTenThousandTimesInATransaction() {
        Topic topic = store.createTopic("t", Stores.small().withPartitions(MANY));
        Cursor cursor = topic.cursor("reader");
        try (var producer = store.openProducer("p", Duration.ofMinutes(10));
                Transaction tx = producer.beginTransaction()) {
            for (int i = 0; i < MANY; i++) {
                tx.commitCursor(cursor, i, 0);
            }
            tx.commit();
        }
        assertEquals(0, cursor.offset(MANY - 1));
    }
}
