package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.read;
import static io.firn.api.Stores.texts;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.PartitionReader;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.host.HostedPartition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A read-only store that reads the ends that the writer publishes. Marks are written once in an
 * hour here, so nobody learns from them.
 */
class PublishedOffsetsTest {
    private static final Duration FOR_EVER = Duration.ofDays(1);

    @TempDir private Path directory;
    private final ObservedMedium writers = new ObservedMedium();
    private LogStore writer;
    private LogReader reader;

    @BeforeEach
    void open() {
        writer = store().open();
    }

    private LogStoreBuilder store() {
        return Stores.at(directory, writers).markInterval(Duration.ofHours(1));
    }

    @AfterEach
    void close() {
        if (reader != null) {
            reader.close();
        }
        writer.close();
    }

    private PartitionReader follow(String topic) {
        if (reader == null) {
            // In invoker mode it looks at nothing by itself.
            reader = Stores.at(directory).invokerMode().openReadOnly();
        }
        return reader.openTopic(topic).partition(0);
    }

    private Path ends() {
        return directory.resolve("store").resolve("ends");
    }

    private static TopicOptions lazy() {
        return Stores.small()
                .withDurability(Durability.WRITTEN)
                .withForce(1 << 30, Duration.ofHours(1));
    }

    @ParameterizedTest
    @EnumSource
    void shouldShowEachRecordAtOnceAcrossRolls(Durability durability) {
        Topic topic =
                writer.createTopic("t", durability == Durability.WRITTEN ? lazy() : Stores.small());
        PartitionReader followed = follow("t");
        Tailer tailer = followed.openTailer();
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 500; i++) {
                assertEquals(0, tailer.poll(record -> Action.CONTINUE, 1));
                appender.append(Stores.numbered(i, 1_000));
                assertEquals(i + 1, followed.visibleOffset());
                assertShows(tailer, i, 1_000);
            }
        }
        assertTrue(topic.partition(0).metrics().rolls() > 5);
        assertEquals(List.of(), followed.damage());
        assertEquals(0, reader.metrics().backgroundErrors());
    }

    /** Without waiting. */
    private static void assertShows(Tailer tailer, int number, int length) {
        List<StoredRecord> found = new ArrayList<>();
        tailer.poll(
                record -> {
                    found.add(record.copy());
                    return Action.CONTINUE;
                },
                10);
        assertEquals(1, found.size(), "records at " + number);
        assertEquals(number, found.get(0).offset());
        assertArrayEquals(Stores.numbered(number, length), found.get(0).value());
    }

    @Test
    void shouldNeverShowAnEndBeforeTheBytesBelowIt() throws Exception {
        int count = 30_000;
        Topic topic =
                writer.createTopic(
                        "t", lazy().withSegmentBytes(1 << 20).withMaxRecordBytes(16_000));
        PartitionReader followed = follow("t");
        AtomicInteger next = new AtomicInteger();
        Stores.Task<Integer> tail =
                Stores.start(
                        () -> {
                            Tailer tailer = followed.openTailer();
                            while (next.get() < count) {
                                tailer.poll(record -> look(record, next), 10);
                            }
                            return next.get();
                        });
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(Stores.numbered(i, lengthOf(i)));
                // So that the reader stands at the end at most appends, if it has a processor.
                for (int spins = 0; spins < 2_000 && next.get() <= i; spins++) {
                    Thread.onSpinWait();
                }
            }
            assertEquals(count, tail.result());
        }
        assertEquals(List.of(), followed.damage());
    }

    /** Some are stored, and some are written by calls. */
    private static int lengthOf(int number) {
        return 10 + number % 7 * 1_500;
    }

    private static Action look(io.firn.LogRecord record, AtomicInteger next) {
        int number = next.get();
        assertEquals(number, record.offset());
        assertArrayEquals(Stores.numbered(number, lengthOf(number)), record.copy().value());
        next.incrementAndGet();
        return Action.CONTINUE;
    }

    @Test
    void shouldFindAllSegmentsThatWereBegunSinceTheLastLook() {
        Topic topic = writer.createTopic("t", lazy());
        PartitionReader followed = follow("t");
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 600; i++) {
                appender.append(Stores.numbered(i, 1_000));
            }
            assertTrue(topic.partition(0).metrics().rolls() > 5);
            Tailer tailer = followed.openTailer();
            Stores.await("the end", () -> followed.visibleOffset() == 600);
            List<StoredRecord> found = Stores.readAll(tailer);
            assertEquals(600, found.size());
            for (int i = 0; i < 600; i++) {
                assertArrayEquals(Stores.numbered(i, 1_000), found.get(i).value());
            }
        }
    }

    @Test
    void shouldShowADurableTopicsRecordsOnlyWhenTheyAreForced() {
        Topic topic = writer.createTopic("t", Stores.small());
        PartitionReader followed = follow("t");
        Tailer tailer = followed.openTailer();
        Gate forcing = new Gate();
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(bytes("forced"));
            assertEquals(List.of("forced"), texts(Stores.readAll(tailer)));
            forcing.shut();
            writers.beforeForce(forcing);
            appender.tryAppend(new UnsafeBuffer(bytes("not yet")), 0, 7);
            Stores.await("the force", () -> forcing.held() > 0);
            assertEquals(2, topic.partition(0).nextOffset());
            assertEquals(1, followed.visibleOffset());
            assertEquals(List.of(), Stores.readAll(tailer));
            forcing.open();
            Stores.await("the end of the force", () -> topic.partition(0).durableOffset() == 2);
            assertEquals(List.of("not yet"), texts(Stores.readAll(tailer)));
        }
    }

    @Test
    void shouldTellATailerOverManyPartitionsWhichHaveNews() {
        Topic topic = writer.createTopic("t", lazy().withPartitions(20));
        follow("t");
        Tailer tailer = reader.openTopic("t").openTailer();
        for (int i = 0; i < 200; i++) {
            try (Appender appender = topic.partition(i * 7 % 20).openExclusiveAppender()) {
                appender.append(bytes("r" + i));
            }
            assertEquals(List.of("r" + i), texts(Stores.readAll(tailer)));
        }
    }

    @Test
    void shouldTellAListenerInAStoreWithThreads() {
        Topic topic = writer.createTopic("t", lazy());
        reader = Stores.at(directory).openReadOnly();
        AtomicLong seen = new AtomicLong();
        PartitionReader followed = reader.openTopic("t").partition(0);
        HostedPartition.of(followed).addVisibleListener(() -> seen.set(followed.visibleOffset()));
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(bytes("a"));
            appender.append(bytes("b"));
            Stores.await("the listener to be told", () -> seen.get() == 2);
        }
    }

    @Test
    void shouldEndTheLongWaitOfATailerWhenThereIsARecordOrNoTopicOrNoStore() throws Exception {
        TopicOptions options = lazy().withPartitions(3);
        Topic topic = writer.createTopic("t", options);
        writer.createTopic("deleted", options);
        reader = Stores.at(directory).openReadOnly();
        Waiting one = new Waiting(reader.openTopic("t").partition(1).openTailer());
        Waiting all = new Waiting(reader.openTopic("t").openTailer());
        Waiting deleted = new Waiting(reader.openTopic("deleted").openTailer());
        Waiting none = new Waiting(reader.openTopic("t").partition(0).openTailer());
        for (Waiting each : List.of(one, all, deleted, none)) {
            Stores.await("it to wait long", each::waitsLong);
        }

        try (Appender appender = topic.partition(1).openExclusiveAppender()) {
            appender.append(bytes("a"));
        }
        writer.deleteTopic("deleted");

        assertEquals("1", one.outcome());
        assertEquals("1", all.outcome());
        assertEquals("UnknownTopicException", deleted.outcome());
        assertTrue(none.waitsLong());

        reader.close();

        assertEquals("ClosedException", none.outcome());
    }

    /** A thread in a poll without end. */
    private static final class Waiting {
        private final AtomicReference<String> outcome = new AtomicReference<>();
        private final Thread thread;

        Waiting(Tailer tailer) {
            thread =
                    new Thread(
                            () -> {
                                try {
                                    outcome.set("" + tailer.forEach(r -> {}, 10, FOR_EVER));
                                } catch (RuntimeException e) {
                                    outcome.set(e.getClass().getSimpleName());
                                }
                            });
            thread.setDaemon(true);
            thread.start();
        }

        /** Whether another thread looks for it. */
        boolean waitsLong() {
            Object parkedAt = LockSupport.getBlocker(thread);
            return parkedAt != null && parkedAt.getClass().getSimpleName().equals("LongWaits");
        }

        String outcome() throws InterruptedException {
            Stores.await("its end", () -> !thread.isAlive());
            return outcome.get();
        }
    }

    @Test
    void shouldFollowOneTopicAfterTheOtherInTheSamePlace() {
        reader = Stores.at(directory).openReadOnly();
        for (int i = 0; i < 30; i++) {
            Topic topic = writer.createTopic("t", lazy());
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                for (int n = 0; n <= i; n++) {
                    appender.append(bytes(i + "-" + n));
                }
                Stores.await("the new topic", () -> reader.openTopic("t").id().equals(topic.id()));
                Tailer tailer = reader.openTopic("t").openTailer();
                List<String> texts = texts(read(tailer, i + 1));
                assertEquals(i + "-0", texts.get(0));
                assertEquals(i + "-" + i, texts.get(i));
            }
            writer.deleteTopic("t");
        }
    }

    @Test
    void shouldFollowMarksWhenTheFileIsRemoved() throws IOException {
        writer.close();
        writer = Stores.at(directory, writers).markInterval(Duration.ofMillis(5)).open();
        Topic topic = writer.createTopic("t", Stores.small());
        reader = Stores.at(directory).openReadOnly();
        PartitionReader followed = reader.openTopic("t").partition(0);
        Tailer tailer = followed.openTailer();
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(bytes("a"));
            assertEquals(List.of("a"), texts(read(tailer, 1)));
            Files.delete(ends());
            appender.append(bytes("b"));
            assertEquals(List.of("b"), texts(read(tailer, 1)));
            Stores.await("marks to be followed", () -> isFollowedByMarks(appender, tailer));
        }
    }

    /** Marks are not written here, so only a file that was made again shows the last record. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldMakeTheFileAgainWhenItIsRemovedOrReplaced(boolean isReplaced) throws IOException {
        Topic topic = writer.createTopic("t", Stores.small());
        reader = Stores.at(directory).openReadOnly();
        Tailer tailer = reader.openTopic("t").openTailer();
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(bytes("a"));
            assertEquals(List.of("a"), texts(read(tailer, 1)));
            Files.delete(ends());
            if (isReplaced) {
                Files.write(ends(), new byte[200_000]);
            }
            Stores.await(
                    "the finding",
                    () -> writer.findings().toString().contains("it was made again"));
            appender.append(bytes("b"));
            assertEquals(List.of("b"), texts(read(tailer, 1)));
        }
        writer.createTopic("later", Stores.small());
        Stores.await("the next topic", () -> reader.topicNames().contains("later"));
    }

    private static boolean isFollowedByMarks(Appender appender, Tailer tailer) {
        appender.append(bytes("c"));
        return texts(read(tailer, 1)).equals(List.of("c"));
    }

    @Test
    void shouldLeaveNoFileWhenTheStoreIsClosed() {
        assertTrue(Files.exists(ends()));
        writer.close();
        assertFalse(Files.exists(ends()));
        open();
    }
}
