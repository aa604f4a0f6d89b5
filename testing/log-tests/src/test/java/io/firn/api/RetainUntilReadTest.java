package io.firn.api;

import static io.firn.api.Stores.SEGMENT_BYTES;
import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.CursorReader.CursorMetrics;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStore.MoveOutcome;
import io.firn.Partition;
import io.firn.RetainUntilRead;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Retention waits for cursors. Without them it would keep no sealed segment here. */
@FirstRunOnly
class RetainUntilReadTest {
    /** Of {@link #append}'s records, a segment holds six. */
    private static final int EACH = 6;

    private static final Logger LOG = Logger.getLogger("io.firn");

    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private final ManualClock clock = new ManualClock();
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord entry) {
                    if (entry.getMessage().contains("retention deleted")) {
                        logged.add(entry.getMessage());
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };
    private final Level level = LOG.getLevel();
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() {
        LOG.setLevel(Level.WARNING); // another test may have silenced it
        LOG.addHandler(handler);
        store = opened(directory);
    }

    @AfterEach
    void close() {
        LOG.removeHandler(handler);
        LOG.setLevel(level);
        store.close();
    }

    private LogStore opened(Path at) {
        return StoreBuilder.over(at.resolve("store"), medium)
                .tier(FileTier.at(Stores.tierOf(at)).withMedium(medium))
                .tier(FileTier.at(at.resolve("cold")).withMedium(medium))
                .clock(clock)
                .invokerMode()
                .open();
    }

    private void create(RetainUntilRead readers) {
        topic = store.createTopic("t", options(readers));
    }

    private static TopicOptions options(RetainUntilRead readers) {
        return Stores.small().withRetentionBytes(0).withRetainUntilRead(readers);
    }

    private void reopen() {
        store.close();
        store = opened(directory);
        topic = store.openTopic("t");
    }

    /** Goes on with what lies on the medium now, as after a kill. */
    private LogStore afterAKill() throws IOException {
        Path copy = Files.createTempDirectory(directory.getParent(), "copy");
        for (Path file : Stores.filesIn(directory)) {
            Path target = copy.resolve(directory.relativize(file));
            Files.createDirectories(target.getParent());
            Files.copy(file, target);
        }
        return opened(copy);
    }

    private void append(int count) {
        append(0, count);
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

    /** What failed is tried again only after a while. */
    private void awaitStart(long expected) {
        Stores.await(
                "the deletion",
                () -> {
                    work(1_000);
                    return start() >= expected;
                });
        assertEquals(expected, start());
    }

    private long start() {
        return topic.partition(0).logStartOffset();
    }

    private long unreadDeleted() {
        return topic.partition(0).metrics().unreadDeleted();
    }

    @Test
    void shouldListACursorThatRetentionWaitsForAndThatHasNoPosition() {
        create(RetainUntilRead.by("billing", "biling"));
        append(2 * EACH);
        topic.cursor("billing").commit(0, EACH);
        List<CursorMetrics> lags = topic.cursorMetrics();
        assertEquals(
                List.of("biling -1 " + 2 * EACH, "billing " + EACH + " " + EACH),
                lags.stream()
                        .map(each -> each.cursor() + " " + each.offset() + " " + each.lagRecords())
                        .toList());
    }

    @Test
    void shouldKeepWhatANamedCursorHasNotPassed() {
        create(RetainUntilRead.by("a", "b"));
        append(5 * EACH + 1);
        assertEquals(0, start(), "neither cursor exists");
        topic.cursor("a").commit(0, 5 * EACH);
        work(200);
        assertEquals(0, start(), "b does not exist");
        topic.cursor("b").commit(0, 3 * EACH - 1);
        work(200);
        assertEquals(2 * EACH, start(), "whole segments that both have passed");
        topic.cursor("b").commit(0, 5 * EACH);
        topic.cursor("other").commit(0, 1);
        work(200);
        assertEquals(5 * EACH, start());
        assertEquals(0, unreadDeleted());
        assertEquals(List.of(), logged);
    }

    @Test
    void shouldWaitForAllCursorsThatHaveAPosition() {
        create(RetainUntilRead.byAll());
        topic.cursor("has no position");
        append(2 * EACH + 1);
        assertEquals(2 * EACH, start(), "nobody reads");
        topic.cursor("a").commit(0, 2 * EACH);
        topic.cursor("b").commit(0, 2 * EACH);
        append(4 * EACH);
        assertEquals(2 * EACH, start());
        topic.cursor("a").commit(0, 4 * EACH);
        work(200);
        assertEquals(2 * EACH, start(), "b is slower");
        topic.deleteCursor("b");
        work(0);
        assertEquals(4 * EACH, start());
        topic.cursor("a").clear(0);
        work(200);
        assertEquals(6 * EACH, start());
    }

    @Test
    void shouldKeepEverythingAgainForANamedCursorThatWasDeleted() {
        create(RetainUntilRead.by("a"));
        append(2 * EACH + 1);
        topic.cursor("a").commit(0, EACH);
        work(200);
        assertEquals(EACH, start());
        topic.deleteCursor("a");
        append(2 * EACH);
        assertEquals(EACH, start());
        topic.changeOptions(
                options(RetainUntilRead.none()).withMinimumClass(topic.options().minimumClass()));
        work(0);
        assertEquals(4 * EACH, start(), "nobody is waited for any more");
    }

    /** A cursor in memory is not where its reader will find it after a crash. */
    @Test
    void shouldNotBelieveAPositionThatIsNotPersisted() throws IOException {
        create(RetainUntilRead.by("a"));
        append(4 * EACH + 1);
        topic.cursor("a").commit(0, EACH);
        work(200);
        assertEquals(EACH, start());
        medium.beforeCreate(
                file -> {
                    if (file.getFileName().toString().contains("cursor-")) {
                        throw new IOException("no room, on purpose");
                    }
                });
        topic.cursor("a").commit(0, 4 * EACH);
        append(EACH);
        work(60_000);
        assertEquals(EACH, start());
        try (LogStore other = afterAKill()) {
            Topic again = other.openTopic("t");
            assertEquals(EACH, again.cursor("a").offset(0));
            assertEquals(EACH, again.partition(0).logStartOffset());
        }
        medium.beforeCreate(null);
        awaitStart(4 * EACH);
    }

    @Test
    void shouldKeepFromWhereACursorWentBackTo() {
        create(RetainUntilRead.by("a"));
        append(4 * EACH + 1);
        topic.changeOptions(topic.options().withoutRetentionBytes());
        Cursor cursor = topic.cursor("a");
        cursor.commit(0, 4 * EACH);
        cursor.force();
        cursor.commit(0, EACH); // not persisted yet
        topic.changeOptions(topic.options().withRetentionBytes(0));
        store.doWork();
        assertEquals(EACH, start());
    }

    /** Retention stands before the write of the log start, or before it looks for cursors. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDeleteNothingMoreOnceACursorHasGoneBack(boolean hasDecided) throws Exception {
        create(RetainUntilRead.by("a"));
        append(4 * EACH + 1);
        topic.changeOptions(topic.options().withoutRetentionBytes());
        Cursor cursor = topic.cursor("a");
        cursor.commit(0, 4 * EACH);
        cursor.force();
        work(200);
        topic.changeOptions(topic.options().withRetentionBytes(0));
        CountDownLatch stands = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Thread retention = new Thread(store::doWork);
        if (hasDecided) {
            medium.beforeRename(
                    file -> {
                        if (file.getFileName().toString().startsWith("start")) {
                            stands.countDown();
                            awaitUnchecked(goesOn);
                        }
                    });
        } else {
            clock.onTime(
                    () -> {
                        if (Thread.currentThread() == retention && stands.getCount() > 0) {
                            stands.countDown();
                            awaitUnchecked(goesOn);
                        }
                    });
        }
        retention.start();
        assertTrue(stands.await(HANGS_AFTER_S, TimeUnit.SECONDS));
        assertEquals(0, start());
        AtomicLong startThen = new AtomicLong(-1);
        Thread reader =
                new Thread(
                        () -> {
                            cursor.commit(0, EACH);
                            startThen.set(start());
                        });
        reader.start();
        Stores.await(
                "the cursor to have gone back, or to wait",
                () ->
                        !reader.isAlive()
                                || (hasDecided && reader.getState() == Thread.State.BLOCKED));
        goesOn.countDown();
        retention.join();
        reader.join();
        medium.beforeRename(null);
        work(200);

        assertEquals(hasDecided ? 4 * EACH : 0, startThen.get());
        assertEquals(hasDecided ? 4 * EACH : EACH, start());
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            assertTrue(latch.await(HANGS_AFTER_S, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldWaitForCursorsOfAnEarlierRun() {
        create(RetainUntilRead.byAll());
        topic.cursor("a").commit(0, 0);
        append(3 * EACH + 1);
        reopen();
        work(200);
        append(EACH);
        assertEquals(0, start(), "nobody has asked for the cursor");
        topic.cursor("a").commit(0, 3 * EACH);
        reopen();
        work(200);
        assertEquals(3 * EACH, start(), "persisted at close");
    }

    @Test
    void shouldWaitInEachPartitionByItself() {
        create(RetainUntilRead.byAll());
        topic.cursor("a").commit(0, 0);
        topic.addPartitions(2);
        append(0, 2 * EACH + 1);
        append(1, 2 * EACH + 1);
        assertEquals(0, start());
        assertEquals(2 * EACH, topic.partition(1).logStartOffset(), "it has no position there");
        topic.cursor("a").commit(1, 2 * EACH + 1);
        append(1, 2 * EACH);
        assertEquals(2 * EACH, topic.partition(1).logStartOffset());
        assertEquals(0, start());
    }

    @Test
    void shouldDeleteAboveTheLimitOfBytesAndSaySoOnce() throws IOException {
        create(RetainUntilRead.by("slow", "gone").withLimitBytes(3L * SEGMENT_BYTES));
        Path dump = directory.resolve("firn.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.firn.Overtaken");
            recording.start();
            append(3 * EACH);
            assertEquals(0, start());
            topic.cursor("slow").commit(0, EACH + 2);
            append(7 * EACH);
            recording.stop();
            recording.dump(dump);
        }
        Partition partition = topic.partition(0);
        long start = start();
        assertTrue(start > EACH + 2, "start: " + start);
        assertEquals(0, start % EACH);
        assertTrue(partition.metrics().bytes() >= 3L * SEGMENT_BYTES);
        assertTrue(partition.metrics().bytes() < 5L * SEGMENT_BYTES);
        assertEquals(start, unreadDeleted(), "gone has read nothing");
        assertEquals(2, logged.size(), "one line for each cursor: " + logged);
        assertTrue(logged.get(0).contains("t-0") && logged.get(0).contains("cursor gone"));
        assertTrue(logged.get(1).contains("cursor slow"), logged.toString());
        List<RecordedEvent> events =
                RecordingFile.readAllEvents(dump).stream()
                        .filter(event -> event.getEventType().getName().equals("io.firn.Overtaken"))
                        .toList();
        assertEquals(2, events.size());
        assertEquals("t-0", events.get(1).getString("partition"));
        assertEquals("slow", events.get(1).getString("cursor"));
        assertEquals(EACH + 2, events.get(1).getLong("fromOffset"));

        topic.cursor("slow").commit(0, start);
        append(5 * EACH);
        assertEquals(3, logged.size(), "overtaken once more: " + logged);
        assertTrue(logged.get(2).contains("cursor slow"), logged.toString());
    }

    @Test
    void shouldDeleteAboveTheLimitOfAge() {
        create(RetainUntilRead.by("a").withLimitAge(Duration.ofMinutes(10)));
        append(2 * EACH + 1);
        work(Duration.ofMinutes(9).toMillis());
        assertEquals(0, start());
        work(Duration.ofMinutes(2).toMillis());
        assertEquals(2 * EACH, start(), "nothing had to call it");
        assertEquals(2 * EACH, unreadDeleted());
        assertEquals(1, logged.size(), logged.toString());
    }

    @Test
    void shouldDeleteNothingByALimitThatRetentionKeeps() {
        topic =
                store.createTopic(
                        "t",
                        Stores.small()
                                .withRetentionAge(Duration.ofHours(1))
                                .withRetainUntilRead(RetainUntilRead.by("a").withLimitBytes(0)));
        append(5 * EACH);
        assertEquals(0, start());
    }

    @Test
    void shouldDeleteOnRequestWithoutWaiting() {
        create(RetainUntilRead.by("a"));
        append(3 * EACH + 1);
        assertEquals(EACH + 1, topic.partition(0).deleteRecordsBefore(EACH + 1));
        work(200);
        assertEquals(EACH + 1, start());
        assertEquals(3, topic.partition(0).metrics().segments());
        assertEquals(0, unreadDeleted());
    }

    @Test
    void shouldKeepAndDeleteInAColdTierToo() {
        create(RetainUntilRead.by("a"));
        append(4 * EACH + 1);
        assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, 0, "tier-1"));
        assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, EACH, "tier-1"));
        append(EACH);
        assertEquals(0, start());
        assertEquals(2, store.metrics().tiers().get(1).segments());
        topic.cursor("a").commit(0, EACH);
        work(200);
        assertEquals(EACH, start());
        assertEquals(1, store.metrics().tiers().get(1).segments());
        reopen();
        work(200);
        assertEquals(EACH, start());
        topic.cursor("a").commit(0, 3 * EACH);
        work(200);
        assertEquals(3 * EACH, start());
        assertEquals(0, store.metrics().tiers().get(1).segments());
    }

    /** A cursor whose file cannot be read might stand anywhere. */
    @Test
    void shouldDeleteNothingWhenItIsNotKnownWhereCursorsStand() {
        create(RetainUntilRead.byAll());
        topic.cursor("a").commit(0, 0);
        reopen();
        medium.beforeList(
                path -> {
                    if (path.startsWith(directory.resolve("store"))) {
                        throw new IOException("unreadable, on purpose");
                    }
                });
        append(3 * EACH);
        assertEquals(0, start());
        assertTrue(store.metrics().backgroundErrors() > 0);
        medium.beforeList(null);
        topic.cursor("a").commit(0, EACH);
        awaitStart(EACH);
    }

    @Test
    void shouldKeepTheOptionWithAnyNames() {
        RetainUntilRead odd =
                RetainUntilRead.by("*", "a,b", " ", "=", "line\nend", "%2A", "漢")
                        .withLimitBytes(7)
                        .withLimitAge(Duration.ofMillis(8));
        create(odd);
        TopicOptions before = topic.options();
        reopen();
        assertEquals(before, topic.options());
        assertEquals(odd, topic.options().retainUntilRead());
        topic.changeOptions(
                before.withRetainUntilRead(
                        RetainUntilRead.byAll().withLimitAge(Duration.ofMillis(9))));
        reopen();
        assertEquals(
                RetainUntilRead.byAll().withLimitAge(Duration.ofMillis(9)),
                topic.options().retainUntilRead());
    }

    @Test
    void shouldRefuseWhatNoCursorCanBeCalled() {
        assertThrows(InvalidOptionException.class, () -> RetainUntilRead.by());
        assertThrows(InvalidOptionException.class, () -> RetainUntilRead.by("a", "a"));
        assertThrows(InvalidOptionException.class, () -> RetainUntilRead.by(""));
        RetainUntilRead tooLong = RetainUntilRead.by("x".repeat(121));
        assertThrows(InvalidOptionException.class, () -> create(tooLong));
        create(RetainUntilRead.none());
        assertThrows(
                InvalidOptionException.class,
                () -> topic.changeOptions(topic.options().withRetainUntilRead(tooLong)));
        assertThrows(
                InvalidOptionException.class, () -> RetainUntilRead.byAll().withLimitBytes(-2));
        assertThrows(
                InvalidOptionException.class,
                () -> RetainUntilRead.byAll().withLimitAge(Duration.ofMillis(-1)));
    }
}
