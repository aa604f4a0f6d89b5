package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.CursorReader;
import io.firn.CursorReader.CursorMetrics;
import io.firn.InvalidOptionException;
import io.firn.IsolationLevel;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.OffsetOutOfRangeException;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.RetainUntilRead;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerLoop;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.host.HostedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tailers that read at a cursor. */
class CursorTailerTest {
    private static final TailerOptions AT_C = TailerOptions.at("c");
    private static final Duration LONG = Duration.ofDays(1);

    @TempDir private Path directory;
    private final ManualClock clock = new ManualClock();
    private final List<String> read = new ArrayList<>();
    private final RecordHandler keep =
            record -> {
                read.add(record.partition() + ":" + record.offset());
                return Action.CONTINUE;
            };
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        store = Stores.at(directory).clock(clock).invokerMode().open();
        topic = store.ensureTopic("t", Stores.small().withPartitions(2));
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

    private List<Long> cursor() {
        Cursor cursor = topic.cursor("c");
        return List.of(cursor.offset(0), cursor.offset(1));
    }

    /** What another process finds: it is written when it is forced, or when the store works. */
    private List<Long> persisted() {
        try (LogReader reader = Stores.at(directory).openReadOnly()) {
            CursorReader cursor = reader.openTopic("t").cursor("c");
            return List.of(cursor.offset(0), cursor.offset(1));
        }
    }

    @Test
    void shouldBeginAtTheStartTheEndOrATimestampAndThenAtTheCursor() {
        append(0, 3);
        clock.advance(1_000);
        append(0, 3);
        try (Tailer tailer = topic.openTailer(TailerOptions.at("start"))) {
            assertEquals(0, tailer.offset(0));
        }
        try (Tailer tailer = topic.openTailer(TailerOptions.at("end").withStartAtEnd())) {
            assertEquals(6, tailer.offset(0));
            assertEquals(0, tailer.offset(1));
        }
        TailerOptions since = TailerOptions.at("time").withStartAtTimestamp(clock.time());
        try (Tailer tailer = topic.openTailer(since.withPartitions(0))) {
            assertEquals(3, tailer.offset());
            assertEquals("time", tailer.cursor().name());
        }
        assertEquals(6, topic.cursor("end").offset(0));
        assertEquals(-1, topic.cursor("time").offset(1), "of a partition that it did not read");
        append(0, 1);
        append(1, 2);
        try (Tailer tailer = topic.openTailer(TailerOptions.at("end").withStartAtEnd())) {
            assertEquals(6, tailer.offset(0), "where it stood");
            assertEquals(2, tailer.poll(keep, 2));
        }
        assertEquals(List.of("0:6", "1:0"), read);
    }

    /** After a crash, the end would be further on, and what came in between would be skipped. */
    @Test
    void shouldBeginDurably() {
        append(0, 3);
        topic.openTailer(AT_C.withStartAtEnd());
        assertEquals(List.of(3L, 0L), persisted());
    }

    @Test
    void shouldAdvanceTheCursorAfterEachNumberOfRecords() {
        append(0, 10);
        try (Tailer tailer = topic.openTailer(AT_C.withCommitEvery(4))) {
            List<Long> seen = new ArrayList<>();
            tailer.poll(
                    record -> {
                        seen.add(topic.cursor("c").offset(0));
                        return Action.CONTINUE;
                    },
                    100);
            assertEquals(List.of(0L, 0L, 0L, 0L, 4L, 4L, 4L, 4L, 8L, 8L), seen);
            assertEquals(List.of(8L, 0L), cursor());
        }
        assertEquals(List.of(10L, 0L), cursor(), "at close");
    }

    @Test
    void shouldAdvanceTheCursorInAllPartitionsThatWereRead() {
        append(0, 3);
        append(1, 3);
        Tailer tailer = topic.openTailer(AT_C.withCommitEvery(5));
        assertEquals(5, tailer.poll(keep, 5));
        assertEquals(5, cursor().get(0) + cursor().get(1));
    }

    @Test
    void shouldAdvanceTheCursorAfterATimeEvenWhenNothingComes() throws Exception {
        store.close();
        store = Stores.at(directory).open();
        topic = store.openTopic("t");
        append(0, 1);
        Tailer tailer = topic.openTailer(AT_C.withCommitEvery(1_000, Duration.ofMillis(1)));
        Stores.Task<Integer> reads =
                Stores.start(() -> tailer.poll(keep, 1) + tailer.poll(keep, 1, LONG));
        Stores.await("the commit", () -> topic.cursor("c").offset(0) == 1);
        append(0, 1);
        assertEquals(2, reads.result(), "it goes on waiting");
    }

    @Test
    void shouldAdvanceTheCursorByHandOnly() {
        append(0, 5);
        Tailer tailer = topic.openTailer(AT_C.withCommitByHand());
        tailer.poll(keep, 3);
        tailer.poll(keep, 1);
        assertEquals(List.of(0L, 0L), cursor());
        tailer.commit();
        assertEquals(List.of(4L, 0L), persisted());
        tailer.poll(keep, 1);
        tailer.close();
        assertEquals(List.of(4L, 0L), cursor());
    }

    @Test
    void shouldNotPassARecordThatIsNotHandled() {
        append(0, 5);
        Tailer tailer = topic.openTailer(AT_C.withCommitEvery(1));
        tailer.poll(record -> record.offset() == 2 ? Action.RETRY : keep.onRecord(record), 9);
        assertEquals(List.of(2L, 0L), cursor());
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        tailer.poll(
                                record -> {
                                    throw new IllegalArgumentException("on purpose");
                                },
                                9));
        assertEquals(List.of(2L, 0L), cursor());
        tailer.poll(record -> Action.STOP, 9);
        assertEquals(List.of(3L, 0L), cursor());
        assertEquals(2, tailer.forEach(record -> read.add("" + record.offset()), 9));
        assertEquals(List.of("0:0", "0:1", "3", "4"), read);
        assertEquals(List.of(5L, 0L), cursor());
        tailer.commit();
        tailer.close();
    }

    @Test
    void shouldFailOrStartAgainWhenRetentionHasOvertakenIt() {
        append(0, 5);
        append(1, 5);
        topic.openTailer(AT_C).close();
        topic.partition(0).deleteRecordsBefore(3);
        Tailer failing = topic.openTailer(AT_C.withPartitions(0));
        OffsetOutOfRangeException e =
                assertThrows(OffsetOutOfRangeException.class, () -> failing.poll(keep, 9));
        assertEquals(3, e.logStartOffset());
        failing.close();
        List<String> lost = new ArrayList<>();
        Tailer tailer =
                topic.openTailer(
                        AT_C.withSkipWhenOvertaken(
                                (partition, from, to) ->
                                        lost.add(partition + ":" + from + "-" + to)));
        assertEquals(7, tailer.poll(keep, 7), "the limit holds across both");
        assertEquals(List.of("0:0-3"), lost);
        assertEquals(3, tailer.overtakenRecords());
        read.sort(null);
        assertEquals(List.of("0:3", "0:4", "1:0", "1:1", "1:2", "1:3", "1:4"), read);
        tailer.close();
        assertEquals(List.of(5L, 5L), cursor());
    }

    /** A handler may read another log, and what that throws is no concern of this one. */
    @Test
    void shouldNotTakeAnErrorOfTheHandlerForItsOwn() {
        append(0, 2);
        Tailer tailer = topic.openTailer(AT_C.withSkipWhenOvertaken((p, from, to) -> {}));
        assertThrows(
                OffsetOutOfRangeException.class,
                () ->
                        tailer.poll(
                                record -> {
                                    throw new OffsetOutOfRangeException("other", 0, 1, 7, 9);
                                },
                                1));
        assertEquals(0, tailer.overtakenRecords());
        assertEquals(2, tailer.poll(keep, 9));
    }

    @Test
    void shouldCountACopyAsHandledWhenTheNextIsAskedFor() {
        append(0, 4);
        Tailer tailer = topic.openTailer(AT_C.withCommitEvery(1).withPartitions(0));
        Iterator<StoredRecord> copies = tailer.iterator();
        assertEquals(0, copies.next().offset());
        assertEquals(List.of(0L, -1L), cursor(), "it may be in work");
        assertTrue(copies.hasNext());
        assertEquals(List.of(1L, -1L), cursor());
        assertEquals(1, copies.next().offset());
        tailer.commit();
        assertEquals(List.of(2L, -1L), persisted(), "the user says that it is handled");
        assertTrue(copies.hasNext());
        assertEquals(1, tailer.poll(keep, 1));
        assertEquals(List.of("0:2"), read, "what was read ahead was given to nobody");
        assertEquals(3, tailer.stream().toList().get(0).offset());
        tailer.close();
        assertEquals(List.of(4L, -1L), cursor());
    }

    @Test
    void shouldLeaveACopyUnhandledWhoseWorkFailed() {
        append(0, 2);
        try (Tailer tailer = topic.openTailer(AT_C.withPartitions(0))) {
            tailer.iterator().next();
        }
        assertEquals(0, cursor().get(0));
    }

    @Test
    void shouldMoveTheCursorWithASeek() {
        append(0, 9);
        append(1, 9);
        Tailer tailer = topic.openTailer(AT_C.withCommitByHand());
        tailer.seek(1, 4);
        tailer.commit();
        assertEquals(List.of(0L, 4L), cursor());
        tailer.seekToEnd();
        tailer.commit();
        assertEquals(List.of(9L, 9L), cursor());
        tailer.seekToLast(2);
        tailer.commit();
        assertEquals(List.of(7L, 7L), cursor());
        tailer.seekToStart();
        tailer.commit();
        assertEquals(List.of(0L, 0L), cursor());
        tailer.seek(0, 10);
        assertThrows(InvalidOptionException.class, tailer::commit);
    }

    @Test
    void shouldThrowWhatThePollThrewWhenTheCursorRefusesTheOffset() {
        append(0, 2);
        Tailer tailer = topic.openTailer(AT_C.withCommitEvery(1));
        tailer.seek(0, 10);
        Throwable[] suppressed =
                assertThrows(OffsetOutOfRangeException.class, () -> tailer.poll(keep, 1))
                        .getSuppressed();
        assertEquals(InvalidOptionException.class, suppressed[0].getClass());
        AtomicInteger errors = new AtomicInteger();
        TailerLoop loop = TailerLoop.of(tailer);
        loop.onError(
                error -> {
                    errors.incrementAndGet();
                    loop.stop();
                    return Action.CONTINUE;
                });
        loop.run(keep);
        assertEquals(1, errors.get());
        assertEquals(List.of(2L, 0L), persisted());
        tailer.seek(0, 1);
        topic.deleteCursor("c");
        RecordHandler failing =
                record -> {
                    throw new IllegalArgumentException("of the handler");
                };
        assertThrows(IllegalArgumentException.class, () -> tailer.poll(failing, 1));
    }

    private void runAtC(RecordHandler handler) {
        try (Tailer tailer = topic.openTailer(AT_C)) {
            tailer.run(handler);
        }
    }

    @Test
    void shouldRunInALoopAndCommitWhatItHandled() {
        append(0, 3);
        append(1, 3);
        AtomicInteger left = new AtomicInteger(4);
        RecordHandler some =
                record -> {
                    keep.onRecord(record);
                    return left.decrementAndGet() == 0 ? Action.STOP : Action.CONTINUE;
                };
        runAtC(some);
        assertEquals(4, persisted().get(0) + persisted().get(1));
        left.set(2);
        runAtC(some);
        assertEquals(List.of(3L, 3L), persisted());
        read.sort(null);
        assertEquals(List.of("0:0", "0:1", "0:2", "1:0", "1:1", "1:2"), read);
    }

    @Test
    void shouldRefuseToBeUsedByItsHandlerOrWithoutItsCursor() {
        append(0, 2);
        Tailer tailer = topic.openTailer(AT_C.withCommitEvery(1));
        assertThrows(
                IllegalStateException.class,
                () ->
                        tailer.poll(
                                record -> {
                                    tailer.commit();
                                    return Action.CONTINUE;
                                },
                                1));
        topic.deleteCursor("c");
        assertThrows(ClosedException.class, () -> tailer.poll(keep, 1));
        tailer.close();
        assertThrows(ClosedException.class, () -> tailer.poll(keep, 1));
        try (LogReader reader = Stores.at(directory).openReadOnly()) {
            Topic followed = HostedStore.of(reader).openTopic("t");
            assertThrows(InvalidOptionException.class, () -> followed.openTailer(AT_C));
        }
        assertThrows(InvalidOptionException.class, () -> AT_C.withCommitEvery(0));
        assertThrows(InvalidOptionException.class, () -> AT_C.withCommitEvery(1, Duration.ZERO));
    }

    @Test
    void shouldKeepRecordsForItFromItsOpeningOn() {
        topic.changeOptions(
                topic.options().withRetentionBytes(0).withRetainUntilRead(RetainUntilRead.byAll()));
        Tailer tailer = topic.openTailer(AT_C);
        try (Appender appender = topic.partition(0).openAppender()) {
            for (int i = 0; i < 30; i++) {
                appender.append(new byte[10_000]);
            }
        }
        Stores.work(store);
        assertEquals(0, topic.partition(0).logStartOffset());
        tailer.poll(keep, 100);
        tailer.commit();
        Stores.work(store);
        assertEquals(24, topic.partition(0).logStartOffset());
    }

    @Test
    void shouldTellHowFarCursorsAreBehind() {
        append(0, 2);
        clock.advance(5_000);
        append(0, 2);
        clock.advance(700);
        topic.cursor("none");
        topic.cursor("c").commit(0, 0);
        long all = topic.partition(0).metrics().bytes();
        CursorMetrics lag = topic.cursorMetrics().get(0);
        assertEquals("c", lag.cursor());
        assertEquals(0, lag.partition());
        assertEquals(0, lag.offset());
        assertEquals(4, lag.lagRecords());
        assertEquals(all, lag.lagBytes());
        assertEquals(Optional.of(Duration.ofMillis(5_700)), lag.lagTime());
        topic.cursor("c").commit(0, 2);
        topic.cursor("d").commit(0, 4);
        List<CursorMetrics> lags = topic.cursorMetrics();
        assertEquals(2, lags.size());
        assertEquals(2, lags.get(0).lagRecords());
        assertEquals(all / 2, lags.get(0).lagBytes(), "records of one size");
        assertEquals(Optional.of(Duration.ofMillis(700)), lags.get(0).lagTime());
        assertEquals(lags, topic.cursorMetrics());
        assertEquals(Map.of(topic.name(), lags), store.cursorMetrics());
        assertEquals(0, lags.get(1).lagRecords());
        assertEquals(0, lags.get(1).lagBytes());
        assertEquals(Optional.of(Duration.ofMillis(0)), lags.get(1).lagTime());
        topic.cursor("c").commit(0, 1);
        topic.partition(0).deleteRecordsBefore(3);
        lag = topic.cursorMetrics().get(0);
        assertEquals(1, lag.offset());
        assertEquals(1, lag.lagRecords(), "what is gone is not read any more");
        assertEquals(Optional.of(Duration.ofMillis(700)), lag.lagTime());
    }

    @Test
    void shouldCountBytesBehindAcrossSegments() {
        try (Appender appender = topic.partition(1).openAppender()) {
            for (int i = 0; i < 20; i++) {
                appender.append(new byte[10_000]);
            }
        }
        long all = topic.partition(1).metrics().bytes();
        for (int offset = 0; offset <= 20; offset++) {
            topic.cursor("c").commit(1, offset);
            CursorMetrics lag = topic.cursorMetrics().get(0);
            assertEquals(20 - offset, lag.lagRecords());
            assertEquals(all * (20 - offset) / 20.0, (double) lag.lagBytes(), 1);
        }
    }

    @Test
    void shouldShowRecordsOfOpenTransactionsAtACursorThatAsksForThem() {
        append(0, 1);
        try (Transaction open = store.beginTransaction()) {
            open.append(topic.partition(0), new byte[] {9});
            topic.partition(0).force();
            TailerOptions all =
                    AT_C.withIsolation(IsolationLevel.READ_UNCOMMITTED).withPartitions(0);
            try (Tailer tailer = topic.openTailer(all)) {
                assertEquals(2, tailer.poll(keep, 10));
            }
        }
        assertEquals(2, topic.cursor("c").offset(0));
    }

    @Test
    void shouldBeIterableAndCommitWhatWasIterated() {
        append(0, 2);
        List<Long> seen = new ArrayList<>();
        try (Tailer tailer = topic.openTailer(AT_C.withPartitions(0))) {
            for (StoredRecord each : tailer) {
                seen.add(each.offset());
            }
            tailer.commit();
        }
        assertEquals(List.of(0L, 1L), seen);
        assertEquals(2, topic.cursor("c").offset(0));
    }

    @Test
    void shouldSayThatOptionsOfACursorNeedOne() {
        TailerOptions plain = TailerOptions.defaults();
        assertThrows(InvalidOptionException.class, () -> plain.withCommitEvery(1));
        assertThrows(InvalidOptionException.class, plain::withFailWhenOvertaken);
        try (Tailer tailer = topic.openTailer(plain)) {
            assertThrows(IllegalStateException.class, tailer::commit);
        }
    }

    @Test
    void shouldBeginAtTheEndWithoutACursorToo() {
        append(0, 3);
        try (Tailer tailer = topic.openTailer(TailerOptions.defaults().withStartAtEnd())) {
            assertEquals(0, tailer.poll(keep, 10));
        }
    }
}
