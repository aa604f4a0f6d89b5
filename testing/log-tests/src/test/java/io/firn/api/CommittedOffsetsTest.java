package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.CursorReader;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.RetainUntilRead;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedCursor;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Offsets that servers' clients commit and that no cursor can have. */
@Timeout(60)
class CommittedOffsetsTest {
    /** Of {@link #append}'s records, a segment holds six. */
    private static final int EACH = 6;

    private static final Duration DAY = Duration.ofDays(1);
    private static final List<Long> OUTSIDE =
            List.of(-1L, -2L, Long.MIN_VALUE, EACH + 1L, Long.MAX_VALUE);

    @TempDir private Path directory;
    private final ManualClock clock = new ManualClock();
    private LogStore store;
    private Topic topic;
    private Cursor cursor;

    @BeforeEach
    void open() {
        store = Stores.at(directory).clock(clock).invokerMode().open();
        TopicOptions options = Stores.small().withPartitions(2);
        boolean isNew = store.topicNames().isEmpty();
        topic = isNew ? store.createTopic("t", options) : store.openTopic("t");
        cursor = topic.cursor("group");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        store.close();
        open();
    }

    private void append(int count) {
        try (Appender appender = topic.partition(0).openAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(new byte[10_000]);
            }
        }
        work(200);
    }

    private void work(long afterMs) {
        clock.advance(afterMs);
        Stores.work(store);
        store.doWork();
    }

    private Path file() {
        return directory.resolve("store/topics/" + topic.id()).resolve("cursor-group");
    }

    private String firstLine() throws IOException {
        return Files.readAllLines(file()).get(0);
    }

    private void retainUntilRead(RetainUntilRead readers) {
        topic.changeOptions(topic.options().withRetentionBytes(0).withRetainUntilRead(readers));
    }

    private void awaitStart(long expected) {
        Stores.await(
                "the deletion",
                () -> {
                    work(1_000);
                    return topic.partition(0).logStartOffset() >= expected;
                });
        assertEquals(expected, topic.partition(0).logStartOffset());
    }

    private static OptionalLong of(long offset) {
        return OptionalLong.of(offset);
    }

    @Test
    void shouldKeepEveryOffsetOutsideTheLogBesideThePosition() {
        append(EACH);
        assertEquals(OptionalLong.empty(), HostedCursor.of(cursor).committed(0));
        for (long position : List.of(-1L, 4L)) {
            if (position >= 0) {
                HostedCursor.of(cursor).commitAny(0, position);
                assertEquals(of(position), HostedCursor.of(cursor).committed(0));
            }
            for (long offset : OUTSIDE) {
                HostedCursor.of(cursor).commitAny(0, offset);
                assertEquals(of(offset), HostedCursor.of(cursor).committed(0));
                assertEquals(position, cursor.offset(0));
                cursor.force();
                reopen();
                assertEquals(of(offset), HostedCursor.of(cursor).committed(0));
                assertEquals(position, cursor.offset(0));
                assertEquals(OptionalLong.empty(), HostedCursor.of(cursor).committed(1));
            }
        }
        assertThrows(InvalidOptionException.class, () -> HostedCursor.of(cursor).commitAny(2, 0));
    }

    @Test
    void shouldForgetAnOffsetOutsideTheLogWhenThePositionIsSetOrCleared() throws IOException {
        append(EACH);
        List<Runnable> changes =
                List.of(
                        () -> cursor.commit(0, 3),
                        () -> cursor.commit(0, 3), // where it is
                        () -> HostedCursor.of(cursor).commitAny(0, 2),
                        () -> cursor.clear(0));
        long[] expected = {3, 3, 2, -1};
        for (int i = 0; i < expected.length; i++) {
            HostedCursor.of(cursor).commitAny(0, 1_000);
            cursor.force();
            assertEquals("firn cursor 2", firstLine());
            changes.get(i).run();
            cursor.force();
            assertEquals("firn cursor 1", firstLine(), "earlier releases read it");
            assertEquals(
                    expected[i] < 0 ? OptionalLong.empty() : of(expected[i]),
                    HostedCursor.of(cursor).committed(0));
            reopen();
            assertEquals(expected[i], cursor.offset(0));
            assertEquals(expected[i], HostedCursor.of(cursor).committed(0).orElse(-1));
        }
        HostedCursor.of(cursor).commitAny(0, -2);
        topic.deleteCursor("group");
        assertEquals(OptionalLong.empty(), HostedCursor.of(topic.cursor("group")).committed(0));
    }

    @Test
    void shouldReadAnOffsetOutsideTheLogInAReadOnlyStore() {
        append(EACH);
        cursor.commit(0, 1);
        HostedCursor.of(cursor).commitAny(0, 1_000);
        cursor.force();
        try (LogReader other =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(Stores.tierOf(directory)))
                        .invokerMode()
                        .openReadOnly()) {
            CursorReader seen = other.openTopic("t").cursor("group");
            assertEquals(of(1_000), HostedCursor.of(seen).committed(0));
            assertEquals(1, seen.offset(0));
            cursor.commit(0, 2);
            cursor.force();
            assertEquals(of(2), HostedCursor.of(seen).committed(0));
        }
    }

    @Test
    void shouldRetainFromTheLastPositionUntilTheLogHasReachedTheOffset() {
        retainUntilRead(RetainUntilRead.byAll());
        append(EACH + 1);
        HostedCursor.of(cursor).commitAny(0, EACH + 1);
        cursor.force();
        HostedCursor.of(cursor).commitAny(0, 4 * EACH);
        cursor.force();
        append(2 * EACH);
        awaitStart(EACH);
        assertEquals(EACH + 1, cursor.offset(0));
        append(2 * EACH);
        awaitStart(4 * EACH);
        assertEquals(4 * EACH, cursor.offset(0));
        reopen();
        assertEquals(of(4 * EACH), HostedCursor.of(cursor).committed(0));
        assertEquals(4 * EACH, cursor.offset(0));
    }

    /**
     * It had no position, so nothing was kept for it; now there are records that it has not read.
     */
    @Test
    void shouldRetainFromAFirstOffsetThatTheLogHasReached() {
        HostedCursor.of(cursor).commitAny(0, EACH + 2);
        cursor.force();
        append(5 * EACH);
        retainUntilRead(RetainUntilRead.byAll());
        awaitStart(EACH);
        assertEquals(EACH + 2, cursor.offset(0));
    }

    @Test
    void shouldNotHoldMoreThanBeforeForAnOffsetBelowZero() {
        retainUntilRead(RetainUntilRead.byAll());
        append(1);
        HostedCursor.of(cursor).commitAny(0, -2);
        cursor.force();
        append(2 * EACH);
        awaitStart(2 * EACH);
        retainUntilRead(RetainUntilRead.by("group").withLimitBytes(4 * 64 * 1024));
        append(EACH);
        assertEquals(2 * EACH, topic.partition(0).logStartOffset(), "it is waited for by name");
    }

    @Test
    void shouldCommitOffsetsOutsideTheLogWithATransactionOrNotAtAll() {
        append(EACH);
        TransactionCoordinator coordinator = HostedStore.of(store).transactions();
        ProducerIdentity id = coordinator.open("p", DAY, null);
        cursor.commit(0, 3);
        for (long offset : OUTSIDE) {
            coordinator.commitCursors("p", id, List.of(new CursorMove(topic, "group", 0, offset)));
            coordinator.end("p", id, false, false);
            assertEquals(of(3), HostedCursor.of(cursor).committed(0));
        }
        for (long offset : OUTSIDE) {
            coordinator.commitCursors(
                    "p", id, List.of(new CursorMove(topic, "group", 0, offset, "n")));
            reopen();
            coordinator = HostedStore.of(store).transactions();
            coordinator.end("p", id, true, false);
            assertEquals(of(offset), HostedCursor.of(cursor).committed(0));
            assertEquals(3, cursor.offset(0));
            assertEquals(
                    List.of(new CursorMove(topic, "group", 0, offset, "n")),
                    coordinator.notes("p"));
            reopen();
            coordinator = HostedStore.of(store).transactions();
            assertEquals(of(offset), HostedCursor.of(cursor).committed(0));
            assertEquals(List.of(), store.findings());
        }
        HostedCursor.of(cursor).commitAny(0, 5);
        cursor.force();
        reopen(); // no decision is carried out again
        assertEquals(of(5), HostedCursor.of(cursor).committed(0));
    }

    @Test
    void shouldIgnoreWhatAFileSaysOfPartitionsThatThereAreNot() throws IOException {
        HostedCursor.of(cursor).commitAny(0, 7);
        cursor.force();
        store.close();
        SmallFile.write(
                FileMedium.real(),
                file(),
                "cursor",
                2,
                Map.of("outside-0", "7", "outside-" + Integer.MAX_VALUE, "8"));
        open();
        assertEquals(of(7), HostedCursor.of(cursor).committed(0));
        assertEquals(List.of(), store.findings());
        store.close();
        SmallFile.write(FileMedium.real(), file(), "cursor", 2, Map.of("outside--1", "7"));
        open();
        assertEquals(OptionalLong.empty(), HostedCursor.of(cursor).committed(0));
        assertFalse(store.findings().isEmpty());
    }
}
