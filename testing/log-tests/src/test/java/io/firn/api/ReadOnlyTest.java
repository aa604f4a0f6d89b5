package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.read;
import static io.firn.api.Stores.readAll;
import static io.firn.api.Stores.texts;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Compression;
import io.firn.CursorReader;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.RecordHandler.Action;
import io.firn.StoreOpenException;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.TopicReader;
import io.firn.UnknownTopicException;
import io.firn.host.HostedPartition;
import io.firn.host.HostedStore;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that is open for writing, and once more read-only beside it. */
class ReadOnlyTest {
    @TempDir private Path directory;
    private final ObservedMedium writers = new ObservedMedium();
    private final ObservedMedium readers = new ObservedMedium();
    private LogStore writer;
    private LogReader reader;

    @BeforeEach
    void open() {
        writer = Stores.at(directory, writers).markInterval(Duration.ofMillis(5)).open();
    }

    @AfterEach
    void close() {
        if (reader != null) {
            reader.close();
        }
        writer.close();
    }

    private void openReader() {
        reader = Stores.at(directory, readers).openReadOnly();
    }

    @ParameterizedTest
    @EnumSource
    void shouldTailAWriterAcrossRolls(Durability durability) throws Exception {
        int count = 3_000;
        Topic topic = writer.createTopic("t", Stores.small().withDurability(durability));
        openReader();
        TopicReader read = reader.openTopic("t");
        assertEquals(topic.id(), read.id());
        assertEquals(topic.options(), read.options());
        List<Stores.Task<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int seed = i;
            tasks.add(Stores.start(() -> tail(read.partition(0), count, seed)));
        }
        Partition partition = topic.partition(0);
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < count; i++) {
                byte[] value = Stores.numbered(i, 8 + i % 1_000);
                while (appender.tryAppend(new UnsafeBuffer(value), 0, value.length) < 0) {
                    Thread.onSpinWait();
                }
                if (i % 100 == 0) {
                    appender.awaitDurable(i);
                }
            }
            appender.awaitDurable(count - 1);
            for (Stores.Task<Integer> task : tasks) {
                assertEquals(count, task.result());
            }
        }
        assertTrue(partition.metrics().rolls() > 10);
        assertEquals(List.of(), read.partition(0).damage());
        assertEquals(List.of(), reader.findings());
        assertEquals(0, reader.metrics().backgroundErrors());
        assertTrue(readers.files() < 20, () -> readers.files() + " files are open");
    }

    @Test
    void shouldSeePartitionsThatAreAddedAndOptionsThatAreChanged() {
        Topic topic = writer.createTopic("t", Stores.small());
        openReader();
        TopicReader read = reader.openTopic("t");
        assertEquals(1, read.partitionCount());

        topic.addPartitions(3);
        topic.changeOptions(topic.options().withRetentionBytes(1 << 30));
        try (Appender appender = topic.partition(2).openExclusiveAppender()) {
            appender.append(bytes("last"));
        }

        Stores.await("three partitions", () -> read.partitionCount() == 3);
        Stores.await("the options", () -> read.options().equals(topic.options()));
        assertEquals(List.of("last"), texts(read(read.partition(2).openTailer(), 1)));
        assertEquals(List.of("last"), texts(read(read.openTailer(), 1)));
    }

    private static int tail(PartitionReader partition, int count, int seed) {
        int[] next = {0};
        try (Tailer tailer = partition.openTailer()) {
            while (next[0] < count) {
                tailer.poll(
                        record -> {
                            assertEquals(next[0], record.offset());
                            assertTrue(record.offset() < partition.visibleOffset());
                            assertArrayEquals(
                                    Stores.numbered(next[0], 8 + next[0] % 1_000),
                                    record.copy().value());
                            next[0]++;
                            return Action.CONTINUE;
                        },
                        1 + 100 * seed,
                        Duration.ofMillis(50));
            }
        }
        return next[0];
    }

    @Test
    void shouldFindATopicAsSoonAsItIsThere() {
        openReader();
        assertThrows(UnknownTopicException.class, () -> reader.openTopic("t"));
        for (int i = 0; i < 10; i++) {
            Topic topic = writer.createTopic("t" + i, Stores.small());
            assertEquals(topic.id(), reader.openTopic("t" + i).id());
            assertTrue(reader.topicNames().contains("t" + i));
        }
    }

    @Test
    void shouldNoticeThatATopicIsDeletedAndMadeAgain() {
        Topic first = writer.createTopic("t", Stores.small());
        try (Appender appender = first.partition(0).openExclusiveAppender()) {
            Stores.fill(appender, 20, 10_000);
        }
        openReader();
        Tailer tailer = reader.openTopic("t").openTailer();
        read(tailer, 3);
        writer.deleteTopic("t");
        Stores.await(
                "the news",
                () -> {
                    try {
                        tailer.poll(record -> Action.CONTINUE, 1, Duration.ofMillis(10));
                        return false;
                    } catch (UnknownTopicException e) {
                        return true;
                    }
                });
        assertEquals(List.of(), reader.topicNames());
        assertThrows(UnknownTopicException.class, () -> reader.openTopic("t"));
        Topic second = writer.createTopic("t", Stores.small());
        try (Appender appender = second.partition(0).openExclusiveAppender()) {
            appender.append(bytes("new"));
        }
        TopicReader read = reader.openTopic("t");
        assertNotEquals(first.id(), read.id());
        assertEquals(List.of("new"), texts(read(read.openTailer(), 1)));
        Stores.await("the old mappings to go", () -> readers.mappings() <= 1);
    }

    @Test
    void shouldShowADurableTopicsRecordsOnlyWhenTheyAreProven() {
        Topic topic = writer.createTopic("t", Stores.small());
        Gate forcing = new Gate();
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(bytes("proven"));
            openReader();
            PartitionReader partition = reader.openTopic("t").partition(0);
            Tailer tailer = partition.openTailer();
            assertEquals(List.of("proven"), texts(read(tailer, 1)));
            forcing.shut();
            writers.beforeForce(forcing);
            appender.tryAppend(new UnsafeBuffer(bytes("not yet")), 0, 7);
            Stores.await("the force", () -> forcing.held() > 0);
            assertEquals(0, tailer.poll(record -> Action.CONTINUE, 1, Duration.ofMillis(100)));
            assertEquals(1, partition.nextOffset());
            forcing.open();
            assertEquals(List.of("not yet"), texts(read(tailer, 1)));
        }
    }

    @Test
    void shouldShowAWrittenTopicsRecordsAndNotCallThemDurable() {
        TopicOptions options =
                Stores.small()
                        .withDurability(Durability.WRITTEN)
                        .withForce(1 << 20, Duration.ofHours(1));
        Topic topic = writer.createTopic("t", options);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(bytes("forced"));
            topic.partition(0).force();
            openReader();
            PartitionReader partition = reader.openTopic("t").partition(0);
            Tailer tailer = partition.openTailer();
            assertEquals(List.of("forced"), texts(read(tailer, 1)));
            appender.append(bytes("written"));
            assertEquals(List.of("written"), texts(read(tailer, 1)));
            assertEquals(2, partition.nextOffset());
            assertEquals(2, partition.visibleOffset());
            assertEquals(1, partition.durableOffset());
            topic.partition(0).force();
            Stores.await("the mark", () -> partition.durableOffset() == 2);
        }
    }

    @Test
    void shouldTellATailerThatRetentionOvertookAndLetGoOfWhatWent() throws Exception {
        writer.close();
        AtomicLong hurrying = new AtomicLong();
        writer =
                Stores.at(directory, writers)
                        .clock(() -> hurrying.addAndGet(50))
                        .markInterval(Duration.ofMillis(1))
                        .open();
        Topic topic = writer.createTopic("t", Stores.small().withRetentionBytes(100_000));
        openReader();
        PartitionReader partition = reader.openTopic("t").partition(0);
        AtomicBoolean done = new AtomicBoolean();
        Stores.Task<Integer> tails = Stores.start(() -> tailAndJump(partition, done));
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 600; i++) {
                appender.append(Stores.numbered(i, 5_000));
            }
            Stores.await("the end to be seen", () -> partition.nextOffset() == 600);
            done.set(true);
            assertTrue(tails.result() > 0, "retention overtook nobody, no test");
            Stores.await(
                    "retention to be seen",
                    () -> partition.logStartOffset() == topic.partition(0).logStartOffset());
        }
        assertEquals(List.of(), partition.damage());
        Stores.await("the mappings to go", () -> readers.mappings() < 8);
        Stores.await("the files to be closed", () -> readers.files() < 8);
        assertEquals(0, reader.metrics().backgroundErrors());
    }

    private static int tailAndJump(PartitionReader partition, AtomicBoolean done) {
        long[] next = {0};
        int jumps = 0;
        Tailer tailer = partition.openTailer();
        tailer.seek(0);
        while (!done.get() || next[0] < 600) {
            try {
                tailer.poll(
                        record -> {
                            assertEquals(next[0]++, record.offset());
                            assertArrayEquals(
                                    Stores.numbered(record.offset(), 5_000), record.copy().value());
                            return Action.CONTINUE;
                        },
                        1,
                        Duration.ofMillis(5));
                if (!done.get()) {
                    java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
                }
            } catch (OffsetOutOfRangeException e) {
                assertEquals(next[0], e.offset());
                assertTrue(e.logStartOffset() > next[0], e.getMessage());
                next[0] = e.logStartOffset();
                tailer.seek(next[0]);
                jumps++;
            }
        }
        return jumps;
    }

    @Test
    void shouldFollowAWriterThatIsClosedAndOpenedAgain() {
        Topic topic = writer.createTopic("t", Stores.small());
        openReader();
        Tailer tailer = reader.openTopic("t").openTailer();
        for (int life = 0; life < 5; life++) {
            topic = writer.openTopic("t");
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                Stores.fill(appender, 15, 9_000);
            }
            assertEquals(15, read(tailer, 15).size());
            writer.close();
            open();
        }
        assertEquals(75, tailer.offset());
    }

    @Test
    void shouldChangeNothing() throws IOException {
        Topic topic = writer.createTopic("t", Stores.small());
        Topic written =
                writer.createTopic(
                        "w",
                        Stores.small()
                                .withDurability(Durability.WRITTEN)
                                .withCompression(Compression.GZIP));
        fillTwo(topic, written);
        writer.close();
        // Derived files that are missing or wrong are not made again either.
        for (Path file : Stores.filesIn(Stores.tierOf(directory))) {
            if (file.toString().endsWith(".index")) {
                Files.delete(file);
            } else if (file.toString().endsWith(".timeindex")) {
                Files.write(file, new byte[24]);
            }
        }
        Map<String, String> before = everything();
        openReader();
        for (String name : reader.topicNames()) {
            TopicReader read = reader.openTopic(name);
            Tailer tailer = read.openTailer();
            assertEquals(60, readAll(tailer).size());
            for (int offset = 59; offset >= 0; offset -= 7) {
                tailer.seek(offset);
                assertEquals(60 - offset, readAll(tailer).size());
            }
            read.partition(0).findTimestamp(System.currentTimeMillis() - 5);
            assertEquals(30, read.cursor("c").offset(0));
            assertEquals(List.of("c"), read.cursorNames());
            assertEquals(-1, read.cursor("new").offset(0));
        }
        reader.close();
        assertEquals(before, everything());
        assertEquals(0, readers.mappings());
        assertEquals(0, readers.files());
        open();
        assertEquals(60, readAll(writer.openTopic("t").openTailer()).size());
    }

    private static void fillTwo(Topic... topics) {
        for (Topic topic : topics) {
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                Stores.fill(appender, 60, 5_000);
                topic.partition(0).force();
            }
            topic.cursor("c").commit(0, 30);
        }
    }

    /** All files with length, time of change and content. */
    private Map<String, String> everything() throws IOException {
        Map<String, String> all = new TreeMap<>();
        for (Path file : Stores.filesIn(directory)) {
            String content = Files.getLastModifiedTime(file) + " " + Files.size(file);
            for (byte b : java.util.Arrays.copyOf(Files.readAllBytes(file), 100)) {
                content += " " + b;
            }
            all.put(file.toString(), content);
        }
        return all;
    }

    @Test
    void shouldReadASegmentWhoseMarkWasLost() throws IOException {
        Topic topic = writer.createTopic("t", Stores.small());
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            Stores.fill(appender, 60, 5_000);
        }
        writer.close();
        for (Path file : Stores.filesIn(Stores.tierOf(directory))) {
            if (file.toString().endsWith(".mark")) {
                Files.delete(file);
            }
        }
        openReader();
        List<StoredRecord> found = readAll(reader.openTopic("t").openTailer());
        assertEquals(60, found.size());
        assertArrayEquals(Stores.numbered(33, 5_000), found.get(33).value());
    }

    @Test
    void shouldShowWhereCursorsStandNowAndNoneThatWasOnlyAskedFor() {
        Topic topic = writer.createTopic("t", Stores.small().withPartitions(2));
        try (Appender appender = topic.partition(1).openExclusiveAppender()) {
            Stores.fill(appender, 5, 10);
        }
        openReader();
        CursorReader seen = reader.openTopic("t").cursor("c");
        assertEquals(-1, seen.offset(1));
        assertEquals(List.of(), reader.openTopic("t").cursorNames());
        assertFalse(reader.openTopic("t").hasCursor("c"));
        for (long at = 1; at <= 5; at++) {
            topic.cursor("c").commit(1, at);
            topic.cursor("c").force();
            assertEquals(at, seen.offset(1));
        }
        assertEquals(-1, seen.offset(0));
        assertEquals(List.of("c"), reader.openTopic("t").cursorNames());
        assertTrue(reader.openTopic("t").hasCursor("c"));
        topic.deleteCursor("c");
        assertEquals(-1, seen.offset(1));
        assertFalse(reader.openTopic("t").hasCursor("c"));
        assertEquals(List.of(), reader.openTopic("t").cursorNames());
    }

    @Test
    void shouldSayThatItIsNotTheOneToForceWhatAnotherWrote() {
        TopicOptions lazy =
                Stores.small()
                        .withDurability(Durability.WRITTEN)
                        .withForce(1 << 20, Duration.ofHours(1));
        Topic topic = writer.createTopic("t", lazy);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(bytes("a"));
            appender.awaitDurable(0);
            openReader();
            PartitionReader seen = reader.openTopic("t").partition(0);
            Stores.await("the mark", () -> seen.durableOffset() == 1);
            appender.append(bytes("b"));
            Stores.await("the record", () -> seen.nextOffset() == 2);
            HostedPartition hosted = HostedPartition.of(seen);
            InvalidOptionException e = assertThrows(InvalidOptionException.class, hosted::force);
            assertTrue(e.getMessage().contains("read-only"), e.getMessage());
        }
    }

    @Test
    void shouldOfferNothingThatChangesTheStore() throws Exception {
        assertEquals(
                LogReader.class, LogStoreBuilder.class.getMethod("openReadOnly").getReturnType());
        assertEquals(TopicReader.class, methodOf(LogReader.class, "openTopic").getReturnType());
        assertEquals(
                PartitionReader.class, methodOf(TopicReader.class, "partition").getReturnType());
        assertEquals(CursorReader.class, methodOf(TopicReader.class, "cursor").getReturnType());
        Map<Class<?>, String> writing =
                Map.of(
                        LogReader.class,
                        "createTopic ensureTopic deleteTopic beginTransaction openProducer"
                                + " migrate compact",
                        TopicReader.class,
                        "changeOptions updateOptions addPartitions openAppender deleteCursor",
                        PartitionReader.class,
                        "openAppender openExclusiveAppender deleteRecordsBefore force",
                        CursorReader.class,
                        "commit clear force reserve");
        writing.forEach(
                (reader, names) -> {
                    for (String name : names.split(" ")) {
                        assertNull(methodOf(reader, name), name);
                    }
                });
    }

    private static Method methodOf(Class<?> type, String name) {
        return Stream.of(type.getMethods())
                .filter(each -> each.getName().equals(name))
                .findAny()
                .orElse(null);
    }

    /** Programs that host a store may ask for what changes it. */
    @Test
    void shouldRefuseToChangeAnything() {
        Topic topic = writer.createTopic("t", Stores.small());
        topic.cursor("c");
        openReader();
        LogStore hosted = HostedStore.of(reader);
        Topic read = hosted.openTopic("t");
        List<Executable> changes =
                List.of(
                        () -> hosted.createTopic("u", Stores.small()),
                        () -> hosted.ensureTopic("t", Stores.small()),
                        () -> hosted.ensureTopic("u", Stores.small()),
                        () -> hosted.deleteTopic("t"),
                        () -> HostedStore.of(reader).newProducerId(),
                        () -> read.openAppender(),
                        () -> read.partition(0).openExclusiveAppender(),
                        () -> read.partition(0).openAppender(),
                        () -> read.partition(0).deleteRecordsBefore(0),
                        () -> read.cursor("c").commit(0, 0),
                        () -> read.cursor("c").force(),
                        () -> read.deleteCursor("c"));
        for (int i = 0; i < changes.size(); i++) {
            InvalidOptionException e =
                    assertThrows(InvalidOptionException.class, changes.get(i), "change " + i);
            assertTrue(e.getMessage().contains("read-only"), e.getMessage());
        }
        read.partition(0).force();
    }

    @Test
    void shouldNotMakeAStoreWhereThereIsNone() {
        Path nowhere = directory.resolve("nowhere");
        assertThrows(StoreOpenException.class, () -> Stores.at(nowhere, readers).openReadOnly());
        assertTrue(Files.notExists(nowhere));
    }

    @Test
    void shouldBeReadByAnotherProcessWhileItIsWritten() throws Exception {
        int count = 400;
        TopicOptions options = Stores.small().withDurability(Durability.WRITTEN);
        Topic durable = writer.createTopic("durable", Stores.small());
        Process child = ReadOnlyChild.start(directory, List.of("durable", "written"), count);
        try {
            // It waits for a topic that is not there yet.
            Topic written = writer.createTopic("written", options);
            for (Topic topic : List.of(durable, written)) {
                try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                    Batch batch = appender.newBatch();
                    for (int i = 0; i < count; i++) {
                        appender.append(batch.clear().add(Stores.numbered(i, 3_000)));
                    }
                }
            }
            List<String> said = child.inputReader().lines().toList();
            assertEquals(
                    List.of("durable: " + count + " as expected", "written: 400 as expected"),
                    said);
            assertEquals(0, child.waitFor());
        } finally {
            child.destroyForcibly();
        }
    }
}
