package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.readAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Claim;
import io.firn.ClosedException;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicAppender;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store without threads. */
class InvokerModeTest {
    @TempDir private Path directory;

    private static List<String> firnThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("firn"))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void shouldDoEverythingOnTheCallersThread(Durability durability) {
        int threadsBefore = Thread.activeCount();
        try (LogStore store = Stores.at(directory).invokerMode().open()) {
            Topic topic =
                    store.createTopic(
                            "t",
                            Stores.small().withDurability(durability).withRetentionBytes(200_000));
            Partition partition = topic.partition(0);
            Tailer tailer = topic.openTailer();
            List<Long> told = new ArrayList<>();
            long seen = 0;
            try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
                appender.onDurable((p, offset) -> told.add(offset));
                for (int i = 0; i < 100; i++) {
                    appender.append(new byte[5_000]);
                    appender.append(appender.newBatch().add(new byte[5_000]));
                    Claim claim;
                    while ((claim = appender.tryClaim(100)) == null) {
                        store.doWork();
                    }
                    long last = claim.commitWithoutWaiting();
                    CompletableFuture<Long> future = appender.whenDurable(last);
                    while (!future.isDone()) {
                        store.doWork();
                    }
                    appender.awaitDurable(last);
                    seen += tailer.poll(record -> Action.CONTINUE, 10, Duration.ofSeconds(1));
                }
            }
            assertEquals(300, seen);
            assertEquals(300, told.get(told.size() - 1));
            assertTrue(partition.metrics().rolls() > 10);
            topic.cursor("c").commit(0, 300);
            topic.cursor("c").force();
            partition.force();
            Stores.await(
                    "retention",
                    () -> {
                        store.doWork();
                        return partition.metrics().segments() < 8;
                    });
            assertEquals(List.of(), firnThreads());
            assertTrue(Thread.activeCount() <= threadsBefore, "others may end meanwhile");
        }
        try (LogStore store = Stores.at(directory).invokerMode().open()) {
            Partition partition = store.openTopic("t").partition(0);
            assertEquals(300, partition.nextOffset());
            assertEquals(300 - partition.logStartOffset(), readAll(partition.openTailer()).size());
            assertEquals(300, store.openTopic("t").cursor("c").offset(0));
            store.deleteTopic("t");
            Stores.work(store);
            assertEquals(0, store.metrics().tiers().get(0).usedBytes());
            assertEquals(List.of(), firnThreads());
        }
    }

    @Test
    void shouldAppendToTopicsAndTailInOneThread() {
        try (LogStore store = Stores.at(directory).invokerMode().open()) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(3));
            try (TopicAppender appender = topic.openAppender()) {
                for (int i = 0; i < 50; i++) {
                    appender.append(bytes("key" + i), new byte[4_000]);
                }
            }
            assertEquals(50, Stores.read(topic.openTailer(), 50).size());
        }
    }

    @Test
    void shouldEndAWaitThatNobodyCanEndFromElsewhere() {
        try (LogStore store = Stores.at(directory).invokerMode().open()) {
            Tailer tailer = store.createTopic("t", Stores.small()).openTailer();
            assertEquals(0, tailer.poll(record -> Action.CONTINUE, 1, Duration.ofMillis(20)));
            Thread.currentThread().interrupt();
            assertEquals(0, tailer.poll(record -> Action.CONTINUE, 1, Duration.ofHours(1)));
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void shouldReadOnlyWithoutThreads() {
        try (LogStore writer = Stores.at(directory).open()) {
            Topic topic = writer.createTopic("t", Stores.small());
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                appender.append(bytes("a"));
            }
        }
        try (LogReader reader = Stores.at(directory).invokerMode().openReadOnly()) {
            reader.doWork();
            assertEquals(1, Stores.read(reader.openTopic("t").openTailer(), 1).size());
            assertEquals(List.of(), firnThreads());
        }
    }

    @Test
    void shouldBelongToStoresThatAskedForIt() {
        try (LogStore store = Stores.at(directory).open()) {
            // There may be more: another one starts while all are busy.
            List<String> threads = firnThreads();
            assertTrue(threads.containsAll(List.of("firn-force", "firn-tidy")), "" + threads);
            assertThrows(IllegalStateException.class, store::doWork);
        }
        assertEquals(List.of(), firnThreads());
    }

    @Test
    void shouldDoNothingAfterClose() {
        LogStore store = Stores.at(directory).invokerMode().open();
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        Appender appender = partition.openExclusiveAppender();
        appender.append(bytes("a"));
        store.close();
        assertEquals(0, store.doWork());
        assertThrows(ClosedException.class, () -> appender.append(bytes("b")));
        appender.close();
    }

    @Test
    void shouldNotBeClosedFromInsideOfItsOwnWork() {
        LogStore store = Stores.at(directory).invokerMode().open();
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(bytes("a"));
            appender.tryAppend(new UnsafeBuffer(bytes("b")), 0, 1);
            CompletableFuture<Void> closes = appender.whenDurable(1).thenRun(store::close);
            Stores.work(store);
            assertTrue(closes.isCompletedExceptionally());
            assertFalse(appender.append(bytes("c")) < 0, "it is still open");
        }
        store.close();
    }
}
