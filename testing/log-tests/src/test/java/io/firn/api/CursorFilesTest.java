package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.RetainUntilRead;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.open.StoreBuilder;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to records when it cannot be read, or written, where their readers are. */
@FirstRunOnly
class CursorFilesTest {
    /** Of {@link #append}'s records, a segment holds six. */
    private static final int EACH = 6;

    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private final ManualClock clock = new ManualClock();
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        store = opened(directory);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private LogStore opened(Path at) {
        return StoreBuilder.over(at.resolve("store"), medium)
                .tier(FileTier.at(Stores.tierOf(at)).withMedium(medium))
                .clock(clock)
                .invokerMode()
                .open();
    }

    private void create(RetainUntilRead readers) {
        TopicOptions options = Stores.small().withRetentionBytes(0).withPartitions(2);
        topic = store.createTopic("t", options.withRetainUntilRead(readers));
    }

    private void reopen() {
        store.close();
        store = opened(directory);
        topic = store.openTopic("t");
    }

    private void append(int partition, int count) {
        try (Appender appender = topic.partition(partition).openAppender()) {
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

    private long start(int partition) {
        return topic.partition(partition).logStartOffset();
    }

    /** What failed is tried again only after a while. */
    private void awaitStart(int partition, long expected) {
        Stores.await(
                "the deletion",
                () -> {
                    work(1_000);
                    return start(partition) >= expected;
                });
        assertEquals(expected, start(partition));
    }

    private Path file(String name) {
        return directory.resolve("store/topics/" + topic.id()).resolve(name);
    }

    private void flipABit(String name) throws IOException {
        byte[] bytes = Files.readAllBytes(file(name));
        bytes[bytes.length / 2] ^= 4;
        Files.write(file(name), bytes);
    }

    private void writeByANewerVersion(String name) throws IOException {
        SmallFile.write(FileMedium.real(), file(name), "cursor", 3, Map.of("0", "7"));
    }

    private void failToOpenOnce(String name) {
        boolean[] failed = {false};
        medium.beforeOpen(
                file -> {
                    if (!failed[0] && file.endsWith(name)) {
                        failed[0] = true;
                        throw new IOException("Too many open files, on purpose");
                    }
                });
    }

    /** The cursor is at 7 in each partition, and five segments are sealed. */
    private void fill(RetainUntilRead readers) {
        create(readers);
        for (int partition = 0; partition < 2; partition++) {
            try (Appender appender = topic.partition(partition).openAppender()) {
                for (int i = 0; i <= EACH; i++) {
                    appender.append(new byte[10_000]);
                }
            }
            topic.cursor("a").commit(partition, EACH + 1);
        }
        topic.cursor("a").force();
        append(0, 4 * EACH);
        append(1, 4 * EACH);
        assertEquals(EACH, start(0));
        assertEquals(EACH, start(1));
    }

    private boolean isFound(String what) {
        return store.findings().stream().anyMatch(each -> each.text().contains(what));
    }

    @Test
    void shouldKeepWhatACursorNeedsThatCouldNotBeReadOnce() {
        fill(RetainUntilRead.byAll());
        reopen();
        failToOpenOnce("cursor-a");
        append(0, EACH);
        assertEquals(EACH, start(0));
        assertTrue(store.metrics().backgroundErrors() > 0);
        work(60_000);
        assertEquals(EACH, start(0));
        assertEquals(EACH + 1, topic.cursor("a").offset(0));
        topic.cursor("a").commit(0, 3 * EACH);
        awaitStart(0, 3 * EACH);
    }

    @Test
    void shouldNotForgetThePositionsWhenReadingThemFailedOnce() {
        fill(RetainUntilRead.byAll());
        reopen();
        failToOpenOnce("cursor-a");
        assertThrows(FirnException.class, () -> topic.cursor("a"));
        Cursor cursor = topic.cursor("a");
        assertEquals(EACH + 1, cursor.offset(0));
        cursor.commit(0, EACH + 2);
        reopen();
        assertEquals(EACH + 2, topic.cursor("a").offset(0));
        assertEquals(EACH + 1, topic.cursor("a").offset(1));
    }

    /** A server asks for each fetch of offsets, and there may be thousands of groups. */
    @Test
    void shouldKnowWhetherThereIsACursorWithoutALookAtAllOfThem() throws IOException {
        fill(RetainUntilRead.byAll());
        topic.cursor("new");
        assertTrue(topic.hasCursor("new"));
        reopen();
        medium.beforeList(at -> fail("a look at all of them"));
        assertTrue(topic.hasCursor("a"));
        assertFalse(topic.hasCursor("new"));
        assertFalse(topic.hasCursor(""));
        assertFalse(topic.hasCursor("x".repeat(1_000)));
        medium.beforeList(null);
        assertFalse(topic.cursorNames().contains("new"));
        topic.deleteCursor("a");
        assertFalse(topic.hasCursor("a"));
    }

    @Test
    void shouldNotSayThatThereIsNoCursorWhenItsFileCannotBeRead() throws IOException {
        fill(RetainUntilRead.byAll());
        reopen();
        failToOpenOnce("cursor-a");
        assertThrows(FirnException.class, () -> topic.hasCursor("a"));
        assertTrue(topic.hasCursor("a"));
        store.close();
        flipABit("cursor-a");
        reopen();
        assertTrue(topic.hasCursor("a"));
    }

    @Test
    void shouldFindAndDeleteACursorOfANewerVersion() throws IOException {
        fill(RetainUntilRead.byAll());
        store.close();
        writeByANewerVersion("cursor-a");
        reopen();
        assertTrue(topic.hasCursor("a"));
        topic.deleteCursor("a");
        assertFalse(topic.hasCursor("a"));
    }

    @Test
    void shouldKeepEverythingForACursorWhoseFileIsDamaged() throws IOException {
        fill(RetainUntilRead.byAll());
        store.close();
        flipABit("cursor-a");
        open();
        topic = store.openTopic("t");
        for (int run = 0; run < 2; run++) {
            append(0, EACH);
            append(1, 1);
            assertEquals(EACH, start(0));
            assertEquals(EACH, start(1));
            assertTrue(isFound("cursor-a"), store.findings().toString());
            assertEquals(-1, topic.cursor("a").offset(0));
            reopen();
        }
        topic.cursor("a").commit(0, 4 * EACH);
        awaitStart(0, 4 * EACH);
        for (int run = 0; run < 2; run++) {
            append(1, 1);
            assertEquals(EACH, start(1), "its position there is not known still");
            assertEquals(-1, topic.cursor("a").offset(1));
            reopen();
        }
        assertEquals(List.of(), store.findings(), "the file was written anew");
        topic.cursor("a").clear(1);
        awaitStart(1, 5 * EACH);
    }

    @Test
    void shouldNotWaitForADamagedCursorThatWasDeleted() throws IOException {
        fill(RetainUntilRead.byAll());
        store.close();
        flipABit("cursor-a");
        open();
        topic = store.openTopic("t");
        append(0, 1);
        assertEquals(EACH, start(0));
        topic.deleteCursor("a");
        work(200);
        assertEquals(5 * EACH, start(0));
    }

    @Test
    void shouldTakeAFileForDamagedThatHoldsNoOffsets() throws IOException {
        fill(RetainUntilRead.byAll());
        store.close();
        SmallFile.write(FileMedium.real(), file("cursor-a"), "cursor", 1, Map.of("-1", "7"));
        SmallFile.write(FileMedium.real(), file("cursor-b"), "cursor", 1, Map.of("0", "x"));
        SmallFile.write(FileMedium.real(), file("cursor-c"), "cursor", 1, Map.of("0", "-2"));
        open();
        topic = store.openTopic("t");
        append(0, 1);
        assertEquals(EACH, start(0));
        for (String name : List.of("a", "b", "c")) {
            assertEquals(-1, topic.cursor(name).offset(0), name);
            assertTrue(isFound("cursor-" + name), store.findings().toString());
        }
    }

    @Test
    void shouldNotOpenWithAnotherLogStartWhenItCannotBeRead() {
        fill(RetainUntilRead.byAll());
        store.close();
        for (String name : List.of("start-0", "producers")) {
            failToOpenOnce(name);
            FirnException refusal =
                    assertThrows(FirnException.class, () -> opened(directory).close(), name);
            assertTrue(refusal.getMessage().contains(name), refusal.getMessage());
        }
        medium.beforeOpen(null);
        open();
        topic = store.openTopic("t");
        assertEquals(EACH, start(0));
    }

    @Test
    void shouldLetTheLimitsDecideWhenACursorIsOfANewerVersion() throws IOException {
        fill(RetainUntilRead.byAll());
        store.close();
        writeByANewerVersion("cursor-zz");
        open();
        topic = store.openTopic("t");
        RetainUntilRead limited = RetainUntilRead.byAll().withLimitBytes(0);
        topic.changeOptions(topic.options().withRetainUntilRead(limited));
        append(0, EACH);
        assertEquals(6 * EACH, start(0));
        assertTrue(topic.partition(0).metrics().unreadDeleted() > 0);
        assertEquals(0, store.metrics().backgroundErrors());
        assertTrue(isFound("cursor-zz"), store.findings().toString());
        assertTrue(
                topic.cursorMetrics().stream().anyMatch(each -> each.cursor().equals("a")),
                "the others are shown");
        assertThrows(FirnException.class, () -> topic.cursor("zz"));
    }

    @Test
    void shouldKeepEverythingWithoutALimitWhenACursorIsOfANewerVersion() throws IOException {
        fill(RetainUntilRead.byAll());
        topic.cursor("a").commit(0, 5 * EACH);
        store.close();
        writeByANewerVersion("cursor-zz");
        open();
        topic = store.openTopic("t");
        append(0, EACH);
        assertEquals(EACH, start(0));
        topic.deleteCursor("zz");
        awaitStart(0, 5 * EACH);
    }

    @Test
    void shouldNotMindACursorForWhichNobodyWaits() throws IOException {
        fill(RetainUntilRead.by("a"));
        store.close();
        writeByANewerVersion("cursor-zz");
        open();
        topic = store.openTopic("t");
        topic.cursor("a").commit(0, 3 * EACH);
        work(200);
        assertEquals(3 * EACH, start(0));
        assertEquals(0, store.metrics().backgroundErrors());
        topic.deleteCursor("a");
        append(0, EACH);
        assertEquals(List.of("zz"), topic.cursorNames(), "waiting for it does not create it");
    }

    @Test
    void shouldFreeWhatIsBelowTheStartWhenItIsNotKnownWhereCursorsAre() {
        fill(RetainUntilRead.byAll());
        reopen();
        medium.beforeList(
                path -> {
                    if (path.startsWith(directory.resolve("store"))) {
                        throw new IOException("unreadable, on purpose");
                    }
                });
        append(0, 1);
        assertTrue(store.metrics().backgroundErrors() > 0);
        int before = topic.partition(0).metrics().segments();
        topic.partition(0).deleteRecordsBefore(4 * EACH);
        Stores.await(
                "the deletion",
                () -> {
                    work(1_000);
                    return topic.partition(0).metrics().segments() < before;
                });
        assertEquals(4 * EACH, start(0));
    }

    @Test
    void shouldLetTheLimitsDecideWhenItIsNotKnownWhichCursorsThereAre() {
        fill(RetainUntilRead.byAll().withLimitAge(Duration.ofMillis(1_000_000)));
        reopen();
        medium.beforeList(
                path -> {
                    if (path.startsWith(directory.resolve("store"))) {
                        throw new IOException("unreadable, on purpose");
                    }
                });
        append(0, 1);
        work(500_000);
        assertEquals(EACH, start(0));
        work(600_000);
        awaitStart(0, 5 * EACH);
        assertTrue(topic.partition(0).metrics().unreadDeleted() > 0);
    }

    @Test
    void shouldSkipFilesThatAreNoCursors() throws IOException {
        fill(RetainUntilRead.byAll());
        store.close();
        for (String stray : List.of("cursor-100%.bak", "cursor-", "cursor-a b")) {
            Files.writeString(file(stray), "stray");
        }
        open();
        topic = store.openTopic("t");
        assertEquals(List.of("a"), topic.cursorNames());
        assertTrue(isFound("cursor-100%.bak") && isFound("cursor-a b"));
        topic.cursor("a").commit(0, 3 * EACH);
        work(200);
        assertEquals(3 * EACH, start(0));
        assertEquals(0, store.metrics().backgroundErrors());
    }

    @Test
    void shouldStillWaitForACursorThatCouldNotBeDeleted() {
        fill(RetainUntilRead.byAll());
        Cursor cursor = topic.cursor("a");
        medium.beforeDelete(
                file -> {
                    if (file.endsWith("cursor-a")) {
                        throw new IOException("cannot be deleted, on purpose");
                    }
                });
        assertThrows(FirnException.class, () -> topic.deleteCursor("a"));
        append(0, EACH);
        assertEquals(EACH, start(0));
        assertEquals(EACH + 1, topic.cursor("a").offset(0));
        cursor.commit(0, EACH + 2); // it was not deleted
        medium.beforeDelete(null);
        topic.deleteCursor("a");
        work(200);
        assertEquals(6 * EACH, start(0));
    }

    /** After a crash its reader is where the file says, whatever was said of the write. */
    @Test
    void shouldKeepFromAPositionThatAFailedWriteMayHaveLeft() throws IOException {
        create(RetainUntilRead.byAll());
        Cursor cursor = topic.cursor("a");
        cursor.commit(0, 0);
        medium.afterRename(
                file -> {
                    if (file.endsWith("cursor-a")) {
                        throw new IOException("not known whether it is durable, on purpose");
                    }
                });
        assertThrows(FirnException.class, cursor::force);
        medium.beforeCreate(
                file -> {
                    if (file.toString().contains("cursor-a")) {
                        throw new IOException("no room, on purpose");
                    }
                });
        cursor.clear(0);
        append(0, 3 * EACH + 1);
        assertEquals("0", SmallFile.read(medium, file("cursor-a"), "cursor", 1).get("0"));
        assertEquals(0, start(0));
        medium.beforeCreate(null);
        medium.afterRename(null);
        awaitStart(0, 3 * EACH);
    }
}
