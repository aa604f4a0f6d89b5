package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.readAll;
import static io.firn.api.Stores.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.ProducerFencedException;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.host.HostedStore;
import io.firn.host.OutOfOrderSequenceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Idempotent appends. */
class ProducerTest {
    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private final ManualClock clock = new ManualClock();
    private LogStore store;
    private Partition partition;
    private Appender appender;
    private long id;

    @BeforeEach
    void open() {
        store = Stores.at(directory, medium).clock(clock).open();
        partition = store.ensureTopic("t", Stores.small()).partition(0);
        appender = partition.openAppender();
        id = HostedStore.of(store).newProducerId();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        long before = id;
        store.close();
        open();
        id = before;
    }

    private Batch batch(int epoch, int sequence, int count) {
        Batch batch = appender.newBatch();
        for (int i = 0; i < count; i++) {
            batch.add(bytes("e" + epoch + "s" + (sequence + i)));
        }
        return batch.producer(id, epoch, sequence);
    }

    private long append(int epoch, int sequence, int count) {
        return appender.append(batch(epoch, sequence, count));
    }

    @Test
    void shouldStoreARepeatedBatchOnce() {
        assertEquals(0, append(0, 0, 3));
        assertEquals(3, append(0, 3, 2));
        assertEquals(0, append(0, 0, 3));
        assertEquals(3, append(0, 3, 2));
        assertEquals(5, partition.nextOffset());
        assertEquals(3, appender.tryAppend(batch(0, 3, 2)));
        assertEquals(5, append(0, 5, 1));
        assertEquals(
                List.of("e0s0", "e0s1", "e0s2", "e0s3", "e0s4", "e0s5"),
                texts(readAll(partition.openTailer())));
    }

    @Test
    void shouldRememberTheLastFiveBatchesAcrossReopens() {
        for (int reopened = 0; reopened < 2; reopened++) {
            int from = reopened * 10;
            for (int i = 0; i < 7; i++) {
                assertEquals(from + i, append(0, from + i, 1));
            }
            for (int round = 0; round < 2; round++) {
                for (int i = 2; i < 7; i++) {
                    assertEquals(from + i, append(0, from + i, 1), "the last five are known");
                }
                int tooOld = from + 1;
                OutOfOrderSequenceException e =
                        assertThrows(OutOfOrderSequenceException.class, () -> append(0, tooOld, 1));
                assertEquals(from + 7, e.expectedSequence());
                assertEquals(tooOld, e.foundSequence());
                reopen();
            }
            for (int i = 7; i < 10; i++) {
                assertEquals(from + i, append(0, from + i, 1));
            }
        }
        assertEquals(20, partition.nextOffset());
    }

    @Test
    void shouldRefuseAGap() {
        append(0, 0, 2);
        for (int wrong : new int[] {3, 1, Integer.MAX_VALUE}) {
            assertThrows(OutOfOrderSequenceException.class, () -> append(0, wrong, 1));
        }
        assertThrows(OutOfOrderSequenceException.class, () -> append(0, 0, 3));
        assertThrows(OutOfOrderSequenceException.class, () -> append(0, 0, 1));
        assertEquals(2, partition.nextOffset());
        assertEquals(2, append(0, 2, 1));
    }

    @Test
    void shouldShutOutAnOlderEpoch() {
        append(3, 0, 1);
        assertThrows(OutOfOrderSequenceException.class, () -> append(4, 1, 1));
        assertEquals(1, append(4, 0, 1), "a newer epoch begins with 0");
        assertThrows(ProducerFencedException.class, () -> append(3, 1, 1));
        reopen();
        assertThrows(ProducerFencedException.class, () -> append(3, 1, 1));
        assertEquals(2, append(4, 1, 1));
    }

    @Test
    void shouldContinueWithSequenceZeroAfterTheLargest() {
        int last = Integer.MAX_VALUE - 1;
        assertEquals(0, append(0, last, 3)); // MAX − 1, MAX, 0
        assertEquals(3, append(0, 1, 1));
        assertEquals(0, append(0, last, 3));
        reopen();
        assertEquals(0, append(0, last, 3));
        assertEquals(3, append(0, 1, 1));
        assertEquals(4, append(0, 2, 1));
    }

    @Test
    void shouldTakeAnySequenceOfAnUnknownProducer() {
        assertEquals(0, append(5, 1000, 1));
        assertEquals(1, append(5, 1001, 1));
    }

    @Test
    void shouldKeepProducersAndPartitionsApart() {
        TopicOptions two = Stores.small().withPartitions(2);
        var topic = store.createTopic("two", two);
        long other = HostedStore.of(store).newProducerId();
        try (Appender zero = topic.partition(0).openAppender();
                Appender one = topic.partition(1).openAppender()) {
            Batch batch = zero.newBatch().add(bytes("a")).producer(id, 0, 0);
            assertEquals(0, zero.append(batch));
            assertEquals(0, one.append(batch));
            batch.producer(other, 0, 0);
            assertEquals(1, zero.append(batch));
            assertEquals(1, one.append(batch));
        }
    }

    @Test
    void shouldAcknowledgeADuplicateOnlyWhenItsBatchIsDurable() throws Exception {
        append(0, 0, 1);
        Gate forcing = new Gate();
        forcing.shut();
        medium.beforeForce(forcing);
        assertEquals(1, appender.tryAppend(batch(0, 1, 1)));
        Stores.await("its force", () -> forcing.held() > 0);
        Stores.Task<Long> duplicate = Stores.start(() -> append(0, 1, 1));
        for (int i = 0; i < 20; i++) {
            java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
        }
        assertFalse(duplicate.isDone(), "acknowledged before it was durable");
        forcing.open();
        assertEquals(1, duplicate.result());
        assertEquals(2, partition.durableOffset());
    }

    @Test
    void shouldKnowProducersWhoseBatchesLieInSealedSegments() {
        for (int i = 0; i < 40; i++) {
            Batch batch = appender.newBatch().add(new byte[20_000]).producer(id, 0, i);
            assertEquals(i, appender.append(batch));
        }
        long idle = HostedStore.of(store).newProducerId();
        Batch once = appender.newBatch().add(bytes("once")).producer(idle, 0, 0);
        assertEquals(40, appender.append(once));
        reopen();
        assertEquals(40, appender.append(once));
        Batch batch = appender.newBatch().add(new byte[20_000]).producer(id, 0, 39);
        assertEquals(39, appender.append(batch));
    }

    @Test
    void shouldForgetAProducerThatAppendedNothingForLong() {
        store.close();
        store =
                Stores.at(directory, medium)
                        .clock(clock)
                        .invokerMode()
                        .producerExpiry(Duration.ofMinutes(1))
                        .open();
        partition = store.openTopic("t").partition(0);
        appender = partition.openAppender();
        append(0, 0, 1);
        clock.advance(61_000);
        long other = HostedStore.of(store).newProducerId();
        appender.append(appender.newBatch().add(bytes("x")).producer(other, 0, 0));
        Stores.work(store);
        assertEquals(2, append(0, 7, 1), "any sequence of a forgotten producer starts it again");
    }

    /** Of many partitions with few records each would force a file and take space for it. */
    @Test
    void shouldWriteNoCheckpointBeforeThereIsMoreThanRecoveryReadsAtOnce() throws Exception {
        store.close();
        store = Stores.at(directory, medium).clock(clock).invokerMode().open();
        partition = store.openTopic("t").partition(0);
        appender = partition.openAppender();
        append(0, 0, 1);
        appender.append(new byte[30_000]);
        workForLong();
        assertFalse(hasCheckpoint());

        appender.append(new byte[30_000]);
        append(0, 1, 1);
        workForLong();
        assertFalse(hasCheckpoint());

        appender.append(new byte[10_000]);
        workForLong();
        assertTrue(hasCheckpoint());
    }

    /** A read-only store that finds damage waits for it. */
    @Test
    void shouldWriteACheckpointOfTransactionsHoweverLittleWasAppended() {
        store.close();
        store = Stores.at(directory, medium).clock(clock).invokerMode().open();
        try (Transaction transaction = store.beginTransaction()) {
            transaction.append(
                    store.openTopic("t").partition(0), appender.newBatch().add(bytes("x")));
            workForLong();
            assertTrue(hasCheckpoint());
        }
    }

    private void workForLong() {
        for (int i = 0; i < 5; i++) {
            clock.advance(1_000);
            Stores.work(store);
        }
    }

    private boolean hasCheckpoint() {
        String file = "producers-0";
        return Stores.filesIn(directory).stream().anyMatch(path -> path.endsWith(file));
    }

    @Test
    void shouldNeverGiveAProducerIdTwice() {
        Set<Long> ids = new HashSet<>();
        for (int reopened = 0; reopened < 3; reopened++) {
            for (int i = 0; i < 1500; i++) {
                assertTrue(ids.add(HostedStore.of(store).newProducerId()));
            }
            reopen();
        }
    }

    @Test
    void shouldRefuseWhatNoProducerHas() {
        Batch batch = appender.newBatch().add(bytes("x"));
        assertThrows(InvalidOptionException.class, () -> batch.producer(-1, 0, 0));
        assertThrows(InvalidOptionException.class, () -> batch.producer(1, -1, 0));
        assertThrows(InvalidOptionException.class, () -> batch.producer(1, 32_768, 0));
        assertThrows(InvalidOptionException.class, () -> batch.producer(1, 0, -1));
    }

    @Test
    void shouldNotBeAProducerAnyMoreAfterClear() {
        Batch batch = appender.newBatch().add(bytes("x")).producer(id, 0, 0);
        appender.append(batch);
        batch.clear().add(bytes("x"));
        assertEquals(1, appender.append(batch));
        assertEquals(2, appender.append(batch));
    }
}
