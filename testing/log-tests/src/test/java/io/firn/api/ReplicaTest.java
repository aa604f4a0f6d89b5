package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.BusyException;
import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerLoop;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.TruncatedException;
import io.firn.UnexpectedOffsetException;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.EpochEnd;
import io.firn.host.HostedPartition;
import io.firn.host.InvalidBatchException;
import io.firn.host.ReplicaAppender;
import io.firn.host.ReplicatedTopicException;
import io.firn.kafka.SourceLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A partition that has the same batches as a partition of another log. */
class ReplicaTest {
    @TempDir private Path directory;
    private LogStore store;

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    private static TopicOptions options() {
        return Stores.small().withReplicated(true);
    }

    private Topic create(TopicOptions options) {
        store = Stores.at(directory).open();
        return store.createTopic("t", options);
    }

    private Topic reopen() {
        store.close();
        store = Stores.at(directory).open();
        return store.openTopic("t");
    }

    /** Appends all batches of a source that are missing, at most so many at a time. */
    static void replicate(SourceLog source, ReplicaAppender appender, int most) {
        Stores.await(
                "the end of the source",
                () -> {
                    long next = appender.nextOffset();
                    appender.append(source.fetch(next, most));
                    return appender.nextOffset() >= source.nextOffset();
                });
        appender.force();
    }

    /** Truncates a copy and its source, which goes on with another leader. */
    static void truncate(SourceLog source, Topic topic, long offset) {
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            appender.truncate(offset);
        }
        source.truncate(offset).epoch(source.epoch() + 1);
    }

    /** Checks that the batches of a source are in a partition, byte for byte. */
    static void assertHolds(SourceLog source, Partition partition) {
        BatchReader reader =
                HostedPartition.of(partition).openBatchReader(IsolationLevel.READ_UNCOMMITTED);
        for (SourceLog.Stored stored : source.batches()) {
            try (BatchRun run = reader.read(stored.base(), 1, true)) {
                byte[] found = new byte[run.bytes().remaining()];
                run.bytes().get(found);
                assertArrayEquals(stored.bytes(), found, "the batch at " + stored.base());
            }
        }
        assertEquals(source.nextOffset(), partition.nextOffset());
    }

    private static SourceLog mixed() {
        SourceLog source = new SourceLog(0, 3);
        for (int i = 0; i < 400; i++) {
            source.append(
                    Compression.values()[i % Compression.values().length], random(i), "b" + i);
            if (i % 7 == 0) {
                source.append(Compression.NONE, 4711, i, "c" + i);
            }
            if (i % 100 == 99) {
                source.epoch(source.epoch() + 2);
            }
        }
        return source;
    }

    private static String random(int i) {
        byte[] random = new byte[600];
        new Random(i).nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    @ParameterizedTest
    @EnumSource
    void shouldHoldTheBatchesOfTheSourceByteForByteAlsoAfterReopen(Durability durability) {
        SourceLog source = mixed();
        Topic topic = create(options().withDurability(durability));
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 10);
            assertEquals(9, appender.lastEpoch());
        }
        assertTrue(topic.partition(0).metrics().segments() > 2);
        assertHolds(source, topic.partition(0));
        assertHolds(source, reopen().partition(0));
        source.append(Compression.NONE, "more");
        try (ReplicaAppender appender =
                HostedPartition.of(store.openTopic("t").partition(0)).openReplicaAppender()) {
            replicate(source, appender, 10);
        }
        assertHolds(source, reopen().partition(0));
        assertEquals(List.of(), store.openTopic("t").partition(0).damage());
    }

    @Test
    void shouldAnswerWhereEpochsEndAlsoAfterReopen() {
        SourceLog source = new SourceLog(0, 5).append(Compression.NONE, "a", "b");
        source.epoch(8).append(Compression.NONE, "c").append(Compression.NONE, "d");
        Topic topic = create(options());
        for (int i = 0; i < 3; i++) {
            try (ReplicaAppender appender =
                    HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
                replicate(source, appender, 1);
                assertEquals(8, appender.lastEpoch());
                assertEquals(new EpochEnd(-1, -1), appender.endOfEpoch(4));
                assertEquals(new EpochEnd(5, 2), appender.endOfEpoch(5));
                assertEquals(new EpochEnd(5, 2), appender.endOfEpoch(7));
                assertEquals(new EpochEnd(8, 4), appender.endOfEpoch(8));
                assertEquals(new EpochEnd(8, 4), appender.endOfEpoch(100));
            }
            topic = reopen();
        }
    }

    @Test
    void shouldCoverMissingOffsetsByFillers() {
        SourceLog source = new SourceLog(0, 1).append(Compression.NONE, "a");
        source.gap(5).append(Compression.NONE, "b").gap(3_000_000_000L);
        source.append(Compression.NONE, "c");
        Topic topic = create(options());
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 10);
            Stores.await(
                    "the fillers",
                    () -> {
                        appender.fillTo(source.nextOffset() + 10);
                        return appender.nextOffset() == source.nextOffset() + 10;
                    });
            appender.force();
        }
        Partition partition = topic.partition(0);
        assertEquals(source.nextOffset() + 10, partition.nextOffset());
        assertEquals(List.of("a", "b", "c"), texts(partition, IsolationLevel.READ_COMMITTED));
        partition = reopen().partition(0);
        assertEquals(List.of("a", "b", "c"), texts(partition, IsolationLevel.READ_COMMITTED));
        assertEquals(source.nextOffset() + 10, partition.nextOffset());
        assertEquals(List.of(), partition.damage());
    }

    private static List<String> texts(Partition partition, IsolationLevel isolation) {
        return Stores.texts(
                Stores.readAll(
                        partition
                                .topic()
                                .openTailer(
                                        TailerOptions.defaults()
                                                .withIsolation(isolation)
                                                .withPartitions(partition.index()))));
    }

    @Test
    void shouldBeginWhereTheSourceBegins() {
        long start = 5_000_000_000_000L;
        SourceLog source = new SourceLog(start, 1).append(Compression.NONE, "a", "b");
        Topic topic = create(options().withPartitions(2));
        try (ReplicaAppender appender =
                        HostedPartition.of(topic.partition(0)).openReplicaAppender();
                ReplicaAppender other =
                        HostedPartition.of(topic.partition(1)).openReplicaAppender()) {
            replicate(source, appender, 10);
            other.fillTo(start);
            assertEquals(start, other.nextOffset());
        }
        for (int i = 0; i < 2; i++) {
            Partition partition = topic.partition(0);
            assertEquals(start, partition.logStartOffset());
            assertEquals(List.of("a", "b"), texts(partition, IsolationLevel.READ_COMMITTED));
            assertEquals(1, partition.metrics().segments());
            assertEquals(start, topic.partition(1).logStartOffset());
            assertEquals(start, topic.partition(1).nextOffset());
            assertEquals(start, topic.partition(1).durableOffset());
            topic = reopen();
        }
        try (ReplicaAppender other = HostedPartition.of(topic.partition(1)).openReplicaAppender()) {
            replicate(source, other, 10);
        }
        assertEquals(
                List.of("a", "b"), texts(reopen().partition(1), IsolationLevel.READ_COMMITTED));
    }

    @Test
    void shouldShowOfTransactionsWhatTheMarkersOfTheSourceSay() {
        SourceLog source = new SourceLog(0, 1);
        source.transactional(1, 0, "aborted").transactional(2, 0, "committed");
        source.marker(1, false).append(Compression.NONE, "plain").marker(2, true);
        source.transactional(3, 0, "open").append(Compression.NONE, "behind");
        Topic topic = create(options());
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 2);
        }
        for (int i = 0; i < 3; i++) {
            Partition partition = topic.partition(0);
            assertEquals(
                    List.of("committed", "plain"), texts(partition, IsolationLevel.READ_COMMITTED));
            assertEquals(
                    List.of("aborted", "committed", "plain", "open", "behind"),
                    texts(partition, IsolationLevel.READ_UNCOMMITTED));
            assertEquals(5, partition.visibleOffset(IsolationLevel.READ_COMMITTED));
            assertEquals(1, HostedPartition.of(partition).abortedTransactions(0, 5).size());
            topic = reopen();
        }
        assertEquals(7, topic.partition(0).nextOffset(), "nobody here ends the open one");
        source.marker(3, true);
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 2);
        }
        assertEquals(
                List.of("committed", "plain", "open", "behind"),
                texts(topic.partition(0), IsolationLevel.READ_COMMITTED));
    }

    @Test
    void shouldRefuseWhatOnlyTheSourceDecides() {
        Topic topic = create(options());
        Partition partition = topic.partition(0);
        assertThrows(ReplicatedTopicException.class, partition::openExclusiveAppender);
        assertThrows(ReplicatedTopicException.class, partition::openAppender);
        assertThrows(ReplicatedTopicException.class, topic::openAppender);
        assertThrows(
                ReplicatedTopicException.class,
                () -> store.compact("t", 0, io.firn.LogStore.MoveControl.UNLIMITED));
        try (Transaction tx = store.beginTransaction()) {
            assertThrows(
                    ReplicatedTopicException.class,
                    () -> tx.append(partition, topic.newBatch().add(Stores.bytes("x"))));
        }
        assertThrows(
                InvalidOptionException.class, () -> options().withCleanup(CleanupPolicy.COMPACT));
        assertThrows(
                InvalidOptionException.class,
                () -> topic.changeOptions(topic.options().withReplicated(false)));
        Topic local = store.createTopic("local", Stores.small());
        assertThrows(
                ReplicatedTopicException.class,
                () -> HostedPartition.of(local.partition(0)).openReplicaAppender());
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            assertThrows(
                    BusyException.class,
                    () -> HostedPartition.of(topic.partition(0)).openReplicaAppender());
            assertEquals(0, appender.nextOffset());
        }
    }

    @Test
    void shouldRefuseBatchesThatDoNotContinueTheLog() {
        SourceLog source = new SourceLog(0, 4).append(Compression.NONE, "a", "b");
        Topic topic = create(options());
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 10);
            assertThrows(
                    UnexpectedOffsetException.class, () -> appender.append(source.fetch(0, 1)));
            assertThrows(UnexpectedOffsetException.class, () -> appender.fillTo(1));
            SourceLog older = new SourceLog(2, 3).append(Compression.NONE, "c");
            assertThrows(InvalidBatchException.class, () -> appender.append(older.fetch(2, 1)));
            ByteBuffer torn = new SourceLog(2, 4).append(Compression.NONE, "c").fetch(2, 1);
            torn.limit(torn.limit() - 1);
            assertThrows(InvalidBatchException.class, () -> appender.append(torn));
            torn.limit(torn.limit() + 1).put(torn.limit() - 1, (byte) 99);
            assertThrows(InvalidBatchException.class, () -> appender.append(torn));
            assertEquals(2, appender.nextOffset());
        }
        assertHolds(source, topic.partition(0));
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndWhereItWasTruncatedAndGoOnWithOtherBatches(Durability durability) {
        for (long cut : new long[] {0, 1, 399, 400, 401, 700, 805, 806, 857}) {
            SourceLog source = mixed();
            Topic topic = create(options().withDurability(durability));
            try (ReplicaAppender appender =
                    HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
                replicate(source, appender, 100);
                appender.truncate(cut);
                source.truncate(cut);
                assertEquals(source.nextOffset(), appender.nextOffset(), "cut at " + cut);
                assertEquals(lastEpochOf(source), appender.lastEpoch());
                assertHolds(source, topic.partition(0));
                source.epoch(20).append(Compression.NONE, "other").append(Compression.GZIP, "o");
                replicate(source, appender, 1);
            }
            assertHolds(source, topic.partition(0));
            assertHolds(source, reopen().partition(0));
            assertEquals(List.of(), store.openTopic("t").partition(0).damage());
            store.deleteTopic("t");
            store.close();
        }
    }

    private static int lastEpochOf(SourceLog source) {
        return source.batches().stream().mapToInt(SourceLog.Stored::epoch).max().orElse(-1);
    }

    @Test
    void shouldTellReadersAboveTheCut() {
        SourceLog source = mixed();
        Topic topic = create(options().withPartitions(2));
        try (ReplicaAppender appender =
                        HostedPartition.of(topic.partition(0)).openReplicaAppender();
                Tailer above = topic.openTailer(TailerOptions.defaults().withPartitions(0));
                Tailer below = topic.openTailer(TailerOptions.defaults().withPartitions(0));
                Tailer ofBoth = topic.openTailer()) {
            replicate(source, appender, 100);
            above.seek(500);
            below.seek(299);
            ofBoth.seek(0, 500);
            BatchReader batches =
                    HostedPartition.of(topic.partition(0))
                            .openBatchReader(IsolationLevel.READ_COMMITTED);
            BatchRun run = batches.read(500, 1, true);
            run.close();
            assertEquals(1, Stores.read(above, 1).size());
            assertEquals(1, Stores.read(ofBoth, 1).size());
            appender.truncate(300);
            source.truncate(300).epoch(20);
            long end = source.nextOffset();
            for (int i = 0; i < 500; i++) {
                source.append(Compression.NONE, "other " + i);
            }
            replicate(source, appender, 100);
            for (Tailer each : List.of(above, ofBoth)) {
                TruncatedException told =
                        assertThrows(TruncatedException.class, () -> Stores.readAll(each));
                assertEquals(end, told.truncatedTo());
                each.seek(0, told.truncatedTo());
                assertEquals("other 0", Stores.texts(Stores.read(each, 1)).get(0));
            }
            long next = run.nextOffset();
            assertThrows(TruncatedException.class, () -> batches.read(next, 1, true));
            batches.read(next, 1, true).close();
            Stores.readAll(below);
            assertEquals(source.nextOffset(), below.offset());
        }
    }

    @Test
    void shouldTruncateAlthoughAReaderHoldsWhatIsCutOff() throws Exception {
        SourceLog source = mixed();
        Topic topic = create(options());
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 100);
            BatchReader batches =
                    HostedPartition.of(topic.partition(0))
                            .openBatchReader(IsolationLevel.READ_COMMITTED);
            BatchReader ofLast =
                    HostedPartition.of(topic.partition(0))
                            .openBatchReader(IsolationLevel.READ_COMMITTED);
            BatchRun run = batches.read(301, 1, true);
            BatchRun last = ofLast.read(source.nextOffset() - 1, 1, true);
            byte[] before = bytes(run);
            byte[] lastBefore = bytes(last);
            appender.truncate(300);
            assertEquals(300, appender.nextOffset());
            source.truncate(300).epoch(20);
            source.append(Compression.NONE, "other");
            replicate(source, appender, 100);
            assertArrayEquals(before, bytes(run));
            assertArrayEquals(lastBefore, bytes(last));
            assertHolds(source, topic.partition(0));
            long next = run.nextOffset();
            run.close();
            last.close();
            assertThrows(TruncatedException.class, () -> batches.read(next, 1, true));
        }
        long size = segmentBytes();
        assertHolds(source, reopen().partition(0));
        assertTrue(segmentBytes() < size, "the bytes behind the cut stay");
    }

    private static byte[] bytes(BatchRun run) {
        byte[] bytes = new byte[run.bytes().remaining()];
        run.bytes().duplicate().get(bytes);
        return bytes;
    }

    /** Returns the bytes of sealed segments, but for those of the sidecars. */
    private long segmentBytes() {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldTellAReaderWhoseHandlerIsSlow() {
        SourceLog source = mixed();
        Topic topic = create(options());
        try (ReplicaAppender appender =
                        HostedPartition.of(topic.partition(0)).openReplicaAppender();
                Tailer tailer = topic.openTailer(TailerOptions.defaults().withPartitions(0))) {
            replicate(source, appender, 100);
            tailer.seek(500); // in a segment that is deleted
            List<Long> offsets = new ArrayList<>();
            assertThrows(
                    TruncatedException.class,
                    () ->
                            tailer.forEach(
                                    record -> {
                                        offsets.add(record.offset());
                                        if (offsets.size() == 1) {
                                            appender.truncate(300);
                                        }
                                    },
                                    100));
            // Batches of one record that follow each other are handed out together.
            assertTrue(offsets.size() < 10, offsets.toString());
        }
    }

    @Test
    void shouldReadUpToTheCutWhereItIsMadeMeanwhile() {
        SourceLog source = mixed();
        Topic topic = create(options());
        try (ReplicaAppender appender =
                        HostedPartition.of(topic.partition(0)).openReplicaAppender();
                Tailer tailer = topic.openTailer(TailerOptions.defaults().withPartitions(0))) {
            replicate(source, appender, 100);
            long cut = source.truncate(300).nextOffset();
            tailer.seek(cut - 3);
            List<Long> offsets = new ArrayList<>();
            var handler =
                    new Object() {
                        void take(long offset) {
                            if (offsets.isEmpty()) {
                                appender.truncate(300);
                            }
                            offsets.add(offset);
                        }
                    };
            tailer.forEach(record -> handler.take(record.offset()), 100);
            assertEquals(cut, tailer.offset());
            assertEquals(cut - 3, offsets.get(0));
            assertEquals(cut - 1, offsets.get(offsets.size() - 1));
            assertEquals(0, tailer.forEach(record -> handler.take(record.offset()), 100));
            assertEquals(List.of(), topic.partition(0).damage());
        }
    }

    @Test
    void shouldMoveCursorsBackToTheCut() {
        SourceLog source = new SourceLog(0, 1);
        for (int i = 0; i < 10; i++) {
            source.append(Compression.NONE, "value " + i);
        }
        Topic topic = create(options());
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 100);
            topic.cursor("above").commit(0, 8);
            topic.cursor("above").force();
            topic.cursor("below").commit(0, 3);
            topic.cursor("back").commit(0, 9);
            topic.cursor("back").force();
            topic.cursor("back").commit(0, 2);
            appender.truncate(5);
        }
        for (int i = 0; i < 2; i++) {
            assertEquals(5, topic.cursor("above").offset(0));
            assertEquals(3, topic.cursor("below").offset(0));
            assertEquals(2, topic.cursor("back").offset(0));
            topic = reopen();
        }
    }

    /** Replicates eight batches, has them read, and replaces those from 3 on by six others. */
    private static void replaceWhatIsRead(Topic topic, Runnable read) {
        SourceLog source = new SourceLog(0, 1);
        for (int i = 0; i < 14; i++) {
            if (i == 8) {
                replicate(source, topic);
                read.run();
                truncate(source, topic, 3);
            }
            source.append(Compression.NONE, "value " + i);
        }
        replicate(source, topic);
    }

    private static void replicate(SourceLog source, Topic topic) {
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 100);
        }
    }

    @Test
    void shouldNotMoveACursorPastWhatHasReplacedTheRecordsThatWereHandled() {
        Topic topic = create(options());
        TailerOptions seldom = TailerOptions.at("c").withCommitEvery(1_000);
        try (Tailer tailer = topic.openTailer(seldom)) {
            replaceWhatIsRead(topic, () -> assertEquals(8, tailer.forEach(record -> {}, 100)));
            assertThrows(TruncatedException.class, () -> tailer.forEach(record -> {}, 100));
        }
        assertEquals(3, topic.cursor("c").offset(0));
    }

    /** No poll has told it of the truncation. */
    @Test
    void shouldNotMoveACursorPastATruncationOfWhichItsTailerDoesNotKnow() {
        Topic topic = create(options());
        TailerOptions byHand = TailerOptions.at("by-hand").withCommitByHand();
        TailerOptions seldom = TailerOptions.at("seldom").withCommitEvery(1_000);
        try (Tailer first = topic.openTailer(byHand);
                Tailer second = topic.openTailer(seldom)) {
            replaceWhatIsRead(
                    topic,
                    () -> {
                        assertEquals(8, first.forEach(record -> {}, 100));
                        assertEquals(2, second.forEach(record -> {}, 2));
                        assertEquals(6, second.forEach(record -> {}, 100));
                    });
            assertEquals(3, first.truncatedTo(0));
            first.commit();
            assertEquals(3, topic.cursor("by-hand").offset(0));
        }
        assertEquals(3, topic.cursor("seldom").offset(0));
    }

    @Test
    void shouldTellOfATruncationAlsoWhereARecordWasReadAhead() {
        Topic topic = create(options());
        try (Tailer tailer = topic.openTailer(TailerOptions.at("c"))) {
            Iterator<StoredRecord> copies = tailer.iterator();
            replaceWhatIsRead(
                    topic,
                    () -> {
                        for (int i = 0; i < 7; i++) {
                            copies.next();
                        }
                        assertTrue(copies.hasNext());
                    });
            assertThrows(TruncatedException.class, () -> tailer.forEach(record -> {}, 100));
            tailer.seek(3);
            assertEquals(Long.MAX_VALUE, tailer.truncatedTo(0));
            assertEquals(6, tailer.forEach(record -> {}, 100));
        }
    }

    @Test
    void shouldContinueALoopWhereTheLogWasCut() {
        Topic topic = create(options());
        Tailer tailer = topic.openTailer();
        replaceWhatIsRead(topic, () -> assertEquals(8, tailer.forEach(record -> {}, 100)));
        List<RuntimeException> errors = new ArrayList<>();
        TailerLoop loop =
                TailerLoop.of(tailer)
                        .onError(
                                error -> {
                                    errors.add(error);
                                    return Action.CONTINUE;
                                });
        List<Long> offsets = new ArrayList<>();
        loop.run(
                record -> {
                    offsets.add(record.offset());
                    return record.offset() == 8 ? Action.STOP : Action.CONTINUE;
                });
        assertEquals(1, errors.size());
        assertEquals(List.of(3L, 4L, 5L, 6L, 7L, 8L), offsets);
    }

    @Test
    void shouldForgetTheEndsOfTransactionsThatWereCutOff() {
        SourceLog source = new SourceLog(0, 1);
        source.transactional(1, 0, "first").marker(1, true);
        source.transactional(2, 0, "second").transactional(3, 0, "third");
        source.transactional(4, 0, "fourth").marker(4, false);
        long cut = source.nextOffset();
        source.marker(2, true).marker(3, false).transactional(5, 0, "fifth");
        Topic topic = create(options());
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 100);
            assertEquals(
                    List.of("first", "second"),
                    texts(topic.partition(0), IsolationLevel.READ_COMMITTED));
            appender.truncate(cut);
            source.truncate(cut);
        }
        for (int i = 0; i < 2; i++) {
            assertEquals(2, topic.partition(0).visibleOffset(IsolationLevel.READ_COMMITTED));
            topic = reopen();
        }
        source.marker(2, false).marker(3, true).append(Compression.NONE, "end");
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 100);
        }
        for (int i = 0; i < 2; i++) {
            assertEquals(
                    List.of("first", "third", "end"),
                    texts(topic.partition(0), IsolationLevel.READ_COMMITTED));
            topic = reopen();
        }
    }

    @Test
    void shouldRefuseToTruncateOutsideOfTheLog() {
        SourceLog source = new SourceLog(0, 1).append(Compression.NONE, "a", "b", "c");
        Topic topic = create(options());
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 100);
            assertThrows(InvalidOptionException.class, () -> appender.truncate(4));
            appender.truncate(3);
            topic.partition(0).deleteRecordsBefore(1);
            assertThrows(InvalidOptionException.class, () -> appender.truncate(0));
            assertThrows(InvalidOptionException.class, () -> appender.truncate(2));
            assertEquals(3, appender.nextOffset());
        }
        assertEquals(List.of("b", "c"), texts(topic.partition(0), IsolationLevel.READ_COMMITTED));
    }

    @Test
    void shouldNotWaitForTheEndOfATransactionThatTheSourceDeleted() {
        SourceLog source = new SourceLog(0, 1).append(Compression.NONE, "plain");
        source.transactional(1, 0, "open").transactional(2, 0, "goes on");
        Topic topic = create(options());
        SourceLog behind = new SourceLog(1000, 2).append(Compression.NONE, "behind");
        behind.transactional(2, 1, "still open").append(Compression.NONE, "last").marker(2, true);
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(source, appender, 10);
            Stores.await(
                    "the end of what was deleted",
                    () -> {
                        appender.fillTo(1000);
                        return appender.nextOffset() == 1000;
                    });
            assertEquals(1, appender.lastEpoch());
            replicate(behind, appender, 2);
        }
        for (int i = 0; i < 3; i++) {
            assertEquals(
                    List.of("plain", "behind", "still open", "last"),
                    texts(topic.partition(0), IsolationLevel.READ_COMMITTED));
            assertEquals(
                    2, HostedPartition.of(topic.partition(0)).abortedTransactions(0, 1004).size());
            topic = reopen();
        }
        assertHolds(behind, topic.partition(0));
    }

    @Test
    void shouldSayHowMuchWasTakenBeforeABatchThatIsRefused() {
        Topic topic = create(options());
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            replicate(new SourceLog(0, 1).append(Compression.NONE, "a"), appender, 1);
            String tooLong = "x".repeat(topic.options().segmentBytes() + 1);
            for (SourceLog refused :
                    List.of(
                            new SourceLog(1L << 50, 1).append(Compression.NONE, "too far"),
                            new SourceLog(3, 1).append(Compression.NONE, tooLong))) {
                long next = appender.nextOffset();
                ByteBuffer taken = new SourceLog(next, 1).append(Compression.NONE, "b").fetch(0, 1);
                ByteBuffer bad = refused.fetch(0, 1);
                ByteBuffer both = ByteBuffer.allocate(taken.remaining() + bad.remaining());
                both.put(taken.duplicate()).put(bad).flip();
                assertEquals(taken.remaining(), appender.append(both));
                assertEquals(next + 1, appender.nextOffset());
            }
        }
    }
}
