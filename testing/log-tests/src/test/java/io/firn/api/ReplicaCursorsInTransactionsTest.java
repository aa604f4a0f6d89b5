package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.Cursor;
import io.firn.Durability;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.UnknownTopicException;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.ReplicaAppender;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.kafka.SourceLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transactions that move cursors, which may be those of a replicated topic. */
class ReplicaCursorsInTransactionsTest {
    @TempDir private Path directory;
    private LogStore store;
    private Topic replica;

    /** Who moves cursors in a transaction. */
    enum Mover {
        APPLICATION {
            @Override
            void move(LogStore store, Topic topic, long offset, Runnable beforeTheCommit) {
                try (Transaction tx = store.beginTransaction()) {
                    tx.commitCursor(topic.cursor("reader"), 0, offset);
                    beforeTheCommit.run();
                    tx.commit();
                }
            }
        },
        SERVER {
            @Override
            void move(LogStore store, Topic topic, long offset, Runnable beforeTheCommit) {
                TransactionCoordinator coordinator = HostedStore.of(store).transactions();
                ProducerIdentity id = coordinator.open("p", Duration.ofDays(1), null);
                coordinator.commitCursors("p", id, List.of(moveTo(topic, 0, offset)));
                beforeTheCommit.run();
                coordinator.end("p", id, true, false);
            }
        };

        abstract void move(LogStore store, Topic topic, long offset, Runnable beforeTheCommit);
    }

    private static CursorMove moveTo(Topic topic, int partition, long offset) {
        return new CursorMove(topic, "reader", partition, offset, "noted");
    }

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
        replica = replica("replica", Stores.small());
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        store.close();
        store = Stores.at(directory).open();
        replica = store.openTopic("replica");
    }

    /** Creates a replica of ten records, none of which need be durable. */
    private Topic replica(String name, TopicOptions options) {
        SourceLog source = new SourceLog(0, 1);
        for (int i = 0; i < 10; i++) {
            source.append(Compression.NONE, "value " + i);
        }
        Topic topic = store.createTopic(name, options.withReplicated(true));
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            Stores.await(
                    "ten records",
                    () -> {
                        appender.append(source.fetch(appender.nextOffset(), 100));
                        return appender.nextOffset() == 10;
                    });
        }
        return topic;
    }

    private void truncate(long offset) {
        try (ReplicaAppender appender =
                HostedPartition.of(replica.partition(0)).openReplicaAppender()) {
            appender.truncate(offset);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldMoveTheCursorOfAReplica(Mover mover) {
        mover.move(store, replica, 7, () -> {});
        assertEquals(7, replica.cursor("reader").offset(0));
        reopen();
        assertEquals(7, replica.cursor("reader").offset(0));
    }

    @ParameterizedTest
    @EnumSource
    void shouldMakeAReplicaDurableUpToThePositionThatItsCursorGets(Mover mover) {
        TopicOptions written =
                Stores.small()
                        .withDurability(Durability.WRITTEN)
                        .withForce(1 << 20, Duration.ofDays(1));
        Topic topic = replica("written", written);
        assertEquals(0, topic.partition(0).durableOffset());
        mover.move(store, topic, 7, () -> {});
        assertTrue(topic.partition(0).durableOffset() >= 7);
    }

    @ParameterizedTest
    @EnumSource
    void shouldMoveACursorToTheEndThatIsLeftWhenAReplicaWasTruncated(Mover mover) {
        mover.move(store, replica, 10, () -> truncate(4));
        Cursor cursor = replica.cursor("reader");
        assertEquals(4, cursor.offset(0));
        cursor.force();
        reopen();
        assertEquals(4, replica.cursor("reader").offset(0));
    }

    @Test
    void shouldKeepTheNoteOfAMoveInAReplica() {
        Mover.SERVER.move(store, replica, 7, () -> {});
        assertEquals(
                List.of(moveTo(replica, 0, 7)), HostedStore.of(store).transactions().notes("p"));
    }

    @Test
    void shouldRefuseAPositionThatACursorCannotHave() {
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        ProducerIdentity id = coordinator.open("p", Duration.ofDays(1), null);
        Consumer<CursorMove> move = each -> coordinator.commitCursors("p", id, List.of(each));
        assertRefused("has no partition 1", () -> move.accept(moveTo(replica, 1, 0)));
        assertRefused("has no partition -1", () -> move.accept(moveTo(replica, -1, 0)));
        CursorMove misnamed = new CursorMove(replica, "n".repeat(300), 0, 1);
        assertRefused("a cursor's name has", () -> move.accept(misnamed));
        try (Transaction tx = store.beginTransaction()) {
            Cursor cursor = replica.cursor("reader");
            assertRefused("offset 11 is not in [0, 10]", () -> tx.commitCursor(cursor, 0, 11));
            assertRefused("has no partition 1", () -> tx.commitCursor(cursor, 1, 0));
        }
        store.deleteTopic("replica");
        FirnException gone =
                assertThrows(UnknownTopicException.class, () -> move.accept(moveTo(replica, 0, 1)));
        assertEquals("topic replica was deleted", gone.getMessage());
        coordinator.end("p", id, false, true); // it began nothing, and can be told so
    }

    @Test
    void shouldRefuseACursorOfAnotherStore() {
        try (LogStore other = Stores.at(directory.resolve("other")).open()) {
            Topic foreign = other.createTopic("foreign", Stores.small());
            TransactionCoordinator coordinator = HostedStore.of(store).transactions();
            ProducerIdentity id = coordinator.open("p", Duration.ofDays(1), null);
            assertRefused(
                    "does not belong to the store",
                    () -> coordinator.commitCursors("p", id, List.of(moveTo(foreign, 0, 0))));
        }
    }

    private static void assertRefused(String why, Runnable call) {
        InvalidOptionException refused = assertThrows(InvalidOptionException.class, call::run);
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
    }
}
