package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.Durability;
import io.firn.IsolationLevel;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.PoisonedException;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.TruncatedException;
import io.firn.file.FileTier;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.kafka.SourceLog;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import io.firn.open.StoreBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A read-only store, as another process opens it, whose writer truncates a replicated log. */
class TruncatedReadersTest {
    @TempDir private Path directory;
    private final ObservedMedium writers = new ObservedMedium();
    private final SourceLog source = new SourceLog(0, 1);
    private LogStore writer;
    private LogReader reader;
    private Topic topic;

    /** What a read-only store goes by. */
    enum Follows {
        ENDS,
        MARKS;

        FileMedium medium() {
            return this == ENDS
                    ? FileMedium.real()
                    : new FilterFileMedium(FileMedium.real()) {
                        @Override
                        public UUID runningSystem() {
                            return null; // so that no published end is believed
                        }
                    };
        }

        LogReader open(Path directory) {
            return builder(directory).openReadOnly();
        }

        LogStoreBuilder builder(Path directory) {
            return StoreBuilder.over(directory.resolve("store"), medium())
                    .tier(FileTier.at(Stores.tierOf(directory)).withMedium(medium()));
        }
    }

    @BeforeEach
    void open() {
        writer = Stores.at(directory, writers).open();
        TopicOptions options =
                Stores.small().withReplicated(true).withDurability(Durability.WRITTEN);
        topic = writer.createTopic("t", options);
    }

    @AfterEach
    void close() {
        writers.beforeDelete(null);
        if (reader != null) {
            reader.close();
        }
        writer.close();
    }

    private PartitionReader follow(Follows follows) {
        reader = follows.open(directory);
        return reader.openTopic("t").partition(0);
    }

    /** Adds batches of one record, of which some twenty fill a segment. */
    private void grow(int count, String name) {
        for (int i = 0; i < count; i++) {
            source.append(Compression.NONE, name + source.nextOffset() + " ".repeat(3_000));
        }
    }

    private void replicate() {
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            ReplicaTest.replicate(source, appender, 10);
        }
    }

    private void truncate(long offset) {
        ReplicaTest.truncate(source, topic, offset);
    }

    /** Whether a file is the last one of a segment that is deleted. */
    private boolean isOfSegment(Path file) {
        return file.startsWith(Stores.tierOf(directory)) && file.toString().endsWith(".deleted");
    }

    private static void awaitNext(PartitionReader partition, long next) {
        Stores.await("offset " + next, () -> partition.nextOffset() == next);
    }

    private static List<String> texts(List<StoredRecord> records) {
        return Stores.texts(records).stream().map(String::trim).toList();
    }

    /** Reads what is there, from one offset up to another. */
    private static List<String> read(PartitionReader partition, long from, long to) {
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(from);
            return texts(Stores.read(tailer, (int) (to - from)));
        }
    }

    private static List<String> names(String name, long from, long to) {
        List<String> names = new ArrayList<>();
        for (long i = from; i < to; i++) {
            names.add(name + i);
        }
        return names;
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellReadersAboveTheCut(Follows follows) {
        grow(100, "old");
        replicate();
        PartitionReader followed = follow(follows);
        awaitNext(followed, 100);
        try (Tailer above = followed.openTailer();
                Tailer atCut = followed.openTailer();
                Tailer below = followed.openTailer()) {
            BatchReader batches =
                    HostedPartition.of(followed).openBatchReader(IsolationLevel.READ_COMMITTED);
            above.seek(70);
            atCut.seek(20);
            below.seek(20);
            assertEquals(30, Stores.read(above, 30).size());
            assertEquals(10, Stores.read(atCut, 10).size());
            assertEquals(5, Stores.read(below, 5).size());
            batches.read(80, 1, true).close();
            truncate(30);
            grow(100, "new");
            replicate();
            awaitNext(followed, 130);
            TruncatedException told =
                    assertThrows(TruncatedException.class, () -> Stores.readAll(above));
            assertEquals(30, told.truncatedTo());
            assertThrows(TruncatedException.class, () -> batches.read(81, 1, true));
            above.seek(told.truncatedTo());
            assertEquals(names("new", 30, 130), texts(Stores.read(above, 100)));
            assertEquals(names("new", 30, 130), texts(Stores.read(atCut, 100)));
            assertEquals(names("old", 25, 30), texts(Stores.read(below, 5)));
            assertEquals(names("new", 30, 130), texts(Stores.read(below, 100)));
            try (BatchRun run = batches.read(81, 1, true)) {
                assertEquals(81, run.baseOffset());
            }
        }
        assertEquals(List.of(), followed.damage());
        assertEquals(0, reader.metrics().backgroundErrors());
    }

    /** The writer begins a segment where the one before ended as its reader knows it. */
    @ParameterizedTest
    @EnumSource
    void shouldTellOfSeveralTruncationsAtOnceAndOfOneThatCannotBeSeenInTheEnds(Follows follows) {
        grow(50, "old");
        replicate();
        reader =
                follows.builder(directory)
                        .invokerMode()
                        .openReadOnly(); // it does not look by itself
        PartitionReader followed = reader.openTopic("t").partition(0);
        assertEquals(50, followed.nextOffset());
        try (Tailer tailer = followed.openTailer()) {
            assertEquals(50, Stores.read(tailer, 50).size());
            truncate(20);
            grow(10, "lost");
            replicate();
            truncate(25);
            grow(30, "new");
            replicate();
            truncate(50); // another segment begins there
            grow(1, "last");
            replicate();
            TruncatedException told =
                    assertThrows(
                            TruncatedException.class,
                            () ->
                                    Stores.await(
                                            "the truncations",
                                            () -> {
                                                assertEquals(List.of(), Stores.readAll(tailer));
                                                return reader.doWork() < 0;
                                            }));
            assertEquals(20, told.truncatedTo());
            tailer.seek(20);
            assertEquals(names("lost", 20, 25), texts(Stores.read(tailer, 5)));
            assertEquals(names("new", 25, 50), texts(Stores.read(tailer, 25)));
            assertEquals(names("last", 50, 51), texts(Stores.read(tailer, 1)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindOutByASegmentThatIsMissingAtTheCut(Follows follows) {
        grow(100, "old");
        replicate();
        topic.partition(0).force();
        reader =
                follows.builder(directory)
                        .invokerMode()
                        .openReadOnly(); // it does not look by itself
        PartitionReader followed = reader.openTopic("t").partition(0);
        assertEquals(100, followed.nextOffset());
        Stores.await("three sealed segments", () -> bases().size() > 2);
        long cut = bases().get(2);
        try (Tailer tailer = followed.openTailer()) {
            tailer.seek(cut);
            truncate(cut);
            assertEquals(List.of(), Stores.readAll(tailer));
            assertEquals(cut, followed.nextOffset());
            assertEquals(List.of(), followed.damage());
            grow(10, "new");
            replicate();
            Stores.await("news", () -> reader.doWork() > 0 || followed.nextOffset() > cut);
            assertEquals(names("new", cut, cut + 10), texts(Stores.read(tailer, 10)));
        }
    }

    /** The base offsets of the sealed segments. */
    private List<Long> bases() {
        return Stores.filesIn(Stores.tierOf(directory)).stream()
                .map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(".log"))
                .map(name -> Long.parseLong(name.replace(".log", "")))
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void shouldShowNothingAboveTheCutWhileTheLogIsBeingTruncated(Follows follows) {
        grow(100, "old");
        replicate();
        PartitionReader followed = follow(follows);
        awaitNext(followed, 100);
        List<String> seen = new ArrayList<>();
        try (Tailer tailer = followed.openTailer()) {
            assertEquals(100, Stores.read(tailer, 100).size());
            writers.beforeDelete(
                    file -> {
                        if (isOfSegment(file)) {
                            awaitNext(followed, 30);
                            assertThrows(TruncatedException.class, () -> Stores.readAll(tailer));
                            try (LogReader opened = follows.open(directory)) {
                                PartitionReader another = opened.openTopic("t").partition(0);
                                seen.addAll(read(another, 0, 30));
                                assertEquals(30, another.nextOffset());
                                assertEquals(1, HostedPartition.of(another).truncations());
                            }
                            writers.beforeDelete(null);
                        }
                    });
            truncate(30);
            assertEquals(names("old", 0, 30), seen);
            grow(10, "new");
            replicate();
            tailer.seek(30);
            assertEquals(names("new", 30, 40), texts(Stores.read(tailer, 10)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellOfATruncationThatACrashInterrupted(Follows follows) throws IOException {
        grow(100, "old");
        replicate();
        PartitionReader followed = follow(follows);
        awaitNext(followed, 100);
        try (Tailer tailer = followed.openTailer()) {
            assertEquals(100, Stores.read(tailer, 100).size());
            int[] deletions = {0};
            writers.beforeDelete(
                    file -> {
                        if (isOfSegment(file) && deletions[0]++ > 0) {
                            throw new IOException("made to fail");
                        }
                    });
            assertThrows(PoisonedException.class, () -> truncate(30));
            writers.beforeDelete(null);
            TruncatedException told =
                    assertThrows(
                            TruncatedException.class,
                            () ->
                                    Stores.await(
                                            "the truncation",
                                            () -> Stores.readAll(tailer).isEmpty() && false));
            assertEquals(30, told.truncatedTo());
            assertEquals(30, followed.nextOffset());
            writer.close();
            writer = Stores.at(directory, writers).open();
            topic = writer.openTopic("t");
            long left = topic.partition(0).nextOffset();
            assertTrue(left > 30 && left < 100, "it ends at " + left);
            assertEquals(1, HostedPartition.of(topic.partition(0)).truncations());
            awaitNext(followed, left);
            tailer.seek(30);
            assertEquals(names("old", 30, left), texts(Stores.read(tailer, (int) (left - 30))));
            source.truncate(left).epoch(7);
            grow(5, "new");
            replicate();
            assertEquals(names("new", left, left + 5), texts(Stores.read(tailer, 5)));
        }
        assertEquals(List.of(), writer.findings());
    }

    /** Its count would not tell a reader that what it saw above the cut is withdrawn. */
    @Test
    void shouldNeverShowWhatIsAboveTheCutOfATopicThatItFindsInTheMiddleOfATruncation() {
        AtomicReference<Runnable> onOpen = new AtomicReference<>(() -> {});
        FileMedium readers =
                new FilterFileMedium(Follows.MARKS.medium()) {
                    @Override
                    public MediumFile open(Path file, boolean writable) throws IOException {
                        if (file.getFileName().toString().equals("truncated-0")) {
                            onOpen.getAndSet(() -> {}).run();
                        }
                        return super.open(file, writable);
                    }
                };
        reader = Stores.at(directory, readers).invokerMode().openReadOnly();
        topic =
                writer.createTopic(
                        "late",
                        Stores.small().withReplicated(true).withDurability(Durability.WRITTEN));
        grow(100, "old");
        replicate();
        writers.beforeDelete(
                file -> {
                    if (isOfSegment(file)) {
                        throw new IOException("made to fail");
                    }
                });
        assertThrows(PoisonedException.class, () -> truncate(30));
        List<Long> seen = new ArrayList<>();
        onOpen.set(
                () -> {
                    PartitionReader late = reader.openTopic("late").partition(0);
                    HostedPartition.of(late).addVisibleListener(() -> seen.add(late.nextOffset()));
                });
        Stores.await("the topic", () -> reader.doWork() >= 0 && !seen.isEmpty());
        for (long end : seen) {
            assertTrue(end <= 30, "it ended at " + seen);
        }
        assertEquals(names("old", 0, 30), read(reader.openTopic("late").partition(0), 0, 30));
    }

    @ParameterizedTest
    @EnumSource
    void shouldShowOfTransactionsWhatIsLeftOfThem(Follows follows) {
        source.transactional(7, 0, "first");
        source.append(Compression.NONE, "between");
        long cut = source.nextOffset();
        source.marker(7, true);
        replicate();
        PartitionReader followed = follow(follows);
        assertEquals(List.of("first", "between"), read(followed, 0, 2));
        truncate(cut);
        Stores.await("the truncation", () -> HostedPartition.of(followed).truncations() == 1);
        assertEquals(0, followed.visibleOffset());
        source.marker(7, false);
        replicate();
        Stores.await("the marker", () -> followed.visibleOffset() == cut + 1);
        try (Tailer tailer = followed.openTailer()) {
            assertEquals(List.of("between"), texts(Stores.readAll(tailer)));
        }
    }

    @Test
    void shouldSayWhatIsGoneToWhomeverKeepsOffsetsElsewhere() throws IOException {
        grow(60, "old");
        replicate();
        Partition partition = topic.partition(0);
        assertEquals(0, HostedPartition.of(partition).truncations());
        truncate(40);
        grow(40, "new");
        replicate();
        truncate(50);
        truncate(45);
        for (int i = 0; i < 2; i++) {
            assertEquals(3, HostedPartition.of(topic.partition(0)).truncations());
            assertEquals(40, HostedPartition.of(topic.partition(0)).truncatedSince(0));
            assertEquals(45, HostedPartition.of(topic.partition(0)).truncatedSince(1));
            assertEquals(45, HostedPartition.of(topic.partition(0)).truncatedSince(2));
            assertEquals(Long.MAX_VALUE, HostedPartition.of(topic.partition(0)).truncatedSince(3));
            assertEquals(0, HostedPartition.of(topic.partition(0)).truncatedSince(4));
            writer.close();
            writer = Stores.at(directory, writers).open();
            topic = writer.openTopic("t");
        }
        writer.close();
        List<Path> notes =
                Stores.filesIn(directory).stream()
                        .filter(file -> file.getFileName().toString().startsWith("truncated-"))
                        .toList();
        assertEquals(1, notes.size());
        Files.writeString(notes.get(0), "damaged");
        writer = Stores.at(directory, writers).open();
        topic = writer.openTopic("t");
        assertEquals(0, HostedPartition.of(topic.partition(0)).truncatedSince(3));
        assertEquals(1, writer.findings().size(), writer.findings().toString());
    }

    @Test
    void shouldSendATailerAtACursorBackToTheCut() {
        grow(60, "old");
        replicate();
        PartitionReader followed = follow(Follows.ENDS);
        awaitNext(followed, 60);
        topic.cursor("mine").commit(0, 50);
        topic.cursor("mine").force();
        try (Tailer tailer = followed.openTailer()) {
            tailer.seekTo(reader.openTopic("t").cursor("mine"));
            assertEquals(50, tailer.offset());
            truncate(20);
            grow(60, "new");
            replicate();
            awaitNext(followed, 80);
            assertThrows(TruncatedException.class, () -> Stores.readAll(tailer));
            tailer.seekTo(reader.openTopic("t").cursor("mine"));
            assertEquals(names("new", 20, 80), texts(Stores.read(tailer, 60)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldNeverTakeOtherRecordsForThoseThatItHasReadInAnotherProcess(Follows follows)
            throws Exception {
        Random random = new Random(16);
        grow(TruncatedReadersChild.READY_AT, "r0-");
        replicate();
        Process child = TruncatedReadersChild.start(directory, follows.name());
        try (BufferedReader output = child.inputReader()) {
            assertEquals(TruncatedReadersChild.READY, output.readLine());
            for (int round = 1; round <= 60; round++) {
                int back = 1 + random.nextInt(random.nextInt(3) == 0 ? 60 : 10);
                truncate(Math.max(0, source.nextOffset() - back));
                grow(1 + random.nextInt(30), "r" + round + "-");
                replicate();
                Thread.sleep(random.nextInt(3) == 0 ? 0 : random.nextInt(20));
            }
            source.append(Compression.NONE, TruncatedReadersChild.END);
            replicate();
            List<String> lines = output.lines().toList();
            List<String> expected = read(topic.partition(0), 0, source.nextOffset());
            assertEquals(expected, lines.subList(0, lines.size() - 1));
            int told = Integer.parseInt(lines.get(lines.size() - 1).replace("told ", ""));
            assertTrue(told > 0, "it was never told");
        } finally {
            child.destroyForcibly().waitFor();
        }
    }
}
