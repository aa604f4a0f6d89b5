package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.DamagedRangeException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.OffsetOutOfRangeException;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerLoop;
import io.firn.TailerOptions;
import io.firn.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TailerLoopTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir private Path directory;
    private LogStore store;
    private Topic topic;
    private final List<String> read = Collections.synchronizedList(new ArrayList<>());
    private final RecordHandler keep =
            record -> {
                read.add(record.partition() + ":" + record.offset());
                return Action.CONTINUE;
            };

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
        topic = store.createTopic("t", Stores.small().withPartitions(2));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void append(int partition, int count) {
        try (Appender appender = topic.partition(partition).openAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(bytes("" + i));
            }
        }
    }

    private Stores.Task<Void> start(RecordHandler handler, TailerLoop loop) {
        return Stores.start(
                () -> {
                    loop.run(handler);
                    return null;
                });
    }

    /** Ends the run after a number of records. */
    private static RecordHandler stopAfter(int count, RecordHandler handler) {
        AtomicInteger left = new AtomicInteger(count);
        return record -> {
            Action action = handler.onRecord(record);
            return action == Action.CONTINUE && left.decrementAndGet() == 0 ? Action.STOP : action;
        };
    }

    @Test
    void shouldReadOnUntilItIsStopped() throws Exception {
        append(0, 3);
        TailerLoop loop = TailerLoop.of(topic.openTailer());
        Stores.Task<Void> run = start(keep, loop);
        Stores.await("what was there", () -> read.size() == 3);
        assertTrue(loop.isRunning());
        append(1, 2);
        Stores.await("what came later", () -> read.size() == 5);
        loop.stop();
        assertTrue(loop.awaitEnd(LONG));
        run.result();
        assertFalse(loop.isRunning());
        assertThrows(IllegalStateException.class, () -> loop.run(keep));
    }

    @Test
    void shouldHandOutNoRecordAfterItWasStoppedInTheMiddleOfMany() {
        append(0, 10);
        Tailer tailer = topic.openTailer();
        TailerLoop loop = TailerLoop.of(tailer);
        loop.run(
                record -> {
                    if (record.offset() == 4) {
                        loop.stop();
                    }
                    return keep.onRecord(record);
                });
        assertEquals(5, read.size());
        assertEquals(5, tailer.offset(0), "the next one is not lost");
        tailer.run(stopAfter(1, keep));
        assertEquals("0:5", read.get(5));
    }

    @Test
    void shouldNotBeginWhenItWasStoppedBefore() throws Exception {
        append(0, 1);
        TailerLoop loop = TailerLoop.of(topic.openTailer());
        loop.stop();
        loop.run(keep);
        assertEquals(List.of(), read);
        assertTrue(loop.awaitEnd(Duration.ZERO));
    }

    @Test
    void shouldIdleAsItIsToldWhileThereIsNothing() throws Exception {
        append(0, 2);
        AtomicInteger idles = new AtomicInteger();
        IdleStrategy counting =
                new IdleStrategy() {
                    @Override
                    public void idle(int workCount) {
                        if (workCount == 0) {
                            idle();
                        }
                    }

                    @Override
                    public void idle() {
                        idles.incrementAndGet();
                        Thread.yield();
                    }

                    @Override
                    public void reset() {}
                };
        TailerLoop loop = TailerLoop.of(topic.openTailer()).idleStrategy(counting);
        Stores.Task<Void> run = start(keep, loop);
        Stores.await("idling", () -> idles.get() > 3);
        assertEquals(2, read.size());
        append(1, 1);
        Stores.await("what came later", () -> read.size() == 3);
        loop.stop();
        run.result();
    }

    @Test
    void shouldEndWhenItsThreadIsInterrupted() throws Exception {
        Stores.Task<Boolean> run =
                Stores.start(
                        () -> {
                            topic.openTailer().run(keep);
                            return Thread.interrupted();
                        });
        append(0, 1);
        Stores.await("the record", () -> read.size() == 1);
        run.thread().interrupt();
        assertTrue(run.result(), "the status stays set");
    }

    @Test
    void shouldThrowWhatTheHandlerThrowsUnlessToldOtherwise() {
        append(0, 3);
        IllegalArgumentException broken = new IllegalArgumentException("broken on purpose");
        Tailer tailer = topic.openTailer();
        TailerLoop loop = TailerLoop.of(tailer);
        RecordHandler handler =
                record -> {
                    if (record.offset() == 1) {
                        throw broken;
                    }
                    return keep.onRecord(record);
                };
        assertSame(broken, assertThrows(IllegalArgumentException.class, () -> loop.run(handler)));
        assertEquals(List.of("0:0"), read);
        assertEquals(1, tailer.offset(0), "it is not handled");
        assertFalse(loop.isRunning());
    }

    @Test
    void shouldSkipARecordThatCannotBeHandledWhenToldTo() {
        append(0, 3);
        append(1, 3);
        List<String> errors = new ArrayList<>();
        TailerLoop loop =
                TailerLoop.of(topic.openTailer())
                        .onError(
                                error -> {
                                    errors.add(error.getMessage());
                                    return Action.CONTINUE;
                                });
        RecordHandler handler =
                stopAfter(
                        4,
                        record -> {
                            if (record.offset() == 1) {
                                throw new IllegalArgumentException("in " + record.partition());
                            }
                            return keep.onRecord(record);
                        });
        loop.run(handler);
        Collections.sort(read);
        Collections.sort(errors);
        assertEquals(List.of("0:0", "0:2", "1:0", "1:2"), read);
        assertEquals(List.of("in 0", "in 1"), errors);
    }

    @Test
    void shouldHandOutARecordAgainUntilItIsHandled() {
        append(0, 3);
        AtomicInteger tries = new AtomicInteger();
        RecordHandler handler =
                stopAfter(
                        3,
                        record -> {
                            if (record.offset() == 1 && tries.incrementAndGet() < 4) {
                                if (tries.get() == 1) {
                                    return Action.RETRY;
                                }
                                throw new IllegalStateException("not yet");
                            }
                            return keep.onRecord(record);
                        });
        TailerLoop.of(topic.openTailer()).onError(error -> Action.RETRY).run(handler);
        assertEquals(List.of("0:0", "0:1", "0:2"), read);
        assertEquals(4, tries.get());
    }

    @Test
    void shouldGoOnAtTheStartWhenRetentionHasOvertakenIt() {
        append(0, 5);
        append(1, 5);
        Tailer tailer = topic.openTailer();
        topic.partition(1).deleteRecordsBefore(3);
        assertThrows(OffsetOutOfRangeException.class, () -> tailer.run(keep));
        List<RuntimeException> errors = new ArrayList<>();
        TailerLoop loop =
                TailerLoop.of(tailer)
                        .onError(
                                error -> {
                                    errors.add(error);
                                    return Action.CONTINUE;
                                });
        loop.run(stopAfter(7 - read.size(), keep));
        Collections.sort(read);
        assertEquals(List.of("0:0", "0:1", "0:2", "0:3", "0:4", "1:3", "1:4"), read);
        assertEquals(1, ((OffsetOutOfRangeException) errors.get(0)).partition());
    }

    @Test
    void shouldLeaveAnErrorOfTheHandlerToTheErrorHandlerWhateverItIs() {
        append(0, 2);
        RecordHandler handler =
                stopAfter(
                        1,
                        record -> {
                            if (record.offset() == 0) { // of another log, that the handler reads
                                throw new DamagedRangeException("other", 1, 50, 60, "on purpose");
                            }
                            return keep.onRecord(record);
                        });
        TailerLoop.of(topic.openTailer()).onError(error -> Action.CONTINUE).run(handler);
        assertEquals(List.of("0:1"), read);
    }

    /** An error handler that tries again for ever does not keep its thread. */
    @Test
    void shouldEndWithAnExceptionWhenTheStoreIsClosedUnderItsHandler() {
        append(0, 1);
        TailerLoop loop = TailerLoop.of(topic.openTailer()).onError(error -> Action.RETRY);
        RecordHandler asksTheStore =
                record -> {
                    store.topicNames();
                    return Action.RETRY;
                };
        Stores.Task<Void> run = start(asksTheStore, loop);
        Stores.await("the start", loop::isRunning);
        store.close();
        assertThrows(ClosedException.class, run::result);
    }

    @Test
    void shouldEndWithAnExceptionWhenTheTailerIsClosed() {
        Tailer tailer = topic.openTailer();
        TailerLoop loop = TailerLoop.of(tailer).onError(error -> Action.RETRY);
        Stores.Task<Void> run = start(keep, loop);
        Stores.await("the start", loop::isRunning);
        tailer.close();
        assertThrows(ClosedException.class, run::result);
    }

    private void runAtC(RecordHandler handler) {
        try (Tailer tailer = topic.openTailer(TailerOptions.at("c"))) {
            tailer.run(handler);
        }
    }

    @Test
    void shouldBeginAtACursorAndAdvanceItBehindWhatWasHandled() {
        append(0, 6);
        append(1, 4);
        Cursor cursor = topic.cursor("c");
        runAtC(stopAfter(10, keep));
        assertEquals(6, cursor.offset(0));
        assertEquals(4, cursor.offset(1));
        append(0, 2);
        read.clear();
        RecordHandler failing =
                record -> {
                    if (record.offset() == 7) {
                        throw new IllegalArgumentException("broken on purpose");
                    }
                    return keep.onRecord(record);
                };
        assertThrows(IllegalArgumentException.class, () -> runAtC(failing));
        assertEquals(List.of("0:6"), read, "what was handled before is not read again");
        assertEquals(7, cursor.offset(0), "not behind the one that was not handled");
    }

    @Test
    void shouldForceTheCursorWhenItEnds() {
        store.close();
        store = Stores.at(directory).invokerMode().open(); // nobody else writes it
        topic = store.openTopic("t");
        append(0, 3);
        runAtC(stopAfter(3, keep));
        try (LogReader reader = Stores.at(directory).openReadOnly()) {
            assertEquals(3, reader.openTopic("t").cursor("c").offset(0));
        }
    }
}
