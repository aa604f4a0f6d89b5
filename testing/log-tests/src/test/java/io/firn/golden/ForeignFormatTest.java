package io.firn.golden;

import static io.firn.kafka.SameRecords.assertSame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.RecordTooLargeException;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.host.HostedAppender;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SeededTest;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches of Kafka's own client come out of a tailer as they went in. */
@FirstRunOnly
class ForeignFormatTest {
    private static final TopicOptions OPTIONS =
            TopicOptions.defaults()
                    .withDurability(Durability.WRITTEN)
                    .withSegmentBytes(4 << 20)
                    .withMaxRecordBytes(2 << 20);

    @TempDir private Path directory;
    private FileStore files;
    private Partition partition;
    private Appender appender;

    @BeforeEach
    void open() {
        files = new FileStore(directory);
        partition = files.store().createTopic("foreign", OPTIONS).partition(0);
        appender = partition.openExclusiveAppender();
    }

    @AfterEach
    void close() {
        files.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldGiveBackBatchesOfEverySize(Compression codec) {
        RandomRecords random = new RandomRecords(3);
        KafkaBatches maker = KafkaBatches.of(codec);
        List<StoredRecord> expected = new ArrayList<>();
        int[][] countsAndSizes = {{1, 0}, {1, 10}, {1, 1 << 20}, {100, 10_000}, {10_000, 100}};
        for (int[] countAndSize : countsAndSizes) {
            int next = expected.size();
            List<StoredRecord> records = random.next(0, next, countAndSize[0], countAndSize[1]);
            expected.addAll(records);

            assertEquals(next, HostedAppender.of(appender).appendBatch(maker.encode(records)));
        }
        byte[] megabyte = random.bytes(1 << 20);
        expected.add(new StoredRecord(0, expected.size(), 1_000, null, megabyte, List.of()));
        HostedAppender.of(appender).appendBatch(maker.encode(null, megabyte));

        assertSame(expected, FileStore.readAll(partition));
    }

    @ParameterizedTest
    @EnumSource
    void shouldGiveAllRecordsTheLogsTimeWhereTheBatchSaysSo(Compression codec) {
        List<StoredRecord> records = new RandomRecords(4).next(0, 0, 50, 500);
        HostedAppender.of(appender)
                .appendBatch(KafkaBatches.of(codec).appendTime(1_234_567).encode(records));
        List<StoredRecord> expected =
                records.stream()
                        .map(
                                r ->
                                        new StoredRecord(
                                                0,
                                                r.offset(),
                                                1_234_567,
                                                r.key(),
                                                r.value(),
                                                r.headers()))
                        .toList();

        assertSame(expected, FileStore.readAll(partition));
        assertEquals(0, partition.findTimestamp(1_234_567).offset());
        assertNull(partition.findTimestamp(1_234_568));
    }

    @ParameterizedTest
    @EnumSource
    void shouldStartAndStopInTheMiddleOfABatch(Compression codec) {
        List<StoredRecord> records = new RandomRecords(5).next(0, 0, 300, 300);
        for (int from = 0; from < 300; from += 100) {
            HostedAppender.of(appender)
                    .appendBatch(KafkaBatches.of(codec).encode(records.subList(from, from + 100)));
        }
        try (Tailer tailer = partition.openTailer()) {
            for (int start : new int[] {0, 1, 50, 99, 100, 101, 250, 299}) {
                for (int limit : new int[] {1, 7, 1_000}) {
                    List<StoredRecord> found = new ArrayList<>();
                    tailer.seek(start);
                    for (int polls = 0; tailer.offset() < 300; polls++) {
                        assertTrue(polls < 1_000, "stays at " + tailer.offset());
                        tailer.poll(record -> take(record.copy(), found), limit);
                    }
                    assertSame(records.subList(start, 300), distinct(found));
                    assertEquals(0, tailer.poll(record -> Action.CONTINUE, 1));
                }
            }
        }
    }

    @Test
    void shouldTakeABatchThatJustFitsASegmentAndNoneThatDoesNot() throws IOException {
        Topic topic = files.topic("tight");
        int room = topic.options().segmentBytes();
        KafkaBatches maker = KafkaBatches.of(Compression.NONE);
        int overhead = maker.encode(null, new byte[room / 2]).remaining() - room / 2;
        ByteBuffer fitting = maker.encode(null, new byte[room - overhead]);
        assertEquals(room, fitting.remaining());
        ByteBuffer larger = maker.encode(null, new byte[room - overhead + 1]);
        try (Appender tight = topic.partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 3; i++) {
                assertEquals(2L * i, HostedAppender.of(tight).appendBatch(fitting));
                assertEquals(2L * i + 1, tight.append(new byte[] {1}));
                String message =
                        assertThrows(
                                        RecordTooLargeException.class,
                                        () -> HostedAppender.of(tight).appendBatch(larger))
                                .getMessage();
                assertTrue(message.contains(" " + (room + 1) + " bytes"), message);
                assertTrue(message.contains(" holds " + room), message);
            }
        }
        assertEquals(6, FileStore.readAll(topic.partition(0)).size());
        files.reopen();
        assertEquals(6, FileStore.readAll(files.topic("tight").partition(0)).size());
        files.sealAll(files.topic("tight"));
        for (Path file : files.sealedFiles(files.topic("tight"), 0)) {
            assertEquals(
                    1, KafkaBatches.decode(0, ByteBuffer.wrap(Files.readAllBytes(file))).size());
        }
    }

    /** Takes a record, or asks for it once more. */
    private static Action take(StoredRecord record, List<StoredRecord> found) {
        boolean first = found.isEmpty() || found.get(found.size() - 1).offset() != record.offset();
        found.add(record);
        if (record.offset() % 5 == 0 && first) {
            return Action.RETRY;
        }
        return record.offset() % 3 == 0 ? Action.STOP : Action.CONTINUE;
    }

    private static List<StoredRecord> distinct(List<StoredRecord> found) {
        List<StoredRecord> distinct = new ArrayList<>();
        for (StoredRecord record : found) {
            int last = distinct.size() - 1;
            if (last < 0 || distinct.get(last).offset() != record.offset()) {
                distinct.add(record);
            }
        }
        return distinct;
    }

    @SeededTest
    void shouldGiveBackWhateverKafkaMakes(long seed) {
        RandomRecords random = new RandomRecords(seed);
        Random numbers = random.random();
        List<StoredRecord> expected = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Compression codec = Compression.values()[numbers.nextInt(5)];
            int count = 1 + numbers.nextInt(1 << numbers.nextInt(9));
            List<StoredRecord> records =
                    random.next(0, expected.size(), count, 1 << numbers.nextInt(14));
            ByteBuffer batch = KafkaBatches.of(codec).encode(records);

            assertEquals(expected.size(), HostedAppender.of(appender).appendBatch(batch));
            expected.addAll(records);
        }

        assertSame(expected, FileStore.readAll(partition));
    }
}
