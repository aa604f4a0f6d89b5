package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.BusyException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A second thread at a tailer, and a second tailer at a cursor. */
class SecondReaderTest {
    private static final TailerOptions AT_C = TailerOptions.at("c").withCommitByHand();

    @TempDir private Path directory;
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
        topic = store.createTopic("t", Stores.small().withPartitions(3));
        for (int i = 0; i < 3; i++) {
            try (Appender appender = topic.partition(i).openExclusiveAppender()) {
                appender.append(bytes("a"));
                appender.append(bytes("b"));
            }
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static int read(Tailer tailer) {
        return tailer.poll(record -> Action.CONTINUE, 10);
    }

    @Test
    void shouldTellASecondThreadThatAnotherOnePolls() throws Exception {
        for (Tailer tailer :
                List.of(
                        topic.openTailer(TailerOptions.defaults().withPartitions(0)),
                        topic.openTailer(AT_C.withPartitions(0)))) {
            CountDownLatch in = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            Stores.Task<Integer> first =
                    Stores.start(
                            () ->
                                    tailer.poll(
                                            record -> {
                                                in.countDown();
                                                Stores.await(
                                                        "the other thread",
                                                        () -> go.getCount() == 0);
                                                return Action.CONTINUE;
                                            },
                                            10));
            Stores.await("the handler", () -> in.getCount() == 0);
            for (Runnable use : List.<Runnable>of(() -> read(tailer), () -> tailer.seek(0))) {
                String refused =
                        assertThrows(ConcurrentModificationException.class, use::run).getMessage();
                assertTrue(refused.contains("the thread test"), refused);
                assertTrue(refused.contains("one thread at a time"), refused);
            }
            go.countDown();
            assertEquals(2, first.result());
            assertEquals(0, read(tailer), "it was handed over");
            tailer.close();
        }
    }

    @Test
    void shouldTellASecondThreadThatAnotherOneWaitsInAPoll() throws Exception {
        for (Tailer tailer :
                List.of(
                        topic.openTailer(TailerOptions.defaults().withPartitions(0)),
                        topic.openTailer(AT_C.withPartitions(0)))) {
            tailer.seekToEnd();
            AtomicReference<Thread> waiting = new AtomicReference<>();
            Stores.Task<Integer> first =
                    Stores.start(
                            () -> {
                                waiting.set(Thread.currentThread());
                                return tailer.poll(
                                        record -> Action.CONTINUE, 10, Duration.ofHours(1));
                            });
            Stores.await(
                    "the poll to wait",
                    () ->
                            waiting.get() != null
                                    && waiting.get().getState() == Thread.State.TIMED_WAITING);
            assertThrows(ConcurrentModificationException.class, () -> read(tailer));
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                appender.append(bytes("c"));
            }
            assertEquals(1, first.result(), "the other call went on");
            tailer.close();
        }
    }

    @Test
    void shouldStillTellAHandlerNotToUseItsOwnTailer() {
        for (Tailer tailer :
                List.of(
                        topic.openTailer(TailerOptions.defaults().withPartitions(0)),
                        topic.openTailer(AT_C.withPartitions(0)))) {
            tailer.poll(
                    record -> {
                        String refused =
                                assertThrows(IllegalStateException.class, () -> read(tailer))
                                        .getMessage();
                        assertTrue(refused.contains("handler"), refused);
                        return Action.STOP;
                    },
                    10);
            tailer.close();
        }
    }

    @Test
    void shouldRefuseASecondTailerForAPartitionAtTheSameCursor() {
        Tailer first = topic.openTailer(AT_C.withPartitions(0, 1));
        assertEquals(4, read(first));
        String refused =
                assertThrows(BusyException.class, () -> topic.openTailer(AT_C)).getMessage();
        for (String part : List.of("cursor c", "topic t", "partition 0", "close")) {
            assertTrue(refused.contains(part), refused);
        }
        try (Tailer other = topic.openTailer(AT_C.withPartitions(2));
                Tailer elsewhere = topic.openTailer(TailerOptions.at("d"))) {
            assertEquals(2, read(other), "another partition");
            assertEquals(6, read(elsewhere), "another cursor");
        }
        first.commit();
        first.close();
        first.close();
        try (Tailer next = topic.openTailer(AT_C)) {
            assertEquals(2, read(next), "where the first one was, and nothing was committed of 2");
            assertThrows(BusyException.class, () -> topic.openTailer(AT_C.withPartitions(1)));
        }
    }

    @Test
    void shouldReserveNothingForATailerThatCouldNotBeOpened() {
        assertThrows(
                InvalidOptionException.class, () -> topic.openTailer(AT_C.withPartitions(0, 3)));
        topic.cursor("c").commit(0, 1);
        try (Tailer opened = topic.openTailer(AT_C)) {
            assertEquals(5, read(opened));
        }
        topic.deleteCursor("c");
        topic.openTailer(AT_C).close();
    }
}
