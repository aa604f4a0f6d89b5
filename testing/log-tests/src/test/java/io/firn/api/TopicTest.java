package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.readAll;
import static io.firn.api.Stores.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Compression;
import io.firn.Cursor;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.TopicExistsException;
import io.firn.TopicOptions;
import io.firn.UnexpectedOffsetException;
import io.firn.UnknownTopicException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicTest {
    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private LogStore store;

    @BeforeEach
    void open() {
        store = Stores.at(directory, medium).open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        store.close();
        open();
    }

    private long usedBytes() {
        return store.metrics().tiers().get(0).usedBytes();
    }

    private long files() {
        return Stores.filesIn(Stores.tierOf(directory)).stream()
                .filter(file -> file.toString().matches(".*\\.(active|log|mark|.*index)"))
                .count();
    }

    @Test
    void shouldListTopicsByNameAndFindThemAgain() {
        assertEquals(List.of(), store.topicNames());
        Topic b = store.createTopic("b", Stores.small());
        Topic a = store.createTopic("a.1_-Z", Stores.small());
        assertEquals(List.of("a.1_-Z", "b"), store.topicNames());
        UUID id = a.id();
        assertNotEquals(id, b.id());
        assertEquals("a.1_-Z", a.name());
        reopen();
        assertEquals(List.of("a.1_-Z", "b"), store.topicNames());
        assertEquals(id, store.openTopic("a.1_-Z").id());
        assertEquals(id, store.ensureTopic("a.1_-Z", Stores.small()).id());
        UnknownTopicException e =
                assertThrows(UnknownTopicException.class, () -> store.openTopic("c"));
        assertTrue(e.getMessage().contains("'c'"), e.getMessage());
        assertThrows(
                TopicExistsException.class, () -> store.createTopic("b", TopicOptions.defaults()));
        assertThrows(UnknownTopicException.class, () -> store.deleteTopic("c"));
    }

    @Test
    void shouldSayWhichOptionCannotBeChanged() {
        Topic topic = store.createTopic("t", Stores.small().withPartitions(2));
        TopicOptions more = topic.options().withRetentionBytes(2 << 20).withPartitions(3);
        InvalidOptionException fixed =
                assertThrows(InvalidOptionException.class, () -> topic.changeOptions(more));
        assertTrue(
                fixed.getMessage().endsWith("changed: partitions from 2 to 3"), fixed.getMessage());
        topic.addPartitions(3);
        topic.changeOptions(Stores.small().withPartitions(1).withRetentionBytes(1 << 20));
        assertEquals(3, topic.options().partitions(), "those that were added");
        assertEquals(OptionalLong.of(1 << 20), topic.options().retentionBytes());
    }

    @Test
    void shouldChangeOneOptionWhileAnotherThreadChangesAnother() throws Exception {
        Topic topic = store.createTopic("t", Stores.small());
        Thread other =
                new Thread(
                        () -> {
                            for (int i = 1; i <= 20; i++) {
                                long bytes = i;
                                topic.updateOptions(o -> o.withRetentionBytes(bytes));
                            }
                        });
        other.start();
        for (int i = 1; i <= 20; i++) {
            long ms = i;
            topic.updateOptions(o -> o.withRetentionAge(Duration.ofMillis(ms)));
        }
        other.join();
        assertEquals(OptionalLong.of(20), topic.options().retentionBytes());
        assertEquals(Optional.of(Duration.ofMillis(20)), topic.options().retentionAge());
    }

    @Test
    void shouldRefuseThatTheFunctionOfAnUpdateChangesTheTopicItself() {
        Topic topic = store.createTopic("t", Stores.small());
        List<Executable> changes =
                List.of(
                        () -> topic.changeOptions(Stores.small().withRetentionBytes(1 << 20)),
                        () -> topic.updateOptions(o -> o.withRetentionBytes(1 << 20)),
                        () -> topic.addPartitions(2),
                        () -> store.ensureTopic("t", Stores.small().withRetentionBytes(1 << 20)));
        for (Executable change : changes) {
            topic.updateOptions(
                    options -> {
                        assertThrows(IllegalStateException.class, change);
                        return options.withRetentionAge(Duration.ofMillis(5));
                    });
        }
        assertThrows(NullPointerException.class, () -> topic.updateOptions(options -> null));
        topic.updateOptions(options -> options.withRetentionBytes(1 << 20));
        assertEquals(Optional.of(Duration.ofMillis(5)), topic.options().retentionAge());
        assertEquals(OptionalLong.of(1 << 20), topic.options().retentionBytes());
        assertEquals(1, topic.options().partitions());
    }

    @Test
    void shouldNameAnArgumentThatMustNotBeNull() {
        Topic topic = store.createTopic("t", Stores.small());
        try (TopicAppender appender = topic.openAppender()) {
            List<Executable> calls =
                    List.of(
                            () -> appender.append((Batch) null),
                            () -> appender.partition(0).append((Batch) null),
                            () -> appender.partition(0).tryAppend((Batch) null),
                            () -> appender.partitionFor(null));
            for (Executable call : calls) {
                NullPointerException e = assertThrows(NullPointerException.class, call);
                assertTrue(e.getMessage().contains("expected, found null"), e.getMessage());
            }
        }
    }

    @Test
    void shouldSayWhetherTheLogEndsBeforeOrAfterTheExpectedOffset() {
        Topic topic = store.createTopic("t", Stores.small());
        try (Appender appender = topic.partition(0).openAppender()) {
            Batch batch = appender.newBatch().add(bytes("a"));
            appender.append(batch);
            String after = refusal(() -> appender.append(batch.expectedOffset(0)));
            assertTrue(after.contains("appended in between"), after);
            String before = refusal(() -> appender.append(batch.expectedOffset(5)));
            assertTrue(before.contains("the log ends before it"), before);
        }
    }

    private static String refusal(Executable append) {
        return assertThrows(UnexpectedOffsetException.class, append).getMessage();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", ".", "..", "a/b", "/a", "../a", "a\\b", "a b", "ä", "a\u0000", "a\n", " a",
                "a:b"
            })
    void shouldRefuseANameThatIsNone(String name) {
        assertThrows(InvalidOptionException.class, () -> store.createTopic(name, Stores.small()));
        assertThrows(InvalidOptionException.class, () -> store.ensureTopic(name, Stores.small()));
        assertEquals(List.of(), store.topicNames());
    }

    @Test
    void shouldTakeANameOf249CharactersAndNoMore() {
        String longest = "x".repeat(249);
        store.createTopic(longest, Stores.small());
        assertThrows(
                InvalidOptionException.class,
                () -> store.createTopic(longest + "x", Stores.small()));
        reopen();
        assertEquals(List.of(longest), store.topicNames());
    }

    @Test
    void shouldKeepItsOptions() {
        TopicOptions options =
                TopicOptions.defaults()
                        .withPartitions(3)
                        .withDurability(Durability.WRITTEN)
                        .withSegmentBytes(100_000)
                        .withRollAge(Duration.ofHours(5))
                        .withRetentionBytes(123_456)
                        .withRetentionAge(Duration.ofDays(7))
                        .withMaxRecordBytes(5_000)
                        .withCompression(Compression.ZSTD)
                        .withForce(7_000, Duration.ofMillis(70))
                        .withMinimumClass(Survives.PROCESS_CRASH);
        store.createTopic("t", options);
        reopen();
        Topic topic = store.openTopic("t");
        assertEquals(options, topic.options());
        assertEquals(3, topic.partitionCount());
        assertEquals(2, topic.partition(2).index());
        assertEquals("t", topic.partition(2).topic().name());
        assertThrows(InvalidOptionException.class, () -> topic.partition(3));
        assertThrows(InvalidOptionException.class, () -> topic.partition(-1));
    }

    @Test
    void shouldKeepEverythingUnlessTold() {
        TopicOptions options = store.createTopic("t", TopicOptions.defaults()).options();
        assertEquals(OptionalLong.empty(), options.retentionBytes());
        assertEquals(Optional.empty(), options.retentionAge());
        assertEquals(Optional.empty(), options.rollAge());
        assertEquals(Durability.DURABLE, options.durability());
        assertEquals(Compression.NONE, options.compression());
        assertEquals(1, options.partitions());
        assertEquals(
                store.metrics().tiers().get(0).survives(),
                options.minimumClass(),
                "that of the hottest tier when it was created");
    }

    @Test
    void shouldTakeItsFirstBlockAtItsFirstAppend() {
        Topic topic = store.createTopic("t", Stores.small().withPartitions(20));
        for (int p = 0; p < 20; p++) {
            topic.openTailer(TailerOptions.defaults().withPartitions(p))
                    .poll(record -> Action.CONTINUE, 1);
            topic.partition(p).openExclusiveAppender().close();
            topic.partition(p).force();
        }
        topic.cursor("c");
        reopen();
        assertEquals(0, usedBytes());
        assertEquals(0, files());
        topic = store.openTopic("t");
        try (Appender appender = topic.partition(7).openExclusiveAppender()) {
            appender.append(bytes("x"));
        }
        assertTrue(usedBytes() > 0);
        assertTrue(usedBytes() <= 2 * (Stores.SEGMENT_BYTES + 2 * 4096), "blocks for one only");
    }

    @Test
    void shouldDeleteATopicWithEverythingInIt() {
        Topic topic = store.createTopic("t", Stores.small().withPartitions(2));
        for (int p = 0; p < 2; p++) {
            try (Appender appender = topic.partition(p).openExclusiveAppender()) {
                Stores.fill(appender, 30, 10_000);
            }
        }
        topic.cursor("c").commit(0, 5);
        topic.cursor("c").force();
        topic.partition(0).deleteRecordsBefore(3);
        assertTrue(files() > 10);
        store.deleteTopic("t");
        assertEquals(List.of(), store.topicNames());
        Stores.await("its files to go", () -> files() == 0);
        Stores.await("its directory to go", () -> metadataOf(topic).isEmpty());
        assertEquals(0, usedBytes());
        assertEquals(0, medium.mappings());
        reopen();
        assertEquals(List.of(), store.topicNames());
        assertEquals(List.of(), store.findings());
    }

    private List<Path> metadataOf(Topic topic) {
        return Stores.filesIn(directory.resolve("store")).stream()
                .filter(file -> file.toString().contains(topic.id().toString()))
                .toList();
    }

    @Test
    void shouldBeginAnewUnderAnOldName() {
        Topic old = store.createTopic("t", Stores.small());
        try (Appender appender = old.partition(0).openExclusiveAppender()) {
            Stores.fill(appender, 30, 10_000);
        }
        old.cursor("c").commit(0, 20);
        store.deleteTopic("t");
        Topic next = store.createTopic("t", Stores.small());
        assertNotEquals(old.id(), next.id());
        Partition partition = next.partition(0);
        assertEquals(0, partition.nextOffset());
        assertEquals(-1, next.cursor("c").offset(0));
        try (Appender appender = partition.openExclusiveAppender()) {
            assertEquals(0, appender.append(bytes("new")));
        }
        assertEquals(List.of("new"), texts(readAll(next.openTailer())));
        reopen();
        assertEquals(List.of("new"), texts(readAll(store.openTopic("t").openTailer())));
        assertEquals(List.of(), store.findings());
    }

    @Test
    void shouldTellWhoeverUsesADeletedTopic() {
        Topic topic = store.createTopic("t", Stores.small());
        Partition partition = topic.partition(0);
        Appender appender = partition.openExclusiveAppender();
        Tailer tailer = topic.openTailer();
        Tailer atEnd = topic.openTailer();
        Cursor cursor = topic.cursor("c");
        Stores.fill(appender, 30, 10_000);
        tailer.poll(record -> Action.CONTINUE, 3);
        readAll(atEnd);
        store.deleteTopic("t");
        store.createTopic("t", Stores.small());
        Class<UnknownTopicException> expected = UnknownTopicException.class;
        assertThrows(expected, () -> appender.append(bytes("x")));
        assertThrows(expected, () -> appender.tryAppend(new UnsafeBuffer(bytes("x")), 0, 1));
        assertThrows(expected, () -> appender.append(appender.newBatch().add(bytes("x"))));
        assertThrows(expected, () -> tailer.poll(record -> Action.CONTINUE, 1));
        assertThrows(expected, () -> tailer.poll(r -> Action.CONTINUE, 1, Duration.ofMinutes(1)));
        assertThrows(expected, () -> atEnd.poll(record -> Action.CONTINUE, 1));
        assertThrows(expected, () -> topic.openTailer());
        assertThrows(expected, () -> topic.openAppender());
        assertThrows(expected, () -> partition.openTailer());
        assertThrows(expected, () -> partition.openExclusiveAppender());
        assertThrows(expected, () -> partition.openAppender());
        assertThrows(expected, () -> partition.findTimestamp(0));
        assertThrows(expected, () -> partition.deleteRecordsBefore(1));
        assertThrows(expected, () -> topic.cursor("c"));
        assertThrows(expected, () -> cursor.commit(0, 1));
        assertThrows(expected, () -> cursor.force());
        appender.close();
        tailer.close();
        Stores.await("its files to go", () -> files() == 0);
    }

    @Test
    void shouldWakeATailerWhoseTopicIsDeleted() throws Exception {
        Topic topic = store.createTopic("t", Stores.small());
        Tailer tailer = topic.openTailer();
        Stores.Task<Integer> waits =
                Stores.start(
                        () -> tailer.poll(record -> Action.CONTINUE, 1, Duration.ofMinutes(10)));
        Stores.await("it", () -> waits.thread().getState() == Thread.State.TIMED_WAITING);
        store.deleteTopic("t");
        assertThrows(UnknownTopicException.class, waits::result);
    }

    @Test
    void shouldDeleteTopicsBesideThoseWhoUseThem() throws Exception {
        for (int round = 0; round < 30; round++) {
            Topic topic = store.createTopic("t", Stores.small());
            Stores.Task<Void> exclusive =
                    Stores.start(() -> untilDeleted(topic.partition(0).openExclusiveAppender()));
            Stores.Task<Void> reads =
                    Stores.start(
                            () -> {
                                Tailer tailer = topic.openTailer();
                                while (true) {
                                    tailer.poll(record -> Action.CONTINUE, 10);
                                }
                            });
            Stores.await("records", () -> topic.partition(0).nextOffset() > 3);
            store.deleteTopic("t");
            assertThrows(UnknownTopicException.class, exclusive::result);
            assertThrows(UnknownTopicException.class, reads::result);
        }
        Stores.await("the space to come back", () -> usedBytes() == 0);
        Stores.await("the mappings to go", () -> releasedAll());
        assertEquals(0, store.metrics().backgroundErrors());
    }

    private boolean releasedAll() {
        // The next reservation sweeps up what was held when its segment was deleted.
        Topic sweeper = store.ensureTopic("sweeper", Stores.small());
        try (Appender appender = sweeper.partition(0).openExclusiveAppender()) {
            appender.append(new byte[20_000]);
        }
        return medium.mappings() <= 2;
    }

    private static Void untilDeleted(Appender appender) {
        try (appender) {
            while (true) {
                appender.append(new byte[15_000]);
            }
        }
    }

    @Test
    void shouldNotTouchOtherTopicsWhenOneIsDeleted() {
        Topic kept = store.createTopic("kept", Stores.small());
        Topic gone = store.createTopic("gone", Stores.small());
        try (Appender one = kept.partition(0).openExclusiveAppender();
                Appender two = gone.partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 40; i++) {
                one.append(bytes("" + i));
                two.append(new byte[10_000]);
            }
            store.deleteTopic("gone");
            one.append(bytes("40"));
        }
        assertEquals(41, readAll(kept.openTailer()).size());
        reopen();
        assertEquals(41, readAll(store.openTopic("kept").openTailer()).size());
        assertFalse(store.topicNames().contains("gone"));
    }

    @Test
    void shouldRefuseOptionsThatAreOutOfRange() {
        TopicOptions options = TopicOptions.defaults();
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
        List<Executable> wrong =
                List.of(
                        () -> options.withPartitions(0),
                        () -> options.withPartitions(100_001),
                        () -> options.withSegmentBytes(65_535),
                        () -> options.withSegmentBytes((1 << 30) + 1),
                        () -> options.withRollAge(Duration.ofMillis(999)),
                        () -> options.withRollAge(endless),
                        () -> options.withRetentionAge(Duration.ofMillis(-2)),
                        () -> options.withRetentionAge(endless),
                        () -> options.withRetentionBytes(-2),
                        () -> options.withMaxRecordBytes(0),
                        () -> options.withForce(0, Duration.ofSeconds(1)),
                        () -> options.withForce(1, Duration.ZERO),
                        () -> options.withForce(1, endless));
        for (int i = 0; i < wrong.size(); i++) {
            assertThrows(InvalidOptionException.class, wrong.get(i), "option " + i);
        }
    }

    @Test
    void shouldRefuseOptionsThatDoNotFitTheTier() {
        TopicOptions large = Stores.small().withMaxRecordBytes(Stores.SEGMENT_BYTES);
        assertThrows(InvalidOptionException.class, () -> store.createTopic("large", large));
        store.createTopic("larger", large.withSegmentBytes(2 * Stores.SEGMENT_BYTES));
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(Stores.SEGMENT_BYTES);
        assertEquals(Stores.SEGMENT_BYTES - 1, options.maxRecordBytes());
    }
}
