package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.Durability;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CursorTest {
    private static final List<String> ODD_NAMES =
            List.of(
                    "plain",
                    "with space",
                    "a/b/../c",
                    "..",
                    ".",
                    "*",
                    "%2A",
                    "+",
                    "a+b%c",
                    "=",
                    "line\nend",
                    "null\u0000char",
                    "ünïcödé",
                    "漢字",
                    "😀",
                    "?",
                    "CASE",
                    "case",
                    "-",
                    "x".repeat(120));

    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private final ManualClock clock = new ManualClock();
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        store = Stores.at(directory, medium).clock(clock).invokerMode().open();
        topic = store.ensureTopic("t", Stores.small().withPartitions(3));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        store.close();
        open();
    }

    private void append(int partition, int count) {
        try (Appender appender = topic.partition(partition).openAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(bytes("" + i));
            }
        }
    }

    /** What lies on the medium now, as after a kill. */
    private List<Long> afterAKill(String name) throws IOException {
        Path copy = Files.createTempDirectory(directory, "copy");
        for (Path file : Stores.filesIn(directory.resolve("store"))) {
            Path target = copy.resolve(directory.relativize(file));
            Files.createDirectories(target.getParent());
            Files.copy(file, target);
        }
        for (Path file : Stores.filesIn(Stores.tierOf(directory))) {
            Path target = copy.resolve(directory.relativize(file));
            Files.createDirectories(target.getParent());
            Files.copy(file, target);
        }
        try (LogStore other = Stores.at(copy).invokerMode().open()) {
            Cursor cursor = other.openTopic("t").cursor(name);
            return List.of(cursor.offset(0), cursor.offset(1), cursor.offset(2));
        }
    }

    @Test
    void shouldStandWhereItWasAdvancedTo() {
        append(0, 10);
        append(2, 10);
        Cursor cursor = topic.cursor("c");
        assertEquals("c", cursor.name());
        assertEquals(-1, cursor.offset(0));
        cursor.commit(0, 5);
        cursor.commit(2, 10);
        assertEquals(5, cursor.offset(0));
        assertEquals(-1, cursor.offset(1));
        assertEquals(10, cursor.offset(2));
        cursor.commit(0, 3);
        assertEquals(3, cursor.offset(0), "it may go back");
        assertSame(cursor, topic.cursor("c"));
        reopen();
        cursor = topic.cursor("c");
        assertEquals(3, cursor.offset(0));
        assertEquals(-1, cursor.offset(1));
        assertEquals(10, cursor.offset(2));
    }

    @Test
    void shouldTakeATailerWhereItStands() {
        append(0, 10);
        append(1, 10);
        topic.cursor("c").commit(0, 7);
        reopen();
        Tailer tailer = topic.openTailer();
        tailer.seekTo(topic.cursor("c"));
        assertEquals(7, tailer.offset(0));
        assertEquals(0, tailer.offset(1), "never advanced: from the start");
        List<Long> seen = new ArrayList<>();
        tailer.poll(
                record -> {
                    if (record.partition() == 0) {
                        seen.add(record.offset());
                    }
                    return Action.CONTINUE;
                },
                100);
        assertEquals(List.of(7L, 8L, 9L), seen);
    }

    @Test
    void shouldRefuseAPlaceThatDoesNotExist() {
        append(0, 3);
        Cursor cursor = topic.cursor("c");
        for (long wrong : new long[] {-1, 4, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThrows(InvalidOptionException.class, () -> cursor.commit(0, wrong));
        }
        assertThrows(InvalidOptionException.class, () -> cursor.commit(3, 0));
        assertThrows(InvalidOptionException.class, () -> cursor.commit(-1, 0));
        assertThrows(InvalidOptionException.class, () -> cursor.offset(3));
        assertEquals(-1, cursor.offset(0));
    }

    @Test
    void shouldWriteItselfDownWithinItsInterval() throws IOException {
        append(0, 10);
        topic.cursor("c").commit(0, 4);
        clock.advance(100);
        store.doWork();
        clock.advance(99);
        topic.cursor("c").commit(0, 6);
        store.doWork();
        assertEquals(4, afterAKill("c").get(0));
        clock.advance(1);
        store.doWork();
        assertEquals(6, afterAKill("c").get(0));
    }

    @Test
    void shouldLetAnAppendHaveItsBlockWhileManyCursorsAreWritten() throws Exception {
        int count = 600; // many groups
        AtomicInteger written = new AtomicInteger();
        CountDownLatch firstIsWritten = new CountDownLatch(1);
        CountDownLatch allHaveChanged = new CountDownLatch(1);
        CountDownLatch appended = new CountDownLatch(1);
        AtomicBoolean wasAppended = new AtomicBoolean();
        try (LogStore threaded =
                Stores.at(directory.resolve("threaded"), medium)
                        .cursorInterval(Duration.ofMillis(10))
                        .open()) {
            Topic many = threaded.createTopic("t", Stores.small());
            Thread appender =
                    new Thread(
                            () -> {
                                try (Appender first = many.partition(0).openAppender()) {
                                    first.append(bytes("a"));
                                }
                                appended.countDown();
                            });
            medium.beforeCreate(
                    file -> {
                        if (!file.getFileName().toString().contains("cursor-")) {
                            return;
                        }
                        int number = written.incrementAndGet();
                        if (number == 1) {
                            firstIsWritten.countDown();
                            await(allHaveChanged);
                        } else if (number == 2) {
                            appender.start();
                            // Or a spare worker has given it the block before this looks.
                            Stores.await(
                                    "it to wait or to have its block",
                                    () -> isWaiting(appender) || appended.getCount() == 0);
                        } else if (number == count / 2) {
                            wasAppended.set(await(appended));
                        }
                    });
            many.cursor("c0").commit(0, 0);
            assertTrue(await(firstIsWritten));
            for (int i = 1; i < count; i++) {
                many.cursor("c" + i).commit(0, 0);
            }
            allHaveChanged.countDown();
            Stores.await("all to be written", () -> written.get() >= count);
            appender.join();
            medium.beforeCreate(null);
        }

        assertTrue(wasAppended.get(), "before half of them were written");
    }

    private static boolean isWaiting(Thread thread) {
        Thread.State state = thread.getState();
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(HANGS_AFTER_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldPersistACursorThatMovesAfterItsTurnInALongRound() {
        AtomicInteger written = new AtomicInteger();
        append(0, 1);
        medium.beforeCreate(
                file -> {
                    if (file.getFileName().toString().contains("cursor-")
                            && written.incrementAndGet() == 30) {
                        topic.cursor("c00").commit(0, 1);
                    }
                });
        for (int i = 0; i < 40; i++) {
            topic.cursor("c%02d".formatted(i)).commit(0, 0);
        }
        for (int i = 0; i < 3; i++) {
            clock.advance(10_000);
            store.doWork();
        }
        medium.beforeCreate(null);

        assertEquals(41, written.get());
        try (LogReader other = Stores.at(directory).invokerMode().openReadOnly()) {
            assertEquals(1, other.openTopic("t").cursor("c00").offset(0));
        }
    }

    @Test
    void shouldBeDurableWhenForced() throws IOException {
        append(0, 10);
        append(1, 10);
        Cursor cursor = topic.cursor("c");
        cursor.commit(0, 4);
        cursor.commit(1, 5);
        cursor.force();
        assertEquals(List.of(4L, 5L, -1L), afterAKill("c"));
        cursor.commit(1, 2);
        cursor.force();
        assertEquals(List.of(4L, 2L, -1L), afterAKill("c"));
        cursor.force();
    }

    @Test
    void shouldNeverBeWrittenAboveWhatIsDurable() throws Exception {
        store.close();
        store = Stores.at(directory, medium).clock(clock).open();
        topic =
                store.createTopic(
                        "w",
                        Stores.small()
                                .withDurability(Durability.WRITTEN)
                                .withForce(1 << 20, Duration.ofHours(1)));
        append(0, 10);
        Partition partition = topic.partition(0);
        assertEquals(0, partition.durableOffset());
        Gate forcing = new Gate();
        forcing.shut();
        medium.beforeForce(forcing);
        List<Long> durableWhenWritten = new ArrayList<>();
        medium.beforeCreate(
                file -> {
                    if (file.getFileName().toString().contains("cursor-")) {
                        durableWhenWritten.add(partition.durableOffset());
                    }
                });
        Cursor cursor = topic.cursor("c");
        cursor.commit(0, 8);
        Stores.Task<Void> forces =
                Stores.start(
                        () -> {
                            cursor.force();
                            return null;
                        });
        Stores.await("the force of the records", () -> forcing.held() > 0);
        assertTrue(durableWhenWritten.isEmpty());
        forcing.open();
        forces.result();
        assertEquals(1, durableWhenWritten.size());
        assertTrue(durableWhenWritten.get(0) >= 8);
    }

    @Test
    void shouldKeepTheOtherPartitionsPlacesWhenOneIsPoisoned() {
        append(1, 5);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(bytes("durable"));
            medium.beforeForce(
                    file -> {
                        throw new IOException("broken on purpose");
                    });
            assertThrows(FirnException.class, () -> appender.append(bytes("not durable")));
        }
        medium.beforeForce(null);
        topic.cursor("a").commit(0, 2);
        topic.cursor("z").commit(1, 1);
        Cursor cursor = topic.cursor("c");
        cursor.commit(0, 2);
        cursor.commit(1, 3);
        assertThrows(FirnException.class, cursor::force, "offset 1 cannot be made durable");
        assertThrows(FirnException.class, cursor::force, "nor a second time");
        reopen();
        assertEquals(3, topic.cursor("c").offset(1));
        assertEquals(1, topic.cursor("z").offset(1));
        assertTrue(topic.cursor("c").offset(0) <= 1);
    }

    @Test
    void shouldTakeOddNamesAndKeepThemApart() {
        append(0, 100);
        for (int i = 0; i < ODD_NAMES.size(); i++) {
            Cursor cursor = topic.cursor(ODD_NAMES.get(i));
            cursor.commit(0, i);
            cursor.force();
        }
        List<String> sorted = ODD_NAMES.stream().sorted().toList();
        assertEquals(sorted, topic.cursorNames());
        reopen();
        assertEquals(sorted, topic.cursorNames());
        for (int i = 0; i < ODD_NAMES.size(); i++) {
            assertEquals(i, topic.cursor(ODD_NAMES.get(i)).offset(0), ODD_NAMES.get(i));
        }
        assertEquals(List.of(), store.findings());
        for (String name : ODD_NAMES) {
            topic.deleteCursor(name);
        }
        assertEquals(List.of(), topic.cursorNames());
    }

    @Test
    void shouldRefuseANameThatCannotBeWrittenDown() {
        append(0, 1);
        assertThrows(InvalidOptionException.class, () -> topic.cursor(""));
        assertThrows(InvalidOptionException.class, () -> topic.cursor("x".repeat(121)));
        assertThrows(InvalidOptionException.class, () -> topic.cursor("漢".repeat(120)));
        assertThrows(InvalidOptionException.class, () -> topic.cursor("/".repeat(120)));
        assertThrows(InvalidOptionException.class, () -> topic.cursor("half of a pair: \ud800"));
        topic.deleteCursor("漢".repeat(120));
        for (int length = 1; length <= 120; length++) {
            // None is taken and then lost.
            String name = "漢".repeat(length);
            try {
                topic.cursor(name).commit(0, 1);
            } catch (InvalidOptionException e) {
                assertTrue(length > 20, e.getMessage());
                break;
            }
            topic.cursor(name).force();
        }
    }

    @Test
    void shouldDeleteACursor() {
        append(0, 5);
        Cursor old = topic.cursor("c");
        old.commit(0, 3);
        old.force();
        topic.cursor("other").commit(0, 1);
        topic.deleteCursor("c");
        topic.deleteCursor("c");
        topic.deleteCursor("never was");
        assertEquals(List.of("other"), topic.cursorNames());
        clock.advance(1_000);
        store.doWork();
        assertEquals(-1, topic.cursor("c").offset(0));
        topic.deleteCursor("c");
        reopen();
        assertEquals(List.of("other"), topic.cursorNames());
        assertEquals(-1, topic.cursor("c").offset(0));
        topic.deleteCursor("other");
        reopen();
        assertEquals(List.of(), topic.cursorNames());
    }

    /** The background leaves alone for a second what failed; there is no second after close. */
    @Test
    void shouldBeWrittenDownAtCloseHoweverLatelyThatFailed() {
        append(0, 5);
        topic.cursor("c").commit(0, 3);
        medium.beforeCreate(
                file -> {
                    if (file.getFileName().toString().contains("cursor-")) {
                        throw new IOException("no room, on purpose");
                    }
                });
        clock.advance(1_000);
        long before = store.metrics().backgroundErrors();
        store.doWork();
        assertEquals(before + 1, store.metrics().backgroundErrors());
        medium.beforeCreate(null);
        reopen();
        assertEquals(3, topic.cursor("c").offset(0));
    }

    /** Where it was put would be forgotten, and nobody told. */
    @Test
    void shouldRefuseToStandAnywhereWhenItWasDeleted() {
        append(0, 5);
        Cursor old = topic.cursor("c");
        old.commit(0, 3);
        topic.deleteCursor("c");
        assertThrows(ClosedException.class, () -> old.commit(0, 4));
        assertThrows(ClosedException.class, old::force);
        Cursor anew = topic.cursor("c");
        anew.commit(0, 2);
        anew.force();
        assertThrows(ClosedException.class, old::force);
        assertEquals(2, topic.cursor("c").offset(0));
    }

    @Test
    void shouldBeAdvancedByManyThreads() throws Exception {
        append(0, 1000);
        append(1, 1000);
        Cursor cursor = topic.cursor("c");
        List<Stores.Task<Void>> tasks = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            int partition = p;
            tasks.add(
                    Stores.start(
                            () -> {
                                for (int i = 0; i <= 1000; i++) {
                                    cursor.commit(partition, i);
                                    if (i % 100 == 0) {
                                        cursor.force();
                                    }
                                }
                                return null;
                            }));
        }
        for (Stores.Task<Void> task : tasks) {
            task.result();
        }
        assertEquals(List.of(1000L, 1000L, -1L), afterAKill("c"));
    }

    @Test
    void shouldStandInRangeAfterTheRecordsWentAway() {
        append(0, 10);
        topic.cursor("c").commit(0, 2);
        topic.partition(0).deleteRecordsBefore(6);
        reopen();
        assertEquals(2, topic.cursor("c").offset(0));
        Tailer tailer = topic.openTailer(TailerOptions.defaults().withPartitions(0));
        tailer.seekTo(topic.cursor("c"));
        assertThrows(
                io.firn.OffsetOutOfRangeException.class,
                () -> tailer.poll(record -> Action.CONTINUE, 1));
    }

    @Test
    void shouldNotSeekToACursorOfAnotherTopic() {
        append(0, 5);
        Topic other = store.createTopic("other", Stores.small().withPartitions(3));
        try (Appender appender = other.partition(0).openExclusiveAppender()) {
            Stores.fill(appender, 4, 10);
        }
        other.cursor("c").commit(0, 4);
        topic.cursor("c").commit(0, 2);
        try (Tailer tailer = topic.openTailer()) {
            InvalidOptionException refusal =
                    assertThrows(
                            InvalidOptionException.class, () -> tailer.seekTo(other.cursor("c")));
            assertTrue(refusal.getMessage().contains("other"), refusal.getMessage());
            assertEquals(0, tailer.offset(0));
            tailer.seekTo(topic.cursor("c"));
            assertEquals(2, tailer.offset(0));
        }
    }

    /** A topic that was deleted and created again is another one. */
    @Test
    void shouldNotSeekToACursorOfAFormerTopicOfTheSameName() {
        append(0, 5);
        Cursor former = topic.cursor("c");
        former.commit(0, 5);
        store.deleteTopic("t");
        Topic now = store.createTopic("t", Stores.small());
        try (Tailer tailer = now.openTailer()) {
            assertThrows(InvalidOptionException.class, () -> tailer.seekTo(former));
        }
    }
}
