package io.firn.pmem;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.spi.Block;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A read-only store beside the one that writes, whose pins do not reach the writer: blocks are used
 * again while it reads them. In invoker mode it learns nothing of that by itself.
 */
class PmemFollowerTest {
    private static final int BLOCKS = 4;
    private static final int ROUNDS = 20;
    private static final int PER_SEGMENT = 50;
    private static final TopicOptions OPTIONS =
            TopicOptions.defaults().withSegmentBytes(64 * 1024).withMaxRecordBytes(16 * 1024);

    @TempDir private Path directory;
    private PmemTier tier;
    private LogStore writer;
    private LogReader reader;

    @BeforeEach
    void open() {
        tier = tier(directory);
        writer = LogStore.at(directory.resolve("store")).tier(tier).open();
    }

    @AfterEach
    void close() {
        if (reader != null) {
            reader.close();
        }
        writer.close();
    }

    private static PmemTier tier(Path directory) {
        return Pools.withBlocks(BLOCKS, directory.resolve("pmem"));
    }

    static LogStoreBuilder readers(Path directory) {
        return LogStore.at(directory.resolve("store")).tier(tier(directory));
    }

    /** The topic, as it is now. */
    private PartitionReader follow(String topic) {
        if (reader == null) {
            reader = readers(directory).invokerMode().openReadOnly();
        }
        PartitionReader log = reader.openTopic(topic).partition(0);
        Pools.await(
                "all of " + topic,
                () -> {
                    reader.doWork();
                    return log.visibleOffset() == PER_SEGMENT;
                });
        return log;
    }

    /** As long as that of any other topic, so that batches come to lie in the same places. */
    private static byte[] value(String topic, long offset) {
        return Pools.bytes(topic.hashCode() + offset, 1000);
    }

    private void append(Appender appender, byte[] value) {
        Pools.await(
                "room",
                () -> {
                    try {
                        appender.append(value);
                        return true;
                    } catch (StoreFullException retentionIsBehind) {
                        return false;
                    }
                });
    }

    /** Less than a segment; returns the block that it is in. */
    private String fill(String topic) {
        Topic made = writer.createTopic(topic, OPTIONS);
        try (Appender appender = made.partition(0).openExclusiveAppender()) {
            for (int i = 0; i < PER_SEGMENT; i++) {
                append(appender, value(topic, i));
            }
        }
        List<String> block = new ArrayList<>();
        Pools.await("the mark", () -> block.addAll(blocksWithTheBeginningOf(made)));
        return block.get(0);
    }

    private List<String> blocksWithTheBeginningOf(Topic topic) {
        try {
            return tier.list().stream()
                    .filter(segment -> segment.mark().topicId().equals(topic.id()))
                    .filter(segment -> segment.mark().baseOffset() == 0)
                    .map(Block::name)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes a block and gives it back, so that the next one to be taken is another one. */
    private void takeOneBlock() {
        Topic made = writer.createTopic("one", OPTIONS);
        try (Appender appender = made.partition(0).openExclusiveAppender()) {
            append(appender, new byte[1]); // too little for a second block to be reserved
        }
        writer.deleteTopic("one");
    }

    /** The block that held the first topic's segment holds the second's when this returns. */
    private void replace(String before, String block, String after) {
        // A topic takes one block or two, so that a round may pass over this one, and would do so
        // each time if all took two.
        for (int i = 0; i < ROUNDS * BLOCKS; i++) {
            writer.deleteTopic(i == 0 ? before : after);
            if (i % 2 == 1) {
                takeOneBlock();
            }
            if (fill(after).equals(block)) {
                return;
            }
        }
        throw new AssertionError(block + " was not used again");
    }

    @Test
    void shouldShowARecordAsItWasWhileItsBlockIsUsedAgain() {
        String block = fill("before");
        try (Tailer tailer = follow("before").openTailer()) {
            int polled =
                    tailer.poll(
                            record -> {
                                byte[] first = record.copy().value();
                                replace("before", block, "after");
                                assertArrayEquals(first, record.copy().value());
                                assertArrayEquals(value("before", 0), first);
                                return Action.STOP;
                            },
                            1);
            assertEquals(1, polled);
        }
    }

    @Test
    void shouldNotTakeForItsOwnWhatAnotherTopicHasStoredIntoTheBlock() {
        String block = fill("before");
        PartitionReader followed = follow("before");
        try (Tailer tailer = followed.openTailer()) {
            assertEquals(1, tailer.poll(record -> Action.CONTINUE, 1));
            replace("before", block, "after");
            for (long offset : new long[] {1, 0, PER_SEGMENT / 2}) {
                tailer.seek(offset);
                assertThrows(
                        UnknownTopicException.class,
                        () -> tailer.poll(record -> Action.CONTINUE, 1));
            }
        }
        assertEquals(List.of(), followed.damage());
    }

    @Test
    void shouldKeepTheBytesOfARunWhileTheirBlockIsUsedAgain() {
        String block = fill("before");
        BatchReader batches = HostedPartition.of(follow("before")).openBatchReader();
        try (BatchRun run = batches.read(0, 10_000, true)) {
            byte[] first = new byte[run.bytes().remaining()];
            run.bytes().duplicate().get(first);
            replace("before", block, "after");
            byte[] again = new byte[first.length];
            run.bytes().duplicate().get(again);
            assertArrayEquals(first, again);
            assertThrows(
                    UnknownTopicException.class, () -> batches.read(run.nextOffset(), 10, true));
        }
    }

    @Test
    void shouldFindNoTimestampInWhatAnotherTopicHasStoredIntoTheBlock() {
        String block = fill("before");
        PartitionReader followed = follow("before");
        assertEquals(0, followed.findTimestamp(0).offset());
        replace("before", block, "after");
        assertThrows(UnknownTopicException.class, () -> followed.findTimestamp(0));
        assertEquals(List.of(), followed.damage());
    }

    @Test
    void shouldTellATailerThatRetentionOvertookAndCallNothingDamaged() {
        Partition log = writer.createTopic("t", OPTIONS.withRetentionBytes(64 * 1024)).partition(0);
        try (Appender appender = log.openExclusiveAppender()) {
            for (int i = 0; i < PER_SEGMENT; i++) {
                append(appender, value("t", i));
            }
            PartitionReader followed = follow("t");
            try (Tailer tailer = followed.openTailer()) {
                assertEquals(1, tailer.poll(record -> Action.CONTINUE, 1));
                for (int i = PER_SEGMENT; log.metrics().rolls() < 2 * BLOCKS + 1; i++) {
                    append(appender, value("t", i));
                }
                OffsetOutOfRangeException overtaken =
                        assertThrows(
                                OffsetOutOfRangeException.class,
                                () -> tailer.poll(record -> Action.CONTINUE, 1));
                assertTrue(overtaken.logStartOffset() > 1, overtaken.getMessage());
                Pools.await("a record", () -> pollAtStart(tailer, followed));
            }
            assertEquals(List.of(), followed.damage());
        }
    }

    /** False when retention, which may go on, was faster. */
    private static boolean pollAtStart(Tailer tailer, PartitionReader followed) {
        try {
            tailer.seek(followed.logStartOffset());
            return tailer.poll(record -> Action.CONTINUE, 1) == 1;
        } catch (OffsetOutOfRangeException overtakenAgain) {
            return false;
        }
    }

    @Test
    void shouldFollowIntoBlocksThatWereAddedMeanwhile() {
        fill("first");
        PartitionReader followed = follow("first");
        try (Tailer tailer = followed.openTailer()) {
            assertEquals(1, tailer.poll(record -> Action.CONTINUE, 1));
            writer.close();
            tier = Pools.withBlocks(4 * BLOCKS, directory.resolve("pmem"));
            writer = LogStore.at(directory.resolve("store")).tier(tier).open();
            Partition log = writer.openTopic("first").partition(0);
            try (Appender appender = log.openExclusiveAppender()) {
                for (int i = PER_SEGMENT; log.metrics().rolls() < 2 * BLOCKS; i++) {
                    append(appender, value("first", i));
                }
            }
            long end = HostedPartition.of(log).activeOffset();
            long[] next = {1};
            Pools.await(
                    "all records",
                    () -> {
                        reader.doWork();
                        tailer.poll(
                                record -> {
                                    assertEquals(next[0], record.offset());
                                    assertArrayEquals(
                                            value("first", next[0]++), record.copy().value());
                                    return Action.CONTINUE;
                                },
                                1000);
                        return next[0] >= end;
                    });
        }
        assertEquals(List.of(), followed.damage());
        assertEquals(0, reader.metrics().backgroundErrors());
    }

    @Test
    void shouldFollowATopicThatIsOnlyWrittenWhileRetentionTakesItsBlocks() {
        TopicOptions written =
                OPTIONS.withDurability(Durability.WRITTEN).withRetentionBytes(64 * 1024);
        Partition log = writer.createTopic("t", written).partition(0);
        reader = readers(directory).invokerMode().openReadOnly();
        PartitionReader followed = reader.openTopic("t").partition(0);
        try (Appender appender = log.openExclusiveAppender()) {
            for (int i = 0; log.metrics().rolls() < 4 * BLOCKS; i++) {
                append(appender, value("t", i));
                reader.doWork();
            }
        }
        Pools.await(
                "the end",
                () -> {
                    reader.doWork();
                    return followed.nextOffset() == log.nextOffset();
                });
        assertEquals(0, reader.metrics().backgroundErrors());
        assertEquals(List.of(), followed.damage());
    }

    @Test
    void shouldLetGoOfThePoolWhenItIsClosedHoweverManySegmentsItSaw() throws IOException {
        String block = fill("before");
        Path pool = directory.resolve("pmem").resolve(PoolFile.NAME);
        int writersOwn = Pools.mappingFlags(pool).size();
        assertEquals(0, follow("before").findTimestamp(0).offset());
        replace("before", block, "after");
        assertEquals(0, follow("after").findTimestamp(0).offset());
        assertTrue(Pools.mappingFlags(pool).size() > writersOwn, "not mapped by the reader");
        reader.close();
        assertEquals(writersOwn, Pools.mappingFlags(pool).size());
    }

    @Test
    void shouldSeeEachRecordRightFromAnotherProcess() throws Exception {
        int count = 1500;
        Partition log = writer.createTopic("t", OPTIONS.withRetentionBytes(64 * 1024)).partition(0);
        Path output = directory.resolve("output");
        Process child;
        try (Appender appender = log.openExclusiveAppender()) {
            append(appender, Pools.value(0));
            child = FollowingChild.start(directory, count, output);
            Pools.await("the child to follow", () -> sizeOf(output) > 0 || !child.isAlive());
            for (int i = 1; i < count; i++) {
                append(appender, Pools.value(i));
            }
        }
        try {
            assertTrue(child.waitFor(HANGS_AFTER_S, TimeUnit.SECONDS), "the child hangs");
        } finally {
            child.destroyForcibly();
        }
        String said = Files.readString(output);
        assertTrue(said.contains("right to the end"), said);
    }

    private static long sizeOf(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }
}
