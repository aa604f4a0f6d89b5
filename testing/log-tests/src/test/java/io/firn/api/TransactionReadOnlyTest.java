package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.IsolationLevel;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.host.HostedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a store that is open read-only shows of the transactions of the writing process. */
class TransactionReadOnlyTest {
    @TempDir private Path directory;
    private LogStore writer;
    private LogReader reader;

    @BeforeEach
    void open() {
        writer =
                Stores.at(directory, new ObservedMedium())
                        .markInterval(Duration.ofMillis(5))
                        .open();
    }

    @AfterEach
    void close() {
        if (reader != null) {
            reader.close();
        }
        writer.close();
    }

    private void openReader() {
        reader = Stores.at(directory, new ObservedMedium()).openReadOnly();
    }

    private static void append(Topic topic, int partition, String value) {
        try (Appender appender = topic.partition(partition).openAppender()) {
            appender.append(Stores.bytes(value));
        }
    }

    private void transaction(Topic topic, String value, boolean commits) {
        try (Transaction tx = writer.beginTransaction()) {
            for (int i = 0; i < topic.partitionCount(); i++) {
                tx.append(topic.partition(i), topic.newBatch().add(Stores.bytes(value)));
            }
            if (commits) {
                tx.commit();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldShowCommittedTransactionsOnlyAndInOrder(Durability durability) {
        Topic topic =
                writer.createTopic(
                        "t", Stores.small().withDurability(durability).withPartitions(2));
        append(topic, 0, "first");
        openReader();
        Tailer tailer =
                reader.openTopic("t").openTailer(TailerOptions.defaults().withPartitions(0));
        assertEquals(List.of("first"), Stores.texts(Stores.read(tailer, 1)));
        transaction(topic, "aborted", false);
        transaction(topic, "committed", true);
        Transaction open = writer.beginTransaction();
        open.append(topic.partition(0), topic.newBatch().add(Stores.bytes("open")));
        append(topic, 0, "behind");
        assertEquals(List.of("committed"), Stores.texts(Stores.read(tailer, 1)));
        Tailer all =
                reader.openTopic("t")
                        .openTailer(
                                TailerOptions.defaults()
                                        .withIsolation(IsolationLevel.READ_UNCOMMITTED)
                                        .withPartitions(0));
        assertEquals(
                List.of("first", "aborted", "committed", "open", "behind"),
                Stores.texts(Stores.read(all, 5)));
        assertEquals(List.of(), Stores.texts(Stores.readAll(tailer)));
        open.commit();
        assertEquals(List.of("open", "behind"), Stores.texts(Stores.read(tailer, 2)));
    }

    @Test
    void shouldKnowWhatHappenedBeforeItWasOpened() {
        Topic topic = writer.createTopic("t", Stores.small().withPartitions(2));
        for (int i = 0; i < 2_500; i++) {
            transaction(topic, "tx " + i, i % 5 == 0);
        }
        Transaction open = writer.beginTransaction();
        open.append(topic.partition(0), topic.newBatch().add(Stores.bytes("open")));
        append(topic, 0, "behind");
        openReader();
        List<String> seen =
                Stores.texts(
                        Stores.read(
                                reader.openTopic("t")
                                        .openTailer(TailerOptions.defaults().withPartitions(0)),
                                500));
        assertEquals("tx 0", seen.get(0));
        assertEquals("tx 2495", seen.get(499));
        open.abort();
        Tailer tailer =
                reader.openTopic("t").openTailer(TailerOptions.defaults().withPartitions(0));
        assertEquals("behind", Stores.texts(Stores.read(tailer, 501)).get(500));
    }

    @Test
    void shouldRefuseToBeginOne() {
        writer.createTopic("t", Stores.small());
        openReader();
        LogStore hosted = HostedStore.of(reader);
        assertThrows(InvalidOptionException.class, hosted::beginTransaction);
        assertThrows(
                InvalidOptionException.class,
                () -> hosted.openProducer("p", Duration.ofMinutes(1)));
    }

    @Test
    void shouldNotBeHeldUpByATransactionWhoseMarkerWasDeletedBeforeItWasSeen() {
        Topic topic = writer.createTopic("t", Stores.small());
        Transaction open = writer.beginTransaction();
        open.append(topic.partition(0), topic.newBatch().add(Stores.bytes("open")));
        topic.partition(0).force();
        openReader();
        Tailer all =
                reader.openTopic("t")
                        .openTailer(
                                TailerOptions.defaults()
                                        .withIsolation(IsolationLevel.READ_UNCOMMITTED)
                                        .withPartitions(0));
        assertEquals(List.of("open"), Stores.texts(Stores.read(all, 1)));
        Tailer tailer =
                reader.openTopic("t").openTailer(TailerOptions.defaults().withPartitions(0));
        assertEquals(List.of(), Stores.texts(Stores.readAll(tailer)));
        open.commit();
        append(topic, 0, "deleted");
        append(topic, 0, "behind");
        topic.partition(0).deleteRecordsBefore(topic.partition(0).nextOffset() - 1);
        Stores.await(
                "the new log start",
                () -> reader.openTopic("t").partition(0).logStartOffset() == 3);
        tailer.seekToStart();
        assertEquals(List.of("behind"), Stores.texts(Stores.read(tailer, 1)));
    }
}
